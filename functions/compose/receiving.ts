import { deliveries, requireCompany, sourceSecrets, sources } from '#platform';
import { inboxOn } from '../../lib/webhooks/inbox.ts';
import type { ReceiveDeps } from '../../lib/webhooks/receive.ts';
import { readAtStart } from './at-start.ts';

// Whether there is anything makes no difference.
await readAtStart(sources().find('nothing-at-all'), sourceSecrets()({ secretsAt: 'nothing' }));

/** What takes in the messages of webhooks. */
export const receiving: ReceiveDeps = {
  sources: sources(),
  secretsOf: sourceSecrets(),
  requireCompany,
  inbox: inboxOn(deliveries(), { now: Date.now }),
};
