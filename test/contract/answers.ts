import * as z from 'zod/mini';
import { FAULT_CODES, type FaultCode } from '../../lib/contract/faults.ts';

/**
 * The response schemas of the service, as the documents describe them. They are strict: every added field must be
 * present, and a field that the documents do not name is a failure.
 */
const integer = z.int().check(z.positive());
const text = z.string();
const flag = z.boolean();
/** The format of a time: RFC 3339 in UTC, with milliseconds and `Z`. */
const moment = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));

const note = z.strictObject({ languageId: integer, languageCode: text, note: z.nullable(text) });

const segment = z.strictObject({
  id: integer,
  customId: z.optional(text),
  content: text,
  notes: z.optional(text),
  taskId: z.optional(text),
  languageSpecificNotes: z.optional(z.array(note)),
});

const member = z.strictObject({
  id: integer,
  name: text,
  username: text,
  phone: z.optional(text),
  isProjectManager: z.optional(flag),
  isTranslator: z.optional(flag),
  isProofreader: z.optional(flag),
  isInCountryReviewer: z.optional(flag),
  translationRate: z.nullable(z.number()),
  translationProductivity: z.nullable(z.number()),
  proofreadedBy: z.nullable(integer),
  proofreadingRate: z.nullable(z.number()),
  proofreadingProductivity: z.nullable(z.number()),
});

export const targetLanguage = z.strictObject({
  id: integer,
  targetLanguageId: integer,
  targetLanguageCode: z.optional(text),
  managedProject: z.optional(flag),
  serviceTranslation: z.optional(flag),
  serviceProofreading: z.optional(flag),
  serviceAutomaticTranslation: z.optional(flag),
  serviceAdaptiveTranslation: z.optional(flag),
  serviceScoring: z.optional(flag),
  styleGuideId: z.optional(integer),
  state: z.enum(['InProgress', 'InPreparation']),
  team: z.optional(z.array(member)),
  referenceNumber: z.optional(text),
  customField1: z.optional(text),
  customField2: z.optional(text),
  additionalInfo: z.optional(text),
  progress: z.number().check(z.minimum(0), z.maximum(100)),
  flag: z.nullable(z.unknown()),
  automaticTranslation: z.optional(
    z.strictObject({ state: z.enum(['queued', 'running', 'done', 'failed']), problem: z.nullable(text) }),
  ),
});

const head = {
  id: integer,
  customId: z.optional(text),
  taskId: z.optional(text),
  name: text,
  description: z.optional(text),
  startDateUtc: text,
  endDateUtc: text,
  creationDateUtc: moment,
  sourceLanguageId: integer,
  sourceLanguageCode: z.optional(text),
  domain: z.nullable(z.unknown()),
  domainId: z.optional(integer),
  eventUrl: z.optional(text),
  processId: z.optional(integer),
  referenceNumber: z.optional(text),
  customField1: z.optional(text),
  customField2: z.optional(text),
  targetLanguages: z.array(targetLanguage).check(z.minLength(1)),
};

export const projectAnswer = z.strictObject({ ...head, segments: z.array(segment) });
export type ProjectAnswer = z.infer<typeof projectAnswer>;

const translation = z.strictObject({
  id: z.nullable(integer),
  languageId: integer,
  languageCode: text,
  content: z.nullable(text),
  status: z.enum(['untranslated', 'draft', 'automatic', 'pretranslated', 'translated', 'proofread']),
  version: z.int().check(z.minimum(0)),
  problem: z.optional(text),
  lost: z.optional(text),
});

export const segmentsAnswer = z.array(z.strictObject({ source: segment, translations: z.array(translation) }));
export type SegmentsAnswer = z.infer<typeof segmentsAnswer>;

const percentage = z.int().check(z.minimum(0), z.maximum(100));
const languageProgress = z.strictObject({ languageId: integer, languageCode: text, progress: percentage });

export const progressAnswer = z.strictObject({
  total: percentage,
  tasks: z.array(z.strictObject({ taskId: text, total: percentage, targetLanguages: z.array(languageProgress) })),
  languages: z.array(languageProgress),
  assignees: z.optional(
    z.array(
      z.strictObject({
        taskId: z.nullable(text),
        languageCode: text,
        role: z.enum(['translator', 'proofreader', 'inCountryReviewer']),
        memberId: integer,
      }),
    ),
  ),
});
export type ProgressAnswer = z.infer<typeof progressAnswer>;

export const listAnswer = z.array(z.strictObject(head));
export type ListAnswer = z.infer<typeof listAnswer>;

const count = z.int().check(z.minimum(0));

