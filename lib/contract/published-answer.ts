import * as z from 'zod/mini';
import { id, required } from './fields.ts';

/**
 * The projects of answers as the API description publishes them, for every service: only the id is certain. A field has
 * the type that the service document gives it; a field whose type or values that document leaves open may hold anything.
 */

/** A field with a type of the service document. A service may leave it out, or write null for a field without a value. */
const typed = <S extends z.core.$ZodType>(schema: S) => z.optional(z.nullable(schema));
const text = () => typed(z.string());
const flag = () => typed(z.boolean());
const integer = () => typed(z.int());
const described = <S extends z.core.$ZodType>(schema: S, description: string) => required(typed(schema), description);
/** A field whose type and values are the service's own. */
const open = (description: string, hosted: string) =>
  required(z.optional(z.unknown()), `${description}, as the service gives it. The hosted service gives ${hosted}.`);

const RATE = 'null';

/** A member of a team. */
export const PublishedTeamMember = z.looseObject({
  id: integer(),
  name: text(),
  username: text(),
  phone: text(),
  isProjectManager: flag(),
  isTranslator: flag(),
  isProofreader: flag(),
  isInCountryReviewer: flag(),
  translationRate: open('Translation rate', RATE),
  translationProductivity: open('Translation productivity', RATE),
  proofreadedBy: open(
    'Proofreader reference',
    'the id of the team’s first proofreader on a translator’s entry, or null',
  ),
  proofreadingRate: open('Proofreading rate', RATE),
  proofreadingProductivity: open('Proofreading productivity', RATE),
});

/** A target language. */
export const PublishedTargetLanguage = z.looseObject({
  id: open('Identifier of the monolingual (translation) project', 'a positive integer'),
  targetLanguageId: described(z.int(), 'Numeric id of the target language.'),
  targetLanguageCode: text(),
  managedProject: flag(),
  serviceTranslation: flag(),
  serviceProofreading: flag(),
  serviceAutomaticTranslation: flag(),
  state: open('The state', 'InProgress unless InPreparation was sent'),
  progress: open('How much is done', 'a percentage from 0 to 100'),
  flag: open('Flag value', 'null'),
  team: typed(z.array(PublishedTeamMember)),
  referenceNumber: text(),
  customField1: text(),
  customField2: text(),
  additionalInfo: text(),
  serviceAdaptiveTranslation: flag(),
  serviceScoring: flag(),
  styleGuideId: integer(),
});

/** A language note. */
export const PublishedLanguageNote = z.looseObject({
  languageId: integer(),
  languageCode: text(),
  note: described(z.string(), 'Instruction for that language.'),
});

/** A segment. */
export const PublishedSegment = z.looseObject({
  id: open('Generated segment identifier', 'a positive integer'),
  customId: text(),
  content: text(),
  notes: text(),
  taskId: text(),
  languageSpecificNotes: required(
    z.optional(z.union([z.array(PublishedLanguageNote), z.unknown()])),
    'Notes per language, as the service gives them. The hosted service gives this list.',
  ),
});

/** A project without its segments, as a list has it. */
export const PublishedProjectHead = z.looseObject({
  id: required(id(), 'Generated project identifier; the caller keeps it for later calls.'),
  creationDateUtc: described(z.string(), 'Creation date. The hosted service gives it with milliseconds and Z.'),
  domain: open('Domain of the project', 'null'),
  customId: z.optional(z.string()),
  taskId: text(),
  name: text(),
  description: text(),
  startDateUtc: text(),
  endDateUtc: text(),
  sourceLanguageId: described(z.int(), 'Numeric id of the source language.'),
  sourceLanguageCode: text(),
  targetLanguages: typed(z.array(PublishedTargetLanguage)),
  referenceNumber: text(),
  customField1: text(),
  customField2: text(),
  domainId: integer(),
  eventUrl: text(),
  processId: integer(),
});

/** A project. */
export const PublishedProject = required(
  z.extend(PublishedProjectHead, { segments: typed(z.array(PublishedSegment)) }),
  'In front of another service only `id` and `customId` are certain: Segue passes every other field on as that service gives it.',
);
export type PublishedProject = z.infer<typeof PublishedProject>;
