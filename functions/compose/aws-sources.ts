import { sourcesIn } from '../../lib/webhooks/sources.ts';
import { items } from './aws-items.ts';
import { once } from './once.ts';

/** The sources of webhooks in the table. */
export const sources = once(() => sourcesIn(items()));
