import * as z from 'zod/mini';
import {
  DeliveryAccepted,
  Description,
  EventSecretAnswer,
  HealthAnswer,
  LanguageAnswer,
  OAuthTokenAnswer,
  OperationAnswer,
  OperationStarted,
  ProblemTypeAnswer,
  PublishedProgress,
  PublishedProject,
  PublishedProjectHead,
  PublishedTargetLanguage,
  PublishedTranslatedSegment,
  TokenAnswer,
  ValidAnswer,
} from '../../../lib/contract/answers.ts';
import { DeletionPlan } from '../../../lib/contract/deletion-plan.ts';
import { PublishedEvent } from '../../../lib/contract/event.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { ProjectRequest } from '../../../lib/contract/project.ts';
import { Receipt } from '../../../lib/contract/receipt.ts';
import { RETENTIONS } from '../../../lib/contract/retentions.ts';
import { GRANT_TYPE, OAuthTokenRequest, RefreshRequest, TokenRequest } from '../../../lib/contract/token.ts';
import { LanguageChange, TranslationsRequest, WrittenTranslation } from '../../../lib/contract/translations.ts';
import type { OperationId } from '../../../lib/operations/routes.ts';
import * as example from './examples.ts';
import { IDEMPOTENCY_KEY } from './patterns.ts';
import type { Tag } from './tags.ts';

/** The descriptions of response headers. */
export const HEADERS = {
  'X-Request-Id': 'The id of the request. The operator finds the request in the log by it.',
  Location: 'The URL of the created project, or of the operation.',
  Link: 'If there is more after a page: `<…>; rel="next"` with the URL of the next page.',
  'Retry-After': 'How many seconds to wait before the next request.',
  RateLimit:
    'No request is left (`r=0`); the next is allowed in `t` seconds. See draft-ietf-httpapi-ratelimit-headers-10.',
  'Idempotent-Replayed':
    '`true` if this is the result of an earlier request with the same key. This request did nothing.',
  'Preference-Applied': 'The preferences of `Prefer` that were applied.',
} as const;

export type HeaderName = keyof typeof HEADERS;

/** A link from an answer to another operation. It says where in the answer the other operation's parameters are. */
interface Link {
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A successful answer of an operation. */
export interface Answer {
  readonly description: string;
  /** The schema of the answer's JSON. `null` for an answer without JSON. */
  readonly schema: z.core.$ZodType | null;
  /** What a request must have to get this answer. */
  readonly condition?: string;
  readonly example?: unknown;
  readonly headers?: readonly HeaderName[];
  readonly links?: Readonly<Partial<Record<OperationId, Link>>>;
}

/** The parts of an operation's description that are not in its route. */
export interface OperationDescription {
  readonly tag: Tag;
  /** What a caller has to know before the first request, in one to four sentences. */
  readonly description: string;
  readonly request?: { readonly schema: z.core.$ZodType; readonly example: unknown };
  /** The request headers that only this operation has. */
  readonly headers?: readonly object[];
  /** The successful answers, by status. */
  readonly answers: Readonly<Record<number, Answer>>;
}

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: `A request that is repeated with its key takes effect only once. The repetition returns the result as it stands now, such as the project in its current state. A key is kept for ${RETENTIONS.idempotencyKey.days} days. It has 1 to 255 visible ASCII characters, bare or quoted.`,
  schema: { type: 'string', minLength: 1, maxLength: 512, pattern: IDEMPOTENCY_KEY },
  example: '3f1c9f0e-order-4711',
};

const prefer = (preference: string, description: string) => ({
  name: 'Prefer',
  in: 'header',
  description,
  schema: { type: 'string' },
  example: preference,
});

const PLAN = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `plan` of the deletion, in quotation marks. The deletion then removes only what the plan shows. If that has changed, the answer is 412 `plan-outdated`, and nothing is deleted.',
  schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$', maxLength: 256 },
  example: `"${example.deletionPlan.plan}"`,
};

