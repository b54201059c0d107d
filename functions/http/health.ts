import { health } from '../../lib/http/operations/health.ts';

export const handler = health({ now: Date.now });
