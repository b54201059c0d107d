import { listLanguages } from '../../lib/http/operations/list-languages.ts';

export const handler = listLanguages({ now: Date.now });
