import * as z from 'zod/mini';
import {
  content,
  customId,
  email,
  freeText,
  httpsUrl,
  id,
  instant,
  list,
  nonBlankText,
  text,
  type WithoutNulls,
} from './fields.ts';
import { STATES } from './language-states.ts';
import * as fieldExamples from './project-examples.data.ts';
import * as tables from './project-fields.ts';
import { type CallerNames, type CallerType, type Fields, namesWhere } from './project-fields.ts';

/** The rules for the fields of a request, by the type of the field. */
const RULES = {
  id,
  text,
  visibleText: nonBlankText,
  freeText,
  content,
  customId,
  languageCode: text,
  date: instant,
  email,
  httpsUrl,
  flag: () => z.boolean(),
  state: () => z.enum(STATES),
} satisfies Record<CallerType, () => z.core.$ZodType>;

/** The schemas of the entries of lists, by the name of the field. */
type Entries = Readonly<Record<string, z.core.$ZodType>>;

type Rule<F, N extends keyof F, E extends Entries> = N extends keyof E
  ? ReturnType<typeof list<E[N]>>
  : F[N] extends { readonly type: infer T extends keyof typeof RULES }
    ? ReturnType<(typeof RULES)[T]>
    : never;

type Shape<F, E extends Entries> = {
  [N in CallerNames<F>]: F[N] extends { readonly required: true }
    ? Rule<F, N, E>
    : z.ZodMiniOptional<z.ZodMiniNullable<Rule<F, N, E>>>;
};

const nullable = new Map<CallerType, z.core.$ZodType>();

/** Returns the schema of a field's value or `null`. All fields of one type share it, because a cold start makes all. */
function nullableOf(type: CallerType): z.core.$ZodType {
  const made = nullable.get(type) ?? z.nullable(RULES[type]());
  nullable.set(type, made);
  return made;
}

/**
 * Makes the schema of an object in a request. A client may leave out a field that is not required, or set it to `null`.
 * @param examples an example of each field, for the details of faults
 */
function requestOf<F extends Fields, E extends Entries>(
  fields: F,
  examples: Readonly<Record<CallerNames<F>, unknown>>,
  entries: E,
): z.ZodMiniObject<Shape<F, E>, z.core.$strict>;
// Tells esbuild to leave out of a bundle the schemas that it does not use. @__NO_SIDE_EFFECTS__
function requestOf(fields: Fields, examples: Readonly<Record<string, unknown>>, entries: Entries) {
  const shape: Record<string, z.core.$ZodType> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.by === 'service') continue;
    if (field.type === 'list') {
      const schema = list(entries[name] ?? z.unknown(), field);
      shape[name] = field.required ? schema : z.optional(z.nullable(schema));
    } else shape[name] = field.required ? RULES[field.type]() : z.optional(nullableOf(field.type));
    z.globalRegistry.add(shape[name], { examples: [examples[name]] });
  }
  return z.strictObject(shape);
}

/** The schema of a team member in a request. */
export const TeamMember = requestOf(tables.TEAM_MEMBER, fieldExamples.TEAM_MEMBER, {});

/** The schema of a target language in a request, with its team. */
export const TargetLanguage = requestOf(tables.TARGET_LANGUAGE, fieldExamples.TARGET_LANGUAGE, {
  team: TeamMember,
});

/** The schema of a segment's note for one language in a request. */
export const LanguageNote = requestOf(tables.LANGUAGE_NOTE, fieldExamples.LANGUAGE_NOTE, {});

/** The schema of a segment in a request: one piece of content to translate. */
export const Segment = requestOf(tables.SEGMENT, fieldExamples.SEGMENT, {
  languageSpecificNotes: LanguageNote,
});

/** The schema of the body of a request to create a project. */
export const ProjectRequest = requestOf(tables.PROJECT, fieldExamples.PROJECT, {
  targetLanguages: TargetLanguage,
  segments: Segment,
});

export type TeamMemberRequest = WithoutNulls<z.infer<typeof TeamMember>>;
export type TargetLanguageRequest = WithoutNulls<z.infer<typeof TargetLanguage>>;
export type LanguageNoteRequest = WithoutNulls<z.infer<typeof LanguageNote>>;
export type SegmentRequest = WithoutNulls<z.infer<typeof Segment>>;
export type ProjectRequest = WithoutNulls<z.infer<typeof ProjectRequest>>;

/** The fields of a project that count as absent if they are empty. */
export const ABSENT_IF_EMPTY = /* @__PURE__ */ namesWhere(
  tables.PROJECT,
  (field) => field.by !== 'service' && field.mayBeEmpty === true,
);

/** The mark of a project that `checkProject` has checked. It is a symbol, so that no JSON can contain it. */
export const CHECKED: unique symbol = Symbol('checked');
/** The project of a request, after `checkProject` has checked every rule that needs only the request. */
export type CheckedProject = ProjectRequest & { readonly [CHECKED]: true };
