import * as z from 'zod/mini';
import {
  DeliveryAccepted,
  Description,
  FaultAnswer,
  HealthAnswer,
  LanguageAnswer,
  OperationAnswer,
  OperationStarted,
  ProblemAnswer,
  ProblemTypeAnswer,
  PublishedLanguageNote,
  PublishedProject,
  PublishedProjectHead,
  PublishedSegment,
  PublishedTargetLanguage,
  PublishedTeamMember,
  TokenAnswer,
  ValidAnswer,
} from '../../../lib/contract/answers.ts';
import { DATE } from '../../../lib/contract/date.ts';
import { FAULT_CODES, type FaultCode, isFaultCode } from '../../../lib/contract/faults.ts';
import { LANGUAGES } from '../../../lib/contract/languages.ts';
import { LanguageNote, ProjectRequest, Segment, TargetLanguage, TeamMember } from '../../../lib/contract/project.ts';
import { Receipt } from '../../../lib/contract/receipt.ts';
import { RefreshRequest, TokenRequest } from '../../../lib/contract/token.ts';
import { HTTPS_URL, NOT_FOLDED, VISIBLE } from './patterns.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schemas with a name in the description. All others are written where they are used. */
const NAMED = {
  ProjectRequest,
  TargetLanguageRequest: TargetLanguage,
  TeamMemberRequest: TeamMember,
  SegmentRequest: Segment,
  LanguageNoteRequest: LanguageNote,
  Project: PublishedProject,
  ProjectHead: PublishedProjectHead,
  TargetLanguage: PublishedTargetLanguage,
  TeamMember: PublishedTeamMember,
  Segment: PublishedSegment,
  LanguageNote: PublishedLanguageNote,
  ValidAnswer,
  Receipt,
  OperationStarted,
  Operation: OperationAnswer,
  Language: LanguageAnswer,
  TokenRequest,
  RefreshRequest,
  TokenAnswer,
  DeliveryAccepted,
  HealthAnswer,
  ProblemType: ProblemTypeAnswer,
  Description,
  Problem: ProblemAnswer,
  Fault: FaultAnswer,
} as const;

const SCHEMAS = '#/components/schemas/';

/** The named schemas as JSON Schema. */
export function namedSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => SCHEMAS + id,
    override: ({ zodSchema, jsonSchema }) => Object.assign(jsonSchema, keywordsOf(zodSchema)),
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]));
}

/** The schema of an operation's body: a reference to a named schema, or a list of one. */
export function schemaOf(schema: z.core.$ZodType): JsonSchema {
  if (schema instanceof z.ZodMiniArray) return { type: 'array', items: schemaOf(schema._zod.def.element) };
  const [name] = Object.entries(NAMED).find(([, named]) => named === schema) ?? [];
  if (name === undefined) throw new RangeError('A schema of the wire has no name in the description');
  return { $ref: SCHEMAS + name };
}

/** The JSON Schema keywords of a rule of the contract, by the code of its fault. */
const KEYWORDS: Readonly<Partial<Record<FaultCode, (detail: string) => JsonSchema>>> = {
  empty: () => ({ minLength: 1 }),
  blank: () => ({ minLength: 1, pattern: VISIBLE }),
  'reserved-name': () => ({ pattern: NOT_FOLDED }),
  'invalid-date': () => ({ format: 'date-time', pattern: DATE.source }),
  'invalid-url': () => ({ pattern: HTTPS_URL }),
  'too-long': (detail) => {
    // A character has at least one byte.
    const [, most] = /at most (\d+) (?:characters|bytes)/.exec(detail) ?? [];
    return most === undefined ? {} : { maxLength: Number(most) };
  },
};

const LARGEST_LANGUAGE_ID = Math.max(...LANGUAGES.map(({ id }) => id));

/** The id or the code must name the language. Null means absent. */
const namedBy = (id: string, code: string): JsonSchema => ({
  anyOf: [
    { required: [id], properties: { [id]: { type: 'integer', maximum: LARGEST_LANGUAGE_ID } } },
    { required: [code], properties: { [code]: { type: 'string' } } },
  ],
});

/** The rules between fields that JSON Schema can express. */
const BETWEEN_FIELDS: ReadonlyMap<z.core.$ZodType, JsonSchema> = new Map<z.core.$ZodType, JsonSchema>([
  [ProjectRequest, namedBy('sourceLanguageId', 'sourceLanguageCode')],
  [TargetLanguage, namedBy('targetLanguageId', 'targetLanguageCode')],
  [LanguageNote, namedBy('languageId', 'languageCode')],
]);

const Rule = z.object({
  params: z.object({ fault: z.enum(Object.keys(FAULT_CODES).filter(isFaultCode)), detail: z.string() }),
});

/** What a schema says that zod leaves out: rules with words of their own, and the length of a list that is read late. */
function keywordsOf(schema: z.core.$ZodType): JsonSchema {
  if (schema instanceof z.ZodMiniPipe) {
    const { $schema: _, items: __, ...list } = z.toJSONSchema(schema._zod.def.in);
    return list;
  }
  const rules = (schema._zod.def.checks ?? []).map(({ _zod: { def } }) => Rule.safeParse(def));
  return Object.assign(
    {},
    BETWEEN_FIELDS.get(schema),
    ...rules.map(({ data }) => data && KEYWORDS[data.params.fault]?.(data.params.detail)),
  );
}
