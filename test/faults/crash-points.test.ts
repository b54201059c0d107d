import { describe } from 'vitest';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { AwsWorld, awsInMemory } from './aws-world.ts';
import {
  CHANGING_PUT_SCENARIOS,
  describeCrashPoints,
  LARGE_PUT_SCENARIOS,
  LARGE_SCENARIOS,
  PUT_SCENARIOS,
  SCENARIOS,
} from './crash-points/run.ts';
import { FEWER_WAYS, twoWaysAt } from './faulty.ts';
import { SqliteWorld } from './sqlite-world.ts';
import { UpstreamWorld } from './upstream-world.ts';

describe('a fault at every call of a store on SQLite', () => {
  const scenarios = { ...SCENARIOS, ...PUT_SCENARIOS, ...CHANGING_PUT_SCENARIOS };
  describeCrashPoints({ open: () => new SqliteWorld(), scenarios, atRandom: 20 });
});

describe('a fault at every call of DynamoDB and S3, in memory', { timeout: MUCH_WORK_MS }, () => {
  const open = () => new AwsWorld(awsInMemory());
  const scenarios = { ...SCENARIOS, ...PUT_SCENARIOS, ...CHANGING_PUT_SCENARIOS };
  describeCrashPoints({ open, scenarios, waysAt: twoWaysAt, atRandom: 4 });
  const large = { ...LARGE_SCENARIOS, ...LARGE_PUT_SCENARIOS };
  describeCrashPoints({ open, scenarios: large, waysAt: twoWaysAt, atRandom: 2 });
});

describe('a fault at every call of a ledger, and of the upstream service', () => {
  const scenarios = { ...SCENARIOS, ...PUT_SCENARIOS };
  describeCrashPoints({ open: () => new UpstreamWorld(), scenarios, waysAt: () => FEWER_WAYS, atRandom: 8 });
});
