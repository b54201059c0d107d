import { health } from '../../lib/doors/http/operations/health.ts';

export const handler = health({ now: Date.now });
