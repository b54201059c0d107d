import * as z from 'zod/mini';
import { Description } from '../../../lib/contract/description.ts';
import { FAULT_CODES, type FaultCode, isFaultCode } from '../../../lib/contract/fault.ts';
import { OperationAnswer, OperationStarted } from '../../../lib/contract/operation.ts';
import { FaultAnswer, ProblemAnswer } from '../../../lib/contract/problem-answer.ts';
import { LanguageNote, ProjectRequest, Segment, TargetLanguage, TeamMember } from '../../../lib/contract/project.ts';
import {
  PublishedLanguageNote,
  PublishedProject,
  PublishedProjectHead,
  PublishedSegment,
  PublishedTargetLanguage,
  PublishedTeamMember,
} from '../../../lib/contract/published-answer.ts';
import { Receipt } from '../../../lib/contract/receipt.ts';
import {
  DeliveryAccepted,
  HealthAnswer,
  LanguageAnswer,
  ProblemTypeAnswer,
  TokenAnswer,
  ValidAnswer,
} from '../../../lib/contract/small-answers.ts';
import { RefreshRequest, TokenRequest } from '../../../lib/contract/token.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Every schema that has a name in the description; a schema without one stands where it is used. */
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

/** The schema as it stands in an operation: by its name, or a list of what has one. */
export function schemaOf(schema: z.core.$ZodType): JsonSchema {
  if (schema instanceof z.ZodMiniArray) return { type: 'array', items: schemaOf(schema._zod.def.element) };
  const [name] = Object.entries(NAMED).find(([, named]) => named === schema) ?? [];
  if (name === undefined) throw new RangeError('A schema of the wire has no name in the description');
  return { $ref: SCHEMAS + name };
}

/** What JSON Schema can say of a rule of the contract, by the code and the text of its fault. */
const KEYWORDS: Readonly<Partial<Record<FaultCode, (detail: string) => JsonSchema>>> = {
  empty: () => ({ minLength: 1 }),
  'invalid-date': () => ({ format: 'date-time' }),
  'invalid-url': () => ({ format: 'uri' }),
  'too-long': (detail) => {
    const [, most] = /at most (\d+) characters/.exec(detail) ?? [];
    return most === undefined ? {} : { maxLength: Number(most) };
  },
};

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
  return Object.assign({}, ...rules.map(({ data }) => data && KEYWORDS[data.params.fault]?.(data.params.detail)));
}
