import { getDescription } from '../../lib/doors/http/operations/get-description.ts';

export const handler = getDescription({ now: Date.now });
