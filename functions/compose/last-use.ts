import { credentials } from '#platform';
import { lastUseIn } from '../../lib/credentials/last-use.ts';

/** Records the last use of API keys, at most once an hour for each key and process. */
export const recordUse = lastUseIn(credentials(), Date.now);
