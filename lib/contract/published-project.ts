import * as z from 'zod/mini';
import { id, required } from './fields.ts';
import { ANSWERED, answeredBy, type Parts } from './project-answer.ts';
import {
  ASSIGNEE,
  type Field,
  type Fields,
  LANGUAGE_NOTE,
  LANGUAGE_PROGRESS,
  PROGRESS,
  PROJECT,
  SEGMENT,
  TARGET_LANGUAGE,
  TASK_PROGRESS,
  TEAM_MEMBER,
  TRANSLATED_SEGMENT,
  TRANSLATION,
} from './project-fields.ts';
import {
  type AnswerTexts,
  ASSIGNEE_TEXTS,
  LANGUAGE_NOTE_TEXTS,
  LANGUAGE_PROGRESS_TEXTS,
  type OpenText,
  PROGRESS_TEXTS,
  PROJECT_TEXTS,
  SEGMENT_TEXTS,
  TARGET_LANGUAGE_TEXTS,
  TASK_PROGRESS_TEXTS,
  TEAM_MEMBER_TEXTS,
  TRANSLATED_SEGMENT_TEXTS,
  TRANSLATION_TEXTS,
} from './project-texts.data.ts';

/*
 * The schemas of this file describe the answers of the hosted service and of any upstream service. Only the API
 * description has them: Segue passes on the answers of an upstream service as they are.
 */

/** Makes the schema of an object in an answer of any service. */
function published<F extends Fields>(fields: F, answer: AnswerTexts<F>, parts: Parts = {}) {
  const texts: Readonly<Record<string, string | OpenText | undefined>> = answer;
  const shape = Object.entries(fields).map(([name, field]) => {
    const text = texts[name];
    const isOpen = typeof text === 'object';
    const part = parts[name];
    const schema = isOpen
      ? z.optional(part ? z.union([answeredBy(field, part, PUBLISHED), z.unknown()]) : z.unknown())
      : z.optional(z.nullable(answeredBy(field, part, PUBLISHED)));
    if (text !== undefined) z.globalRegistry.add(schema, { description: isOpen ? openText(text, field) : text });
    return [name, schema] as const;
  });
  return z.looseObject(Object.fromEntries(shape));
}

/** The schemas of fields by their types. An upstream service may have other ids than positive ones. */
const PUBLISHED = { ...ANSWERED, id: z.int() };

function openText(text: OpenText, { type }: Field): string {
  if ('only' in text) return text.only;
  const options = type === 'state' || type === 'status' || type === 'role' ? ANSWERED[type].options : [];
  const hosted = text.hosted ?? options.join(', ').replace(/, (?=\w+$)/, ' or ');
  return `${text.name}. Type and values depend on the service. The hosted service returns ${hosted}.`;
}

export const PublishedTeamMember = published(TEAM_MEMBER, TEAM_MEMBER_TEXTS.answer);
export const PublishedTargetLanguage = published(TARGET_LANGUAGE, TARGET_LANGUAGE_TEXTS.answer, {
  team: PublishedTeamMember,
});
export const PublishedLanguageNote = published(LANGUAGE_NOTE, LANGUAGE_NOTE_TEXTS.answer);
export const PublishedSegment = published(SEGMENT, SEGMENT_TEXTS.answer, {
  languageSpecificNotes: PublishedLanguageNote,
});
export const PublishedProject = required(
  z.extend(
    published(PROJECT, PROJECT_TEXTS.answer, {
      targetLanguages: PublishedTargetLanguage,
      segments: PublishedSegment,
    }),
    {
      id: required(id(), 'Generated project identifier; the caller keeps it for later calls.'),
      customId: z.optional(z.string()),
    },
  ),
  'With an upstream service, only `id` and `customId` come from Segue’s own records. Segue passes on every other field as the upstream service sends it.',
);
/** A project without its segments, as a list contains it. */
export const PublishedProjectHead = z.omit(PublishedProject, { segments: true });

export const PublishedTranslation = published(TRANSLATION, TRANSLATION_TEXTS);
export const PublishedTranslatedSegment = published(TRANSLATED_SEGMENT, TRANSLATED_SEGMENT_TEXTS, {
  source: PublishedSegment,
  translations: PublishedTranslation,
});
export const PublishedLanguageProgress = published(LANGUAGE_PROGRESS, LANGUAGE_PROGRESS_TEXTS);
export const PublishedTaskProgress = published(TASK_PROGRESS, TASK_PROGRESS_TEXTS, {
  targetLanguages: PublishedLanguageProgress,
});
export const PublishedAssignee = published(ASSIGNEE, ASSIGNEE_TEXTS);
export const PublishedProgress = published(PROGRESS, PROGRESS_TEXTS, {
  tasks: PublishedTaskProgress,
  languages: PublishedLanguageProgress,
  assignees: PublishedAssignee,
});
