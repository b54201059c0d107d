import { getDescription } from '../../lib/http/operations/get-description.ts';

export const handler = getDescription({ now: Date.now });
