import * as z from 'zod/mini';
import { id, required } from './fields.ts';
import { ANSWERED, answeredBy, type Parts } from './project-answer.ts';
import type { Field, Fields } from './project-fields.ts';
import * as tables from './project-fields.ts';
import type { AnswerTexts, OpenText } from './project-texts.data.ts';
import * as fieldTexts from './project-texts.data.ts';

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

export const PublishedTeamMember = published(tables.TEAM_MEMBER, fieldTexts.TEAM_MEMBER.answer);
export const PublishedTargetLanguage = published(tables.TARGET_LANGUAGE, fieldTexts.TARGET_LANGUAGE.answer, {
  team: PublishedTeamMember,
});
export const PublishedLanguageNote = published(tables.LANGUAGE_NOTE, fieldTexts.LANGUAGE_NOTE.answer);
export const PublishedSegment = published(tables.SEGMENT, fieldTexts.SEGMENT.answer, {
  languageSpecificNotes: PublishedLanguageNote,
});
export const PublishedProject = required(
  z.extend(
    published(tables.PROJECT, fieldTexts.PROJECT.answer, {
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

export const PublishedTranslation = published(tables.TRANSLATION, fieldTexts.TRANSLATION);
export const PublishedTranslatedSegment = published(tables.TRANSLATED_SEGMENT, fieldTexts.TRANSLATED_SEGMENT, {
  source: PublishedSegment,
  translations: PublishedTranslation,
});
export const PublishedLanguageProgress = published(tables.LANGUAGE_PROGRESS, fieldTexts.LANGUAGE_PROGRESS);
export const PublishedTaskProgress = published(tables.TASK_PROGRESS, fieldTexts.TASK_PROGRESS, {
  targetLanguages: PublishedLanguageProgress,
});
export const PublishedAssignee = published(tables.ASSIGNEE, fieldTexts.ASSIGNEE);
export const PublishedProgress = published(tables.PROGRESS, fieldTexts.PROGRESS, {
  tasks: PublishedTaskProgress,
  languages: PublishedLanguageProgress,
  assignees: PublishedAssignee,
});
