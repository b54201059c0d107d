import * as z from 'zod/mini';
import { WORK_ROLES } from './event.ts';
import { id } from './fields.ts';
import { STATES } from './language-states.ts';
import { looseObject } from './lazy-object.ts';
import * as tables from './project-fields.ts';
import { type Field, type Fields, type FieldType, hostedPresence } from './project-fields.ts';
import { AUTOMATIC_STATES, TRANSLATION_STATUSES } from './translation-status.ts';

/*
 * The schemas of this file describe the answers of the hosted service. Those of `published-project.ts` describe the
 * answers of any service.
 */

const text = z.string();

/** The schemas of the fields of an answer, by the type of the field. */
export const ANSWERED = {
  id: id(),
  text,
  visibleText: text,
  freeText: text,
  content: text,
  customId: text,
  languageCode: text,
  date: text,
  email: text,
  httpsUrl: text,
  flag: z.boolean(),
  integer: z.int(),
  number: z.number(),
  state: z.enum(STATES),
  automaticState: z.enum(AUTOMATIC_STATES),
  status: z.enum(TRANSLATION_STATUSES),
  role: z.enum(WORK_ROLES),
  list: z.array(z.unknown()),
  object: z.looseObject({}),
} satisfies Record<FieldType, z.core.$ZodType>;

/** The schemas of objects, and of the entries of lists, by the name of the field. */
export type Parts = Readonly<Record<string, z.core.$ZodType>>;

type Answered<F, N extends keyof F, P extends Parts> = N extends keyof P
  ? F[N] extends { readonly type: 'list' }
    ? z.ZodMiniArray<P[N]>
    : P[N]
  : F[N] extends { readonly type: infer T extends keyof typeof ANSWERED }
    ? (typeof ANSWERED)[T]
    : never;

type Presence<F> = F extends { readonly hosted: infer H }
  ? H
  : F extends { readonly by: 'service' } | { readonly required: true }
    ? 'always'
    : 'sometimes';

type Present<F, S extends z.core.SomeType> =
  Presence<F> extends 'nullable' ? z.ZodMiniNullable<S> : Presence<F> extends 'sometimes' ? z.ZodMiniOptional<S> : S;

type Shape<F, P extends Parts> = {
  [N in keyof F as Presence<F[N]> extends 'never' ? never : N]: Present<F[N], Answered<F, N, P>>;
};

/** Makes the schema of a field of an answer. @param part the schema of the object, or of each entry of the list */
export function answeredBy(
  { type }: Field,
  part: z.core.$ZodType | undefined,
  simple: Readonly<Record<FieldType, z.core.$ZodType>>,
): z.core.$ZodType {
  if (!part) return simple[type];
  return type === 'list' ? z.array(part) : part;
}

/** Makes the schema of an object in an answer of the hosted service. */
function hosted<F extends Fields, P extends Parts>(fields: F, parts: P): z.ZodMiniObject<Shape<F, P>, z.core.$loose>;
// Tells esbuild to leave out of a bundle the schemas that it does not use. @__NO_SIDE_EFFECTS__
function hosted(fields: Fields, parts: Parts) {
  return looseObject(() => {
    const shape: Record<string, z.core.$ZodType> = {};
    for (const [name, field] of Object.entries(fields)) {
      const schema = answeredBy(field, parts[name], ANSWERED);
      const presence = hostedPresence(field);
      if (presence === 'nullable') shape[name] = z.nullable(schema);
      else if (presence === 'sometimes') shape[name] = z.optional(schema);
      else if (presence === 'always') shape[name] = schema;
    }
    return shape;
  });
}

export const TeamMemberAnswer = hosted(tables.TEAM_MEMBER, {});
export const TargetLanguageAnswer = hosted(tables.TARGET_LANGUAGE, {
  automaticTranslation: hosted(tables.AUTOMATIC_TRANSLATION, {}),
  team: TeamMemberAnswer,
});
export const LanguageNoteAnswer = hosted(tables.LANGUAGE_NOTE, {});
export const SegmentAnswer = hosted(tables.SEGMENT, { languageSpecificNotes: LanguageNoteAnswer });
export const Project = hosted(tables.PROJECT, {
  targetLanguages: TargetLanguageAnswer,
  segments: SegmentAnswer,
});
/** A project without its segments, as a list contains it. */
export const ProjectHead = hosted(tables.PROJECT_HEAD, { targetLanguages: TargetLanguageAnswer });

const TranslationAnswer = hosted(tables.TRANSLATION, {});
export const TranslatedSegment = hosted(tables.TRANSLATED_SEGMENT, {
  source: SegmentAnswer,
  translations: TranslationAnswer,
});
export const LanguageProgress = hosted(tables.LANGUAGE_PROGRESS, {});
const TaskProgress = hosted(tables.TASK_PROGRESS, { targetLanguages: LanguageProgress });
export const Assignee = hosted(tables.ASSIGNEE, {});
export const ProgressAnswer = hosted(tables.PROGRESS, {
  tasks: TaskProgress,
  languages: LanguageProgress,
  assignees: Assignee,
});

export type TranslatedSegment = z.infer<typeof TranslatedSegment>;
export type LanguageProgress = z.infer<typeof LanguageProgress>;
export type Assignee = z.infer<typeof Assignee>;
export type ProgressAnswer = z.infer<typeof ProgressAnswer>;
export type TeamMemberAnswer = z.infer<typeof TeamMemberAnswer>;
export type TargetLanguageAnswer = z.infer<typeof TargetLanguageAnswer>;
export type LanguageNoteAnswer = z.infer<typeof LanguageNoteAnswer>;
export type SegmentAnswer = z.infer<typeof SegmentAnswer>;
export type ProjectHead = z.infer<typeof ProjectHead>;
export type Project = z.infer<typeof Project>;
