import { keys, newEventId, storage } from '#platform';
import { hostedService } from '../../lib/hosted/service.ts';
import { keyGuard } from './key-guard.ts';
import { recoverableMs, startDateToleranceMs } from './settings.ts';

/** No item is ever there. */
const NOTHING = { partition: 'nobody', sort: 'nothing' };
// While a function starts it has a whole CPU, and often nobody waits: a first read makes the store's client ready.
await storage()
  .read(NOTHING)
  .catch(() => undefined);

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
