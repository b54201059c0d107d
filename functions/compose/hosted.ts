import { keys, newEventId, storage } from '#platform';
import { hostedService } from '../../lib/hosted/service.ts';
import { NOTHING, readAtStart } from './at-start.ts';
import { keyGuard } from './key-guard.ts';
import { recoverableMs, startDateToleranceMs } from './settings.ts';

await readAtStart(storage().read(NOTHING));

/** The service that Segue itself contains. */
export const service = hostedService({
  storage: storage(),
  now: Date.now,
  random: Math.random,
  startDateToleranceMs: startDateToleranceMs(),
  newEventId,
  recoverableMs: recoverableMs(),
  guard: keyGuard(keys()),
});
