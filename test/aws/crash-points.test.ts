import { vi } from 'vitest';
import { AwsWorld } from '../faults/aws-world.ts';
import { describeCrashPoints, LARGE_SCENARIOS, SCENARIOS } from '../faults/crash-points/run.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { createAws } from './store.ts';

vi.setConfig({ testTimeout: MUCH_WORK_MS });

const open = async () => new AwsWorld(await createAws());

// The store in memory fails in every way in `npm test`.
describeCrashPoints({
  open,
  scenarios: { ...SCENARIOS, ...LARGE_SCENARIOS },
  waysAt: () => ['fails after', 'stops before', 'stops after'],
  atRandom: 1,
});