export const validAnswer = z.strictObject({
  valid: z.literal(true),
  segments: count,
  targetLanguages: count,
  characters: count,
  quote: z.strictObject({
    words: count,
    characters: count,
    repeats: count,
    automaticTranslation: z.nullable(
      z.strictObject({
        engine: text,
        characters: count,
        cost: z.nullable(z.strictObject({ amount: z.number().check(z.minimum(0)), currency: text })),
      }),
    ),
  }),
});

export const receiptAnswer = z.strictObject({
  scope: z.enum(['project', 'task']),
  projectId: integer,
  customId: z.nullable(text),
  taskId: z.nullable(text),
  outcome: z.literal('deleted'),
  deletedAtUtc: moment,
  // Only AWS sends this field.
  unrecoverableAfterUtc: z.optional(moment),
  removed: z.strictObject({ targetLanguages: count, segments: count, tasks: count }),
  requestedBy: z.strictObject({ kind: z.enum(['key', 'source', 'workflow']), id: z.nullable(text) }),
});

export const deletionPlanAnswer = z.strictObject({
  scope: z.enum(['project', 'task']),
  projectId: integer,
  customId: z.nullable(text),
  taskId: z.nullable(text),
  removes: z.strictObject({ targetLanguages: count, segments: count, tasks: count }),
  plan: text,
});

export const languagesAnswer = z.array(
  z.strictObject({
    id: integer,
    langCode: text.check(z.minLength(1)),
    descriptiveName: text.check(z.minLength(1)),
  }),
);

export const tokenAnswer = z.strictObject({
  AccessToken: text.check(z.minLength(1)),
  RefreshToken: text.check(z.minLength(1)),
  expiresIn: integer,
});

export const oauthTokenAnswer = z.strictObject({
  access_token: text.check(z.minLength(1)),
  token_type: z.literal('Bearer'),
  expires_in: integer,
  scope: text.check(z.regex(/^[a-z]+( [a-z]+)*$/)),
});

/** An error in the form of RFC 6749, with the characters that it allows. */
export const oauthErrorAnswer = z.strictObject({
  error: z.enum([
    'invalid_request',
    'invalid_client',
    'invalid_scope',
    'unsupported_grant_type',
    'temporarily_unavailable',
    'server_error',
  ]),
  error_description: text.check(z.regex(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)),
  error_uri: z.url(),
});

const operationId = text.check(z.regex(/^[\w-]{43}$/));

const isFaultCode = (code: unknown): code is FaultCode => typeof code === 'string' && Object.hasOwn(FAULT_CODES, code);

const outcome = z.enum(['not-applied', 'applied', 'unknown']);

/** The JSON page of a problem type. */
export const problemTypeAnswer = z.strictObject({
  type: z.url(),
  title: text.check(z.minLength(1)),
  status: z.int().check(z.minimum(400), z.maximum(599)),
  retryable: flag,
  outcome,
  explanation: text.check(z.minLength(1)),
});

/** The schema of a problem: RFC 9457, with the members that the contract adds. */
export const problemAnswer = z.strictObject({
  type: z.url(),
  title: text.check(z.minLength(1)),
  status: z.int(),
  detail: text.check(z.minLength(1)),
  instance: text.check(z.minLength(1)),
  errors: z.optional(
    z
      .array(
        z.strictObject({
          pointer: text,
          code: z.custom<FaultCode>(isFaultCode),
          detail: text.check(z.minLength(1)),
          allowed: z.optional(z.array(z.union([text, z.number()]))),
          currentVersion: z.optional(z.int()),
        }),
      )
      .check(z.minLength(1), z.maxLength(100)),
  ),
  retryable: flag,
  retryAfterSeconds: z.optional(integer),
  deletedAtUtc: z.optional(moment),
  operationId: z.optional(operationId),
  outcome,
});
export type ProblemAnswer = z.infer<typeof problemAnswer>;

const operation = { operationId, status: z.enum(['running', 'done', 'failed']) };

/** The answer to a create with `Prefer: respond-async`. */
export const startedAnswer = z.strictObject(operation);

/** A translation, in the answer to a request that wrote it. */
const writtenTranslation = z.strictObject({
  id: integer,
  segmentId: integer,
  segmentCustomId: z.nullable(text),
  languageId: integer,
  languageCode: text,
  content: text,
  status: z.enum(['untranslated', 'draft', 'automatic', 'pretranslated', 'translated', 'proofread']),
  version: integer,
});

export const translationsAnswer = z.array(writtenTranslation);
export type TranslationsAnswer = z.infer<typeof translationsAnswer>;

/** The state of an operation. */
export const operationAnswer = z.strictObject({
  ...operation,
  project: z.optional(projectAnswer),
  receipt: z.optional(receiptAnswer),
  translations: z.optional(translationsAnswer),
  language: z.optional(targetLanguage),
  problem: z.optional(problemAnswer),
});
