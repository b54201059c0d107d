import { randomUUID } from 'node:crypto';
import { storage } from '#platform';
import { hostedService } from '../../lib/hosted/service.ts';
import { startDateToleranceMs } from './settings.ts';

/** The service that Segue itself contains. */
export const service = hostedService({
  storage: storage(),
  now: Date.now,
  random: Math.random,
  newId: randomUUID,
  startDateToleranceMs: startDateToleranceMs(),
});
