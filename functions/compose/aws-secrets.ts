import { secretsManagerReader } from '../../lib/aws/secrets-manager.ts';
import { once } from './once.ts';

/** Reads secrets in Secrets Manager, with one client for the whole function. */
export const secretReader = once(() => secretsManagerReader({ now: Date.now }));
