import * as z from 'zod/mini';
import { id, required } from './fields.ts';
import { STATES } from './project.ts';

/**
 * The answers of the hosted service. What any service may answer is in `published-answer.ts`.
 */

/** A field of an answer that is always there, and null where it has no value. */
const orNull = <S extends z.core.$ZodType>(schema: S, description: string) => required(z.nullable(schema), description);
const echoed = () => z.optional(z.string());
const flag = () => z.optional(z.boolean());

/** A member of a team, as an answer has it. */
export const TeamMemberAnswer = z.looseObject({
  id: id(),
  name: z.string(),
  username: z.string(),
  phone: echoed(),
  isProjectManager: flag(),
  isTranslator: flag(),
  isProofreader: flag(),
  isInCountryReviewer: flag(),
  translationRate: orNull(z.number(), 'Translation rate.'),
  translationProductivity: orNull(z.number(), 'Translation productivity.'),
  proofreadedBy: orNull(id(), 'On a translator’s entry: the id of the team’s first proofreader.'),
  proofreadingRate: orNull(z.number(), 'Proofreading rate.'),
  proofreadingProductivity: orNull(z.number(), 'Proofreading productivity.'),
});

/** A target language, as an answer has it. */
export const TargetLanguageAnswer = z.looseObject({
  id: required(id(), 'Identifier of the monolingual (translation) project.'),
  targetLanguageId: required(z.int(), 'Numeric id of the target language.'),
  targetLanguageCode: echoed(),
  managedProject: flag(),
  serviceTranslation: flag(),
  serviceProofreading: flag(),
  serviceAutomaticTranslation: flag(),
  state: required(z.enum(STATES), 'The state; InProgress where none was sent.'),
  progress: required(z.number().check(z.minimum(0), z.maximum(100)), 'How much is done, in percent.'),
  flag: orNull(z.string(), 'Flag value.'),
  team: z.optional(z.array(TeamMemberAnswer)),
  referenceNumber: echoed(),
  customField1: echoed(),
  customField2: echoed(),
  additionalInfo: echoed(),
  serviceAdaptiveTranslation: flag(),
  serviceScoring: flag(),
  styleGuideId: z.optional(id()),
});

/** A language note, as an answer has it. */
export const LanguageNoteAnswer = z.looseObject({
  languageId: z.int(),
  languageCode: z.string(),
  note: orNull(z.string(), 'Instruction for that language.'),
});

/** A segment, as an answer has it. */
export const SegmentAnswer = z.looseObject({
  id: required(id(), 'Generated segment identifier.'),
  customId: echoed(),
  content: z.string(),
  notes: echoed(),
  taskId: echoed(),
  languageSpecificNotes: z.optional(z.array(LanguageNoteAnswer)),
});

/** A project without its segments, as a list has it. */
export const ProjectHead = z.looseObject({
  id: required(id(), 'Generated project identifier; the caller keeps it for later calls.'),
  creationDateUtc: required(z.string(), 'Creation date, with milliseconds and Z.'),
  domain: orNull(z.string(), 'Domain of the project.'),
  customId: echoed(),
  taskId: echoed(),
  name: z.string(),
  description: echoed(),
  startDateUtc: z.string(),
  endDateUtc: z.string(),
  sourceLanguageId: required(z.int(), 'Numeric id of the source language.'),
  sourceLanguageCode: echoed(),
  targetLanguages: z.array(TargetLanguageAnswer),
  referenceNumber: echoed(),
  customField1: echoed(),
  customField2: echoed(),
  domainId: z.optional(id()),
  eventUrl: echoed(),
  processId: z.optional(id()),
});

/** A whole project, as an answer has it. */
export const Project = z.extend(ProjectHead, { segments: z.array(SegmentAnswer) });

export type TeamMemberAnswer = z.infer<typeof TeamMemberAnswer>;
export type TargetLanguageAnswer = z.infer<typeof TargetLanguageAnswer>;
export type LanguageNoteAnswer = z.infer<typeof LanguageNoteAnswer>;
export type SegmentAnswer = z.infer<typeof SegmentAnswer>;
export type ProjectHead = z.infer<typeof ProjectHead>;
export type Project = z.infer<typeof Project>;
