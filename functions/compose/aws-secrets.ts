import { secretsClient } from '../../lib/credentials/secret-value.ts';
import { once } from './once.ts';

/** The client of secrets, one for all that a function does with it. */
export const secrets = once(() => secretsClient({ now: Date.now }));
