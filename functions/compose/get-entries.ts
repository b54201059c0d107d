import { publicTransports } from '../../lib/service/http-client/public-transport.ts';
import type { GetEntries } from '../../lib/webhooks/fetch-entry.ts';
import { allowsLoopbackEvents } from './environment.ts';

/** Opens the function that reads pages of content systems. Only then is its code loaded. */
export async function openGetEntries(): Promise<GetEntries> {
  const { entryGetter } = await import('../../lib/webhooks/fetch-entry.ts');
  return entryGetter({
    transportWith: publicTransports(allowsLoopbackEvents()),
    now: Date.now,
  });
}
