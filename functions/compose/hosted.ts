import { keys, newEventId, storage } from '#platform';
import { keyGuard } from '../../lib/credentials/key-directory.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { recoverableMs, serviceSettings } from './settings.ts';

// A first read makes clients ready. During its start a function has a whole CPU. If it fails, the first request reads again.
await Promise.allSettled([storage().read({ partition: 'none', sort: 'none' })]);

/** The hosted service on the platform. */
export const service = hostedService({
  ...serviceSettings(),
  storage: storage(),
  now: Date.now,
  random: Math.random,
  newEventId,
  recoverableMs: recoverableMs(),
  guard: keyGuard(keys()),
});
