import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { keys, newEventId } from '#platform';
import { upstreamService } from '../../lib/upstream/service.ts';
import { keyGuard } from './key-guard.ts';
import { startDateToleranceMs } from './settings.ts';
import { behind } from './upstream-behind.ts';
import { upstreamSettings } from './upstream-settings.ts';

export { audit } from './upstream-audit.ts';

/** The service at another server. */
export const service = upstreamService({
  ...behind,
  ...upstreamSettings(),
  sleep: (ms) => setTimeout(ms),
  newId: randomUUID,
  startDateToleranceMs: startDateToleranceMs(),
  guard: keyGuard(keys()),
  newEventId,
});