const BY_ID = { id: '$response.body#/id' };
const BY_CUSTOM_ID = { customId: '$response.body#/customId' };
const REPLAYED = ['Idempotent-Replayed', 'Preference-Applied'] as const;
const RUNNING = ['Location', 'Retry-After', ...REPLAYED] as const;

/** The link from an answer with an operation id to the operation. */
const TO_OPERATION: Answer['links'] = {
  getOperation: {
    description: 'Gets the state of the operation.',
    parameters: { operationId: '$response.body#/operationId' },
  },
};

const getProject: OperationDescription = {
  tag: 'Projects',
  description:
    'Returns the project with all of its segments. With `taskId`, it returns only the segments of that task.',
  answers: { 200: { description: 'The project.', schema: PublishedProject, example: example.project } },
};

const getSegments: OperationDescription = {
  tag: 'Results',
  description:
    'Returns each segment with its translations, in the order of the project. Use `status` and `languageCode` to select translations. For large projects, set `limit` and follow the `Link` header.',
  answers: {
    200: {
      description:
        'The segments in the order of the project, each with its translations. With `limit`: one page of them.',
      schema: z.array(PublishedTranslatedSegment),
      example: [example.translatedSegment],
      headers: ['Link'],
    },
  },
};

const getProgress: OperationDescription = {
  tag: 'Results',
  description:
    'Returns the progress of each task and target language. A target language is finished when its progress is 100.',
  answers: {
    200: {
      description: 'The progress of the project. With `taskId`: of that task.',
      schema: PublishedProgress,
      example: example.progress,
    },
  },
};

const planDeletion: OperationDescription = {
  tag: 'Projects',
  description:
    'Shows what a deletion would remove, and deletes nothing. To delete exactly that, send the `plan` of the answer in the `If-Match` header of the deletion.',
  answers: {
    200: {
      description: 'What the deletion would remove now. Nothing is deleted.',
      schema: DeletionPlan,
      example: example.deletionPlan,
    },
  },
};

const deleteProject: OperationDescription = {
  tag: 'Projects',
  description:
    'Deletes the project for good. With `taskId`, it deletes only that task. To get a receipt, send `Prefer: return=representation`. To retry safely, send an `Idempotency-Key`.',
  headers: [KEY, prefer('return=representation', 'With `return=representation`, the answer has the receipt.'), PLAN],
  answers: {
    204: { description: 'The project or task has been deleted.', schema: null, headers: ['Idempotent-Replayed'] },
    200: {
      description:
        'The receipt. The request asked for it with `Prefer: return=representation`, or the service behind Segue archived the project.',
      schema: Receipt,
      condition: 'with `Prefer: return=representation`',
      example: example.receipt,
      headers: REPLAYED,
    },
    202: {
      description: 'The service behind Segue has accepted the deletion, and has not finished it.',
      schema: Receipt,
      example: example.pendingReceipt,
      headers: RUNNING,
      links: TO_OPERATION,
    },
  },
};

const writeTranslations: OperationDescription = {
  tag: 'Translations',
  description: `Writes up to ${LIMITS.translations.toLocaleString('en')} translations. If one entry is invalid, Segue writes none of them. To avoid overwriting the work of others, give each entry an \`ifVersion\`. Only the hosted service supports this operation.`,
  request: { schema: TranslationsRequest, example: [example.entry] },
  headers: [KEY],
  answers: {
    200: {
      description: 'The translations as they now stand, in the order of the entries.',
      schema: z.array(WrittenTranslation),
      example: [example.translation],
      headers: ['Idempotent-Replayed'],
    },
  },
};

const changeLanguage: OperationDescription = {
  tag: 'Translations',
  description:
    'Sets the state of a target language. `InProgress` starts the work, and tries a failed automatic translation again. `InPreparation` stops the work. Only the hosted service supports this operation.',
  request: { schema: LanguageChange, example: { state: 'InProgress' } },
  headers: [KEY],
  answers: {
    200: {
      description: 'The target language.',
      schema: PublishedTargetLanguage,
      example: example.language,
      headers: ['Idempotent-Replayed'],
    },
  },
};

