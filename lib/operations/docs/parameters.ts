import { DATE } from '../../contract/date.ts';
import { STATES } from '../../contract/language-states.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { ParameterName } from '../../contract/parameters.ts';
import { TRANSLATION_STATUSES } from '../../contract/translation-status.ts';
import { CURSOR, DATE_CHARACTERS, EVENT_ID, NOT_FOLDED, PAGE_CURSOR, VISIBLE } from './patterns.ts';

interface DescribedParameter {
  readonly description: string;
  readonly schema: object;
}

/** The descriptions and schemas of path parameters, by name. */
export const PATH_PARAMETERS: Readonly<Record<string, DescribedParameter>> = {
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

/** The descriptions and schemas of query parameters, by their names in `PARAMETERS`. */
export const QUERY_PARAMETERS: Readonly<Record<ParameterName, DescribedParameter>> = {
  taskId: {
    description: 'The id of a task. The operation then applies only to this task of the project.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.stringCharacters, pattern: VISIBLE },
  },
  revision: {
    description:
      'The sender’s number of this version of the project, such as a counter or the milliseconds of a change. Segue remembers the highest one, for 30 days also after the deletion of the project. A request with a lower one changes nothing, and after a deletion, neither does a put with an equal one. Not together with `taskId`.',
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
  validateOnly: {
    description: 'Check the project and report every fault, without creating or changing anything.',
    schema: { type: 'boolean' },
  },
  limit: {
    description:
      'The maximum number of projects in a page. Without it, the answer is the whole list, or 406 if the list is too large for one answer.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: LIMITS.listMax },
  },
  cursor: {
    description:
      'Where the page starts: the value of `cursor` in the URL of the previous page’s `Link` header. Without `limit`, the answer is the rest of the list.',
    schema: { type: 'string', pattern: CURSOR, maxLength: 12 },
  },
  state: {
    description: 'Lists only projects that have a target language in this state.',
    schema: { type: 'string', enum: STATES },
  },
  customIdPrefix: {
    description: 'Lists only projects whose custom id starts with this text. Case matters.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.customIdCharacters, pattern: VISIBLE },
  },
  createdAfter: {
    description: 'Lists only projects that were created after this moment.',
    schema: { type: 'string', pattern: DATE.source, maxLength: DATE_CHARACTERS },
  },
  dueBefore: {
    description: 'Lists only projects whose `endDateUtc` is before this moment.',
    schema: { type: 'string', pattern: DATE.source, maxLength: DATE_CHARACTERS },
  },
  done: {
    description:
      'With `true`, lists only projects whose target languages all have the progress 100. With `false`, lists only projects with a target language below 100.',
    schema: { type: 'boolean' },
  },
  status: {
    description:
      'The status of a translation. The answer then has only the segments that have a translation of this status (in the language of `languageCode`, if given), and of them only those translations.',
    schema: { type: 'string', enum: TRANSLATION_STATUSES },
  },
  languageCode: {
    description:
      'The code of a target language of the project. The answer then has only the translations into this language. Case does not matter, and `_` counts as `-`.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.stringCharacters, pattern: VISIBLE },
  },
  segmentLimit: {
    description:
      'The maximum number of segments in a page. Without it, the answer is all segments, or 406 if they are too large for one answer.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: LIMITS.segmentsMax },
  },
  segmentCursor: {
    description:
      'Where the page starts: the value of `cursor` in the URL of the previous page’s `Link` header. Without `limit`, the answer is all remaining segments.',
    schema: { type: 'string', pattern: PAGE_CURSOR, maxLength: 70 },
  },
  active: {
    description: 'Says that only active domains are wanted. The answer is the same without it.',
    schema: { type: 'boolean', enum: [true] },
  },
  after: {
    description:
      'The id of the event after which the page starts. Without it, the page starts with the oldest event that Segue keeps.',
    schema: { type: 'string', pattern: EVENT_ID, maxLength: 64 },
  },
  eventLimit: {
    description: `The maximum number of events in a page. Without it, a page has at most ${LIMITS.eventsMax} events.`,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: LIMITS.eventsMax },
  },
};
