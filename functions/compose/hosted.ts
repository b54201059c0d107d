import { keys, newEventId, storage } from '#platform';
import { hostedService } from '../../lib/hosted/service.ts';
import { startDateToleranceMs } from './settings.ts';

/** The service that Segue itself contains. */
export const service = hostedService({
  storage: storage(),
  now: Date.now,
  random: Math.random,
  startDateToleranceMs: startDateToleranceMs(),
  newEventId,
  // A workflow proves itself by IAM, and has no key.
  guard: async ({ companyId, keyId }) => (keyId === undefined ? undefined : keys().guard(companyId, keyId)),
});
