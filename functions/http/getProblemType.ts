import { getProblemType } from '../../lib/http/operations/get-problem-type.ts';

export const handler = getProblemType({ now: Date.now });
