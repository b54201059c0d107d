import { DATE } from '../../../lib/contract/date.ts';
import { STATES } from '../../../lib/contract/language-states.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { TRANSLATION_STATUSES } from '../../../lib/contract/translation-status.ts';
import { CURSOR, DATE_CHARACTERS, EVENT_ID, NOT_FOLDED, PAGE_CURSOR, VISIBLE } from './patterns.ts';

/** The descriptions and schemas of path parameters, by name. */
export const PATH_PARAMETERS: Readonly<Record<string, { readonly description: string; readonly schema: object }>> = {
  id: {
    description: 'The project’s id.',
    schema: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  },
  customId: {
    description: 'The project’s custom id, percent-encoded once: `a/b` is `a%2Fb`.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.customIdCharacters, pattern: NOT_FOLDED },
  },
  languageCode: {
    description: 'The code of one of the project’s target languages, such as `de` or `de-DE`.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.stringCharacters },
  },
  operationId: {
    description: 'The operation’s id, from `Location`.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$', maxLength: 43 },
  },
  source: {
    description: 'The name that the operator of Segue gave the source.',
    schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$', maxLength: 63 },
  },
  type: { description: 'The problem’s name.', schema: { type: 'string', maxLength: 64 } },
  file: { description: 'The name of a file that the reference page loads.', schema: { type: 'string', maxLength: 64 } },
};

/** The schemas of query parameters. Their descriptions are in `PARAMETERS`. */
export const QUERY_SCHEMAS = {
  taskId: { type: 'string', minLength: 1, maxLength: LIMITS.stringCharacters, pattern: VISIBLE },
  validateOnly: { type: 'boolean' },
  limit: { type: 'integer', format: 'int32', minimum: 1, maximum: LIMITS.listMax },
  cursor: { type: 'string', pattern: CURSOR, maxLength: 12 },
  state: { type: 'string', enum: STATES },
  customIdPrefix: { type: 'string', minLength: 1, maxLength: LIMITS.customIdCharacters, pattern: VISIBLE },
  createdAfter: { type: 'string', pattern: DATE.source, maxLength: DATE_CHARACTERS },
  dueBefore: { type: 'string', pattern: DATE.source, maxLength: DATE_CHARACTERS },
  done: { type: 'boolean' },
  status: { type: 'string', enum: TRANSLATION_STATUSES },
  languageCode: { type: 'string', minLength: 1, maxLength: LIMITS.stringCharacters, pattern: VISIBLE },
  segmentLimit: { type: 'integer', format: 'int32', minimum: 1, maximum: LIMITS.segmentsMax },
  segmentCursor: { type: 'string', pattern: PAGE_CURSOR, maxLength: 70 },
  after: { type: 'string', pattern: EVENT_ID, maxLength: 64 },
  eventLimit: { type: 'integer', format: 'int32', minimum: 1, maximum: LIMITS.eventsMax },
} as const;
