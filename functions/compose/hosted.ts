import { keys, newEventId, storage } from '#platform';
import { hostedService } from '../../lib/hosted/service.ts';
import { keyGuard } from './key-guard.ts';
import { startDateToleranceMs } from './settings.ts';

/** The service that Segue itself contains. */
export const service = hostedService({
  storage: storage(),
  now: Date.now,
  random: Math.random,
  startDateToleranceMs: startDateToleranceMs(),
  newEventId,
  guard: keyGuard(keys()),
});
