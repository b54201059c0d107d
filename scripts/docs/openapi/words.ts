import { LIMITS } from '../../../lib/contract/limits.ts';
import { RETENTIONS } from '../../../lib/contract/retentions.ts';
import type { OperationId } from '../../../lib/contract/routes.ts';
import { CURSOR, IDEMPOTENCY_KEY, NOT_FOLDED, VISIBLE } from './patterns.ts';

/** A header of an answer. */
export type HeaderName = keyof typeof HEADERS;

/** What the headers of answers tell. */
export const HEADERS = {
  'X-Request-Id': 'The request’s id, by which the operator finds it in the log.',
  Location: 'Where what was made is, or the operation to ask.',
  Link: 'With `limit`, while more remain: `<…>; rel="next"` with the URL of the next page.',
  'Retry-After': 'After how many seconds to ask again.',
  'Idempotent-Replayed': '`true` where an earlier request with the key was answered, and this one did nothing.',
  'Preference-Applied': 'Which preference of `Prefer` was kept.',
} as const;

/** What a success tells, beside its body. */
interface Success {
  readonly description: string;
  readonly headers?: readonly HeaderName[];
}

const AGAIN = ['Idempotent-Replayed', 'Preference-Applied'] as const satisfies readonly HeaderName[];
const DELETED: Readonly<Record<number, Success>> = {
  204: { description: 'It is deleted.', headers: ['Idempotent-Replayed'] },
  200: {
    description:
      'The receipt: because `Prefer: return=representation` asked for it, or because another service behind Segue archived what was to be deleted.',
    headers: AGAIN,
  },
  202: {
    description: 'Another service behind Segue has accepted the deletion and not carried it out yet.',
    headers: ['Location', 'Retry-After', ...AGAIN],
  },
};
const PROJECT: Readonly<Record<number, Success>> = { 200: { description: 'The project.' } };
const TOKENS: Readonly<Record<number, Success>> = { 200: { description: 'A pair of tokens.' } };

/** What each success means. */
export const SUCCESSES: Readonly<Record<OperationId, Readonly<Record<number, Success>>>> = {
  createProject: {
    201: { description: 'The project is created.', headers: ['Location', 'Idempotent-Replayed'] },
    200: { description: 'With `validateOnly=true`: the project keeps every rule, and nothing was created.' },
    202: {
      description:
        'The operation to ask: because `Prefer: respond-async` asked for it, or because the creation outlasts the time there is.',
      headers: ['Location', 'Retry-After', ...AGAIN],
    },
  },
  listProjects: {
    200: {
      description: 'All projects, or with `limit` a page of them, newest first.',
      headers: ['Link'],
    },
  },
  getProject: PROJECT,
  getProjectByCustomId: PROJECT,
  deleteProject: DELETED,
  deleteProjectByCustomId: DELETED,
  getOperation: { 200: { description: 'What became of it.', headers: ['Retry-After'] } },
  listLanguages: { 200: { description: 'Every language.' } },
  obtainToken: TOKENS,
  refreshToken: { 200: { description: 'The next pair of tokens.', headers: ['Idempotent-Replayed'] } },
  receiveWebhook: { 202: { description: 'The message is kept, and will be worked on.' } },
  health: { 200: { description: 'The API answers.' } },
  getProblemType: { 200: { description: 'What is told about the problem.' } },
  getDescription: { 200: { description: 'This description.' } },
  getReference: { 200: { description: 'The page.' } },
};

/** Where an answer leads: the operation, and its parameters out of the answer. */
interface Link {
  readonly operationId: OperationId;
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const BY_ID = { id: '$response.body#/id' } as const;
const BY_CUSTOM_ID = { customId: '$response.body#/customId' } as const;
const TO_OPERATION: Readonly<Record<string, Link>> = {
  getOperation: {
    operationId: 'getOperation',
    description: 'Tells what became of the request.',
    parameters: { operationId: '$response.body#/operationId' },
  },
};

/** The links of answers, by operation and status. */
export const LINKS: Readonly<Partial<Record<OperationId, Readonly<Record<number, Readonly<Record<string, Link>>>>>>> = {
  createProject: {
    201: {
      getProject: { operationId: 'getProject', description: 'Gets the created project.', parameters: BY_ID },
      deleteProject: { operationId: 'deleteProject', description: 'Deletes the created project.', parameters: BY_ID },
      getProjectByCustomId: {
        operationId: 'getProjectByCustomId',
        description: 'Gets the created project, if the request gave it a custom id.',
        parameters: BY_CUSTOM_ID,
      },
      deleteProjectByCustomId: {
        operationId: 'deleteProjectByCustomId',
        description: 'Deletes the created project, if the request gave it a custom id.',
        parameters: BY_CUSTOM_ID,
      },
    },
    202: TO_OPERATION,
    504: TO_OPERATION,
  },
  deleteProject: { 202: TO_OPERATION, 504: TO_OPERATION },
  deleteProjectByCustomId: { 202: TO_OPERATION, 504: TO_OPERATION },
};

/** What a parameter of a path is. */
export const PATH_PARAMETERS: Readonly<Record<string, { readonly description: string; readonly schema: object }>> = {
  id: {
    description: 'The project’s id.',
    schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  },
  customId: {
    description: 'The project’s custom id, percent-encoded once: `a/b` is `a%2Fb`.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.customIdCharacters, pattern: NOT_FOLDED },
  },
  operationId: {
    description: 'The operation’s id, as `Location` has it.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
  },
  source: {
    description: 'The name of the source, as the operator of Segue has given it.',
    schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$' },
  },
  type: { description: 'The problem’s name.', schema: { type: 'string' } },
};

/** The types of query parameters; what they mean and take stands in `PARAMETERS`. */
export const QUERY_SCHEMAS = {
  taskId: { type: 'string', minLength: 1, maxLength: LIMITS.stringCharacters, pattern: VISIBLE },
  validateOnly: { type: 'boolean' },
  limit: { type: 'integer', minimum: 1, maximum: LIMITS.listMax },
  cursor: { type: 'string', pattern: CURSOR },
} as const;

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: `The request happens once, however often it is sent with this key; kept for ${RETENTIONS.idempotencyKey.days} days. 1 to 255 visible characters of ASCII, bare or quoted.`,
  schema: { type: 'string', minLength: 1, pattern: IDEMPOTENCY_KEY },
  example: '3f1c9f0e-order-4711',
} as const;
const prefer = (preference: string, description: string) =>
  ({ name: 'Prefer', in: 'header', description, schema: { type: 'string' }, example: preference }) as const;
const RECEIPT = prefer('return=representation', 'Asks for the receipt.');

/** The headers that an operation looks at, beside those that every operation does. */
export const REQUEST_HEADERS: Readonly<Partial<Record<OperationId, readonly object[]>>> = {
  createProject: [KEY, prefer('respond-async', 'Asks for the operation in place of the project.')],
  deleteProject: [KEY, RECEIPT],
  deleteProjectByCustomId: [KEY, RECEIPT],
  refreshToken: [KEY],
};

export const INTRODUCTION = `Segue is the front door to a multilingual project service: it takes translation projects, checks them completely, and deletes
them again. Names and values of a query are exact, and a parameter that is unknown, repeated, empty or ill-formed is refused.
Every failure is a problem (RFC 9457) whose \`type\` is the URL of a page. Rules between fields, which a schema cannot say, are
told as faults, all at once. HEAD is answered wherever GET is, with the same headers and no body; it is left out here.`;
