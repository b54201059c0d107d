import { listLanguages } from '../../lib/doors/http/operations/list-languages.ts';

export const handler = listLanguages({ now: Date.now });
