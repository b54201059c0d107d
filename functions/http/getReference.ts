import { getReference } from '../../lib/doors/http/operations/get-reference.ts';

export const handler = getReference({ now: Date.now });