/** The requests and answers of every operation. */
export const OPERATIONS: Readonly<Record<OperationId, OperationDescription>> = {
  createProject: {
    tag: 'Projects',
    description:
      'Creates a project and starts the work on it. To check a project without creating it, set `validateOnly=true`. If the project is invalid, the answer lists every fault. To retry safely, send an `Idempotency-Key`, or give the project a `customId`.',
    request: { schema: ProjectRequest, example: example.request },
    headers: [
      KEY,
      prefer(
        'respond-async',
        'With `respond-async`, the answer has the operation in place of the project. With `handling=strict`, the hosted service refuses a project if the engine cannot translate one of its languages automatically.',
      ),
    ],
    answers: {
      201: {
        description: 'The project has been created.',
        schema: PublishedProject,
        example: example.project,
        headers: ['Location', ...REPLAYED],
        links: {
          getProject: { description: 'Gets the created project.', parameters: BY_ID },
          deleteProject: { description: 'Deletes the created project.', parameters: BY_ID },
          getProjectByCustomId: {
            description: 'Gets the created project, if the request gave it a custom id.',
            parameters: BY_CUSTOM_ID,
          },
          deleteProjectByCustomId: {
            description: 'Deletes the created project, if the request gave it a custom id.',
            parameters: BY_CUSTOM_ID,
          },
        },
      },
      200: {
        description: 'With `validateOnly=true`: the project is valid. Nothing was created.',
        schema: ValidAnswer,
        condition: 'with `validateOnly=true`',
        example: example.valid,
        headers: ['Preference-Applied'],
      },
      202: {
        description:
          'The operation. The request asked for it with `Prefer: respond-async`, or the creation takes longer than a request may.',
        schema: OperationStarted,
        condition: 'with `Prefer: respond-async`',
        example: example.started,
        headers: RUNNING,
        links: TO_OPERATION,
      },
    },
  },
  listProjects: {
    tag: 'Projects',
    description:
      'Returns the projects of the company without their segments, newest first. If you set several filters, a project must match all of them. With `limit`, follow the `Link` header to the next page.',
    answers: {
      200: {
        description: 'All projects, newest first. With `limit`: one page of the projects.',
        schema: z.array(PublishedProjectHead),
        example: [example.head],
        headers: ['Link'],
      },
    },
  },
  getProject,
  getProjectByCustomId: getProject,
  getSegments,
  getSegmentsByCustomId: getSegments,
  getProgress,
  getProgressByCustomId: getProgress,
  planDeletion,
  planDeletionByCustomId: planDeletion,
  deleteProject,
  deleteProjectByCustomId: deleteProject,
  writeTranslations,
  writeTranslationsByCustomId: writeTranslations,
  changeLanguage,
  changeLanguageByCustomId: changeLanguage,
  getOperation: {
    tag: 'Operations',
    description:
      'Returns the state of a request that runs in the background, or whose outcome was unknown. The id is in the answer of that request.',
    answers: {
      200: {
        description: 'The state of the operation, and its result.',
        schema: OperationAnswer,
        example: { ...example.started, project: example.project },
        headers: ['Retry-After'],
      },
    },
  },
  createEventSecret: {
    tag: 'Events',
    description:
      'Creates the next secret that signs the events of the company, and shows it once. The previous secret stays valid, so that receivers can change over without a gap.',
    answers: {
      201: {
        description: 'The new secret. The company’s previous secret stays live, and an older one ends.',
        schema: EventSecretAnswer,
        example: { secret: 'whsec_…', liveSecrets: 2 },
      },
    },
  },
  listEvents: {
    tag: 'Events',
    description:
      'Returns the events of the company of the last 30 days, oldest first. To continue, set `after` to the id of the last event that you processed.',
    answers: {
      200: {
        description: 'Events that follow each other without gaps, oldest first. An empty list if there are no more.',
        schema: z.array(PublishedEvent),
        example: [example.event],
        headers: ['Link'],
      },
    },
  },
  listLanguages: {
    tag: 'Languages',
    description: 'Returns every language that a project can use, with its id and code.',
    answers: {
      200: { description: 'Every language.', schema: z.array(LanguageAnswer), example: example.languages },
    },
  },
  obtainToken: {
    tag: 'Authentication',
    description:
      'Send the company id and the API key in the body, or send no body and use Basic authentication. The access token is valid for 30 minutes.',
    request: { schema: TokenRequest, example: { username: '<COMPANY_ID>', password: '<API_KEY>' } },
    answers: { 200: { description: 'A pair of tokens.', schema: TokenAnswer, example: example.tokens } },
  },
  refreshToken: {
    tag: 'Authentication',
    description:
      'Exchanges a refresh token for the next pair of tokens. A refresh token works once, within 24 hours. A second use ends every token of the same sign-in. To retry after a lost answer, send the same `Idempotency-Key`.',
    request: { schema: RefreshRequest, example: { token: '<REFRESH_TOKEN>' } },
    headers: [KEY],
    answers: {
      200: {
        description: 'The next pair of tokens.',
        schema: TokenAnswer,
        example: example.tokens,
        headers: ['Idempotent-Replayed'],
      },
    },
  },
  obtainOAuthToken: {
    tag: 'Authentication',
    description:
      'The client credentials grant of OAuth 2.0 (RFC 6749). The company id is the client id, and the API key is the client secret: send them with Basic authentication or in the form. There is no refresh token. Answers and errors have the form of RFC 6749. Errors of the gateway, such as 405, are problems.',
    request: { schema: OAuthTokenRequest, example: { grant_type: GRANT_TYPE, scope: 'create read' } },
    answers: { 200: { description: 'An access token.', schema: OAuthTokenAnswer, example: example.oauthToken } },
  },
  receiveWebhook: {
    tag: 'Webhook sources',
    description:
      'Accepts a signed message of a webhook source and stores it. Segue processes the message later, and creates or deletes a project. The signature replaces other credentials.',
    answers: {
      202: {
        description: 'The message is stored and will be processed.',
        schema: DeliveryAccepted,
        example: example.deliveryAccepted,
      },
    },
  },
  health: {
    tag: 'About the API',
    description: 'Answers as long as the API can be reached. It does not check the services behind the API.',
    answers: { 200: { description: 'The API answers.', schema: HealthAnswer, example: { status: 'ok' } } },
  },
  listProblemTypes: {
    tag: 'About the API',
    description: 'Returns an HTML page with links to the pages of all problem types.',
    answers: { 200: { description: 'The page.', schema: null } },
  },
  getProblemType: {
    tag: 'About the API',
    description: 'Returns the page that the `type` of a problem links to: as HTML, or as JSON if `Accept` prefers it.',
    answers: {
      200: {
        description: 'The explanation of the problem type.',
        schema: ProblemTypeAnswer,
        condition: 'as JSON',
        example: example.problemType,
      },
    },
  },
  getDescription: {
    tag: 'About the API',
    description: 'Returns this description, with the base URL of the request as its server.',
    answers: { 200: { description: 'This description.', schema: Description } },
  },
  getReference: {
    tag: 'About the API',
    description:
      'Returns an HTML page that shows this description in a browser, with samples, search and a client to try requests.',
    answers: { 200: { description: 'The page.', schema: null } },
  },
  getReferenceFile: {
    tag: 'About the API',
    description: 'Returns the script of the reference page. Its name changes with its content, so caches may keep it.',
    answers: { 200: { description: 'The script.', schema: null } },
  },
  getSecurityText: {
    tag: 'About the API',
    description:
      'Returns the file of RFC 9116 that says where to report a vulnerability of this API. Without a contact of the operator, the answer is 404.',
    answers: { 200: { description: 'The contact of the operator.', schema: null } },
  },
};
