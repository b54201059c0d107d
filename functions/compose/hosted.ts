import { keys, newEventId, storage } from '#platform';
import { lazy } from '../../lib/contract/lazy.ts';
import { keyGuard } from '../../lib/credentials/key-directory.ts';
import { allowsLoopbackEvents, recoverableMs } from './environment.ts';
import { hostedOn } from './services.ts';

/** Opens the hosted service, once a process. Its storage and the API keys come from the platform: AWS, or one machine. */
export const openService = /* @__PURE__ */ lazy(async () => {
  // This read prepares the clients during the start, when Lambda gives the function a full CPU. A failure is ignored:
  // the first request then prepares the clients.
  await Promise.allSettled([storage().read({ partition: 'none', sort: 'none' })]);
  return hostedOn({
    storage: storage(),
    newEventId,
    recoverableMs: recoverableMs(),
    allowsLoopbackEvents: allowsLoopbackEvents(),
    guard: keyGuard(keys, Date.now),
  });
});
