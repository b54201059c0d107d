import { deliveries, sourceSecrets, sources } from '#platform';
import { receiveWebhook } from '../../lib/doors/webhook/receive.ts';
import { inboxOn } from '../../lib/webhooks/inbox.ts';

export const handler = receiveWebhook({ sources: sources(), secretsOf: sourceSecrets(), inbox: inboxOn(deliveries()) });
