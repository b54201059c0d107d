import { keys, newEventId, storage } from '#platform';
import { keyGuard } from '../../lib/credentials/key-directory.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { allowsLoopbackEvents, recoverableMs, serviceSettings } from './settings.ts';

// This read prepares the clients during the start, when Lambda gives the function a full CPU. A failure is ignored:
// the first request then prepares the clients.
await Promise.allSettled([storage().read({ partition: 'none', sort: 'none' })]);

/** The hosted service. Its storage and the API keys come from the platform: AWS, or one machine. */
export const service = hostedService({
  ...serviceSettings(),
  storage: storage(),
  now: Date.now,
  random: Math.random,
  newEventId,
  recoverableMs: recoverableMs(),
  allowsLoopbackEvents: allowsLoopbackEvents(),
  guard: keyGuard(keys, Date.now),
});
