import { getReference } from '../../lib/http/operations/get-reference.ts';

export const handler = getReference({ now: Date.now });
