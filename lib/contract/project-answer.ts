import * as z from 'zod/mini';
import { WORK_ROLES } from './event.ts';
import { id } from './fields.ts';
import { STATES } from './language-states.ts';
import { AUTOMATIC_STATES, TRANSLATION_STATUSES } from './translation-status.ts';

/** A text that the request may leave out. If the request does, the answer leaves it out too. */
const echoedText = z.optional(z.string());
const echoedFlag = z.optional(z.boolean());

/*
 * The schemas of this file describe the answers of the hosted service. The `Published…` schemas of `answers.ts`
 * describe the answers of any service.
 */

/** A team member, in an answer of the hosted service. */
export const TeamMemberAnswer = z.looseObject({
  id: id(),
  name: z.string(),
  username: z.string(),
  phone: echoedText,
  isProjectManager: echoedFlag,
  isTranslator: echoedFlag,
  isProofreader: echoedFlag,
  isInCountryReviewer: echoedFlag,
  translationRate: z.nullable(z.number()),
  translationProductivity: z.nullable(z.number()),
  proofreadedBy: z.nullable(id()),
  proofreadingRate: z.nullable(z.number()),
  proofreadingProductivity: z.nullable(z.number()),
});

/** A target language, in an answer of the hosted service. */
export const TargetLanguageAnswer = z.looseObject({
  id: id(),
  targetLanguageId: z.int(),
  targetLanguageCode: echoedText,
  managedProject: echoedFlag,
  serviceTranslation: echoedFlag,
  serviceProofreading: echoedFlag,
  serviceAutomaticTranslation: echoedFlag,
  state: z.enum(STATES),
  progress: z.number(),
  flag: z.nullable(z.string()),
  automaticTranslation: z.optional(
    z.strictObject({ state: z.enum(AUTOMATIC_STATES), problem: z.nullable(z.string()) }),
  ),
  team: z.optional(z.array(TeamMemberAnswer)),
  referenceNumber: echoedText,
  customField1: echoedText,
  customField2: echoedText,
  additionalInfo: echoedText,
  serviceAdaptiveTranslation: echoedFlag,
  serviceScoring: echoedFlag,
  styleGuideId: z.optional(id()),
});

/** A segment's note for one language, in an answer of the hosted service. */
export const LanguageNoteAnswer = z.looseObject({
  languageId: z.int(),
  languageCode: z.string(),
  note: z.nullable(z.string()),
});

/** A segment, in an answer of the hosted service. */
export const SegmentAnswer = z.looseObject({
  id: id(),
  customId: echoedText,
  content: z.string(),
  notes: echoedText,
  taskId: echoedText,
  languageSpecificNotes: z.optional(z.array(LanguageNoteAnswer)),
});

/** A project without its segments, as a list of the hosted service contains it. */
export const ProjectHead = z.looseObject({
  id: id(),
  creationDateUtc: z.string(),
  domain: z.nullable(z.string()),
  customId: echoedText,
  taskId: echoedText,
  name: z.string(),
  description: echoedText,
  startDateUtc: z.string(),
  endDateUtc: z.string(),
  sourceLanguageId: z.int(),
  sourceLanguageCode: echoedText,
  targetLanguages: z.array(TargetLanguageAnswer),
  referenceNumber: echoedText,
  customField1: echoedText,
  customField2: echoedText,
  domainId: z.optional(id()),
  eventUrl: echoedText,
  processId: z.optional(id()),
});

/** A project, in an answer of the hosted service. */
export const Project = z.extend(ProjectHead, { segments: z.array(SegmentAnswer) });

/**
 * The translation of a segment into one language, in an answer of the hosted service. An untranslated segment has the id
 * null, the content null and the version 0.
 */
const TranslationAnswer = z.looseObject({
  id: z.nullable(id()),
  languageId: z.int(),
  languageCode: z.string(),
  content: z.nullable(z.string()),
  status: z.enum(TRANSLATION_STATUSES),
  version: z.int(),
});

/** A segment with its translations, in an answer of the hosted service. */
export const TranslatedSegment = z.looseObject({ source: SegmentAnswer, translations: z.array(TranslationAnswer) });

/** The progress of one language, in an answer of the hosted service. */
export const LanguageProgress = z.looseObject({
  languageId: z.int(),
  languageCode: z.string(),
  progress: z.int(),
});

/** The member of a team who works on a task of a managed language, in an answer of the hosted service. */
export const Assignee = z.looseObject({
  /** Null for the segments without a task. */
  taskId: z.nullable(z.string()),
  languageCode: z.string(),
  role: z.enum(WORK_ROLES),
  memberId: id(),
});

/** The progress of a project, in an answer of the hosted service. */
export const ProgressAnswer = z.looseObject({
  total: z.int(),
  tasks: z.array(z.looseObject({ taskId: z.string(), total: z.int(), targetLanguages: z.array(LanguageProgress) })),
  languages: z.array(LanguageProgress),
  assignees: z.array(Assignee),
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
