import { getProblemType } from '../../lib/doors/http/operations/get-problem-type.ts';

export const handler = getProblemType({ now: Date.now });
