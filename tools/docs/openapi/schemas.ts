import * as z from 'zod/mini';
import { FaultAnswer, ProblemAnswer } from '../../../lib/contract/answers.ts';
import { DATE } from '../../../lib/contract/date.ts';
import { FAULT_CODES, type FaultCode, isFaultCode } from '../../../lib/contract/faults.ts';
import {
  ABSENT_IF_EMPTY,
  LanguageNote,
  ProjectRequest,
  Segment,
  TargetLanguage,
  TeamMember,
} from '../../../lib/contract/project.ts';
import * as fieldTexts from '../../../lib/contract/project-texts.data.ts';
import { TranslationEntry } from '../../../lib/contract/translations.ts';
import { DATE_CHARACTERS, HTTPS_URL, NOT_FOLDED, VISIBLE } from '../../../lib/operations/docs/patterns.ts';
import { docsOf, ROUTES } from '../../../lib/operations/routes.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

const SCHEMAS = '#/components/schemas/';

/** The schemas that have a name in the API description. Every other schema is written in full at each use. */
const NAMED: Readonly<Record<string, z.core.$ZodType>> = Object.assign(
  {},
  ...ROUTES.map(({ id }) => docsOf(id).schemas),
  { Problem: ProblemAnswer, Fault: FaultAnswer },
);

/** Returns the named schemas as JSON Schema. */
export function namedSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => SCHEMAS + id,
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(
        jsonSchema,
        textOf(zodSchema),
        integerFormat(jsonSchema),
        keywordsOf(zodSchema),
        mayBeEmpty(zodSchema, jsonSchema),
      );
    },
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]));
}

/** Returns the schema of an operation's body: a reference to a named schema, or a list of such references. */
export function schemaOf(schema: z.core.$ZodType): JsonSchema {
  if (schema instanceof z.ZodMiniArray) return { type: 'array', items: schemaOf(schema._zod.def.element) };
  const [name] = Object.entries(NAMED).find(([, named]) => named === schema) ?? [];
  if (name === undefined)
    throw new RangeError('A schema that needs a name in the API description is not among the schemas of an operation');
  return { $ref: SCHEMAS + name };
}

/** The texts about the fields of a request, by the schema of the field. The schemas do not have them: functions import those. */
const FIELD_TEXTS = new Map([
  ...textsOf(ProjectRequest, fieldTexts.PROJECT.request),
  ...textsOf(TargetLanguage, fieldTexts.TARGET_LANGUAGE.request),
  ...textsOf(TeamMember, fieldTexts.TEAM_MEMBER.request),
  ...textsOf(Segment, fieldTexts.SEGMENT.request),
  ...textsOf(LanguageNote, fieldTexts.LANGUAGE_NOTE.request),
]);

function textsOf({ shape }: z.ZodMiniObject, texts: Readonly<Record<string, string>>) {
  return Object.entries<z.core.$ZodType>(shape).map(([name, field]) => [field, texts[name]] as const);
}

/** Returns the description of a field of a project's request. */
export function textOf(field: z.core.$ZodType): JsonSchema {
  const description = FIELD_TEXTS.get(field);
  return description === undefined ? {} : { description };
}

/** The published part of a schema of an optional text. */
const OptionalText = z.looseObject({
  anyOf: z.tuple([z.looseObject({ type: z.literal('string'), pattern: z.string() })], z.unknown()),
});

/** Returns the fields of a project's schema, of which some may be empty. */
function mayBeEmpty(schema: z.core.$ZodType, { properties = {} }: z.core.JSONSchema.BaseSchema): JsonSchema {
  if (schema !== ProjectRequest) return {};
  const changed = ABSENT_IF_EMPTY.map((name) => {
    const { anyOf, ...field } = OptionalText.parse(properties[name]);
    const [{ pattern, minLength: _, ...text }, ...others] = anyOf;
    return [name, { ...field, anyOf: [{ ...text, pattern: `^$|${pattern}` }, ...others] }];
  });
  return { properties: { ...properties, ...Object.fromEntries(changed) } };
}

/** Returns the format of an integer, which generated clients in typed languages need. Ids exceed 32 bits. */
function integerFormat({ type, maximum }: JsonSchema): JsonSchema {
  if (type !== 'integer') return {};
  return { format: typeof maximum === 'number' && maximum < 2 ** 31 ? 'int32' : 'int64' };
}

/** Functions that return the JSON Schema keywords for a rule of the contract, by the fault code of the rule. */
const KEYWORDS: Readonly<Partial<Record<FaultCode, (detail: string) => JsonSchema>>> = {
  empty: () => ({ minLength: 1 }),
  blank: () => ({ minLength: 1, pattern: VISIBLE }),
  'reserved-name': () => ({ pattern: NOT_FOLDED }),
  'invalid-date': () => ({ format: 'date-time', pattern: DATE.source, maxLength: DATE_CHARACTERS }),
  'invalid-url': () => ({ pattern: HTTPS_URL }),
  'too-long': (detail) => {
    // A limit in bytes is also a limit in characters, because a character has at least one byte.
    const [, most] = /at most (\d+) (?:characters|bytes)/.exec(detail) ?? [];
    return most === undefined ? {} : { maxLength: Number(most) };
  },
};

/**
 * The rules that an object needs one of two fields, in words and as an extension. JSON Schema can express them by
 * `anyOf` and `oneOf` beside `properties`, but then generators of clients make two types of the object, or none.
 */
const BETWEEN_FIELDS: ReadonlyMap<z.core.$ZodType, JsonSchema> = new Map<z.core.$ZodType, JsonSchema>([
  [ProjectRequest, namedBy('sourceLanguageId', 'sourceLanguageCode')],
  [TargetLanguage, namedBy('targetLanguageId', 'targetLanguageCode')],
  [LanguageNote, namedBy('languageId', 'languageCode')],
  [TranslationEntry, eitherOf('segmentId', 'segmentCustomId')],
]);

function namedBy(id: string, code: string): JsonSchema {
  return {
    description: `Needs \`${id}\`, \`${code}\`, or both. \`null\` counts as absent.`,
    'x-any-of-required': [id, code],
  };
}

function eitherOf(one: string, other: string): JsonSchema {
  return {
    description: `Needs \`${one}\` or \`${other}\`, and not both. \`null\` counts as absent.`,
    'x-one-of-required': [one, other],
  };
}

const Rule = z.object({
  params: z.object({ fault: z.enum(Object.keys(FAULT_CODES).filter(isFaultCode)), detail: z.string() }),
});

/**
 * Returns the keywords that zod leaves out of a JSON Schema: those of Segue's own rules, and the limits of lists that
 * are parsed later.
 */
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
