import { describe } from 'vitest';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { awsInMemory } from './aws-in-memory.ts';
import { AwsWorld } from './aws-world.ts';
import { describeCrashPoints } from './crash-points/run.ts';
import { CREDENTIAL_SCENARIOS, LARGE_SCENARIOS, SCENARIOS } from './crash-points/scenarios.ts';
import { SqliteWorld } from './sqlite-world.ts';
import { UpstreamAwsWorld } from './upstream-aws-world.ts';
import { UpstreamWorld } from './upstream-world.ts';

const scenarios = { ...SCENARIOS, ...CREDENTIAL_SCENARIOS };

describe('at every call of a store on SQLite', () => {
  describeCrashPoints({ open: () => new SqliteWorld(), scenarios, atRandom: 100 });
});

describe('at every call of DynamoDB in front of another service, in memory', { timeout: MUCH_WORK_MS }, () => {
  describeCrashPoints({ open: () => new UpstreamAwsWorld(awsInMemory()), scenarios: SCENARIOS, atRandom: 30 });
});

describe('at every call of DynamoDB and S3, in memory', { timeout: MUCH_WORK_MS }, () => {
  const open = () => new AwsWorld(awsInMemory());
  describeCrashPoints({ open, scenarios, atRandom: 30 });
  describeCrashPoints({ open, scenarios: LARGE_SCENARIOS, atRandom: 10 });
});

describe('at every call of a ledger, and of the service behind it', () => {
  describeCrashPoints({ open: () => new UpstreamWorld(), scenarios: SCENARIOS, atRandom: 30 });
});
