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
  optional,
  required,
  taskId,
  text,
  type WithoutNulls,
} from './fields.ts';
import { STATES } from './language-states.ts';
import { LIMITS } from './limits.ts';

/** The schema of a team member in a request. */
export const TeamMember = z.strictObject({
  id: required(id(), 'User identifier in the system.'),
  name: required(nonBlankText(), 'Combined first and last name.'),
  username: required(email(), 'The user’s e-mail address, which is unique in a team.'),
  phone: optional(text(), 'Contact number.'),
  isProjectManager: optional(z.boolean(), 'Project Manager role.'),
  isTranslator: optional(z.boolean(), 'Translator role.'),
  isProofreader: optional(z.boolean(), 'Proofreader role. A team with a proofreader needs a translator.'),
  isInCountryReviewer: optional(z.boolean(), 'In-Country Reviewer role.'),
});

/** The schema of a target language in a request, with its team. */
export const TargetLanguage = z.strictObject({
  targetLanguageId: optional(id(), 'Numeric language id; optional when targetLanguageCode is given.'),
  targetLanguageCode: optional(
    text(),
    'Language code, such as de or de-DE; optional when targetLanguageId is given. If both are given, they must name the same language.',
  ),
  managedProject: optional(z.boolean(), 'true: the service manages the work; false: the company manages it.'),
  serviceTranslation: optional(z.boolean(), 'true requests human translation.'),
  serviceProofreading: optional(z.boolean(), 'true requests human proofreading.'),
  serviceAutomaticTranslation: optional(z.boolean(), 'true translates the content automatically on creation.'),
  state: optional(z.enum(STATES), 'Initial state; InProgress by default.'),
  team: optional(
    list(TeamMember, { max: LIMITS.membersPerTeam }),
    'The people who work on this language; required for human translation or proofreading, unless managedProject is true.',
  ),
  referenceNumber: optional(text(), 'Reference of this monolingual project.'),
  customField1: optional(text(), 'Free field.'),
  customField2: optional(text(), 'Free field.'),
  additionalInfo: optional(freeText(), 'Free text such as urgency or special instructions.'),
  serviceAdaptiveTranslation: optional(z.boolean(), 'true requests adaptive translation.'),
  serviceScoring: optional(z.boolean(), 'true requests scoring.'),
  styleGuideId: optional(id(), 'Identifier of a style guide.'),
});

/** The schema of a segment's note for one language in a request. */
export const LanguageNote = z.strictObject({
  languageId: optional(id(), 'Numeric language id; optional when languageCode is given.'),
  languageCode: optional(
    text(),
    'Language code; optional when languageId is given. If both are given, they must name the same language.',
  ),
  note: optional(freeText(), 'Instruction for that language.'),
});

/** The schema of a segment in a request: one piece of content to translate. */
export const Segment = z.strictObject({
  customId: optional(text(), 'Caller’s identifier of the segment in an external system.'),
  content: required(content(), 'Plain text or HTML markup to translate.'),
  notes: optional(freeText(), 'Guidance for translators.'),
  taskId: optional(taskId(), 'Caller’s task identifier.'),
  languageSpecificNotes: optional(list(LanguageNote, { max: LIMITS.notesPerSegment }), 'Notes per language.'),
});

/** The schema of the body of a request to create a project. */
export const ProjectRequest = z.strictObject({
  customId: optional(customId(), 'Caller’s identifier linking the project to an external system.'),
  taskId: optional(taskId(), 'Caller’s task identifier for all segments without a `taskId`.'),
  name: required(nonBlankText(), 'Project name.'),
  description: optional(freeText(), 'Free text.'),
  startDateUtc: required(
    instant(),
    'The current date and time. It may differ from Segue’s clock by at most 5 minutes, unless the operator set another limit.',
  ),
  endDateUtc: required(instant(), 'Final deadline, later than `startDateUtc`.'),
  sourceLanguageId: optional(id(), 'Numeric language id; may be omitted when sourceLanguageCode is given.'),
  sourceLanguageCode: optional(text(), 'Code of the source language.'),
  targetLanguages: required(
    list(TargetLanguage, { min: 1, max: LIMITS.targetLanguages }),
    'One entry per target language.',
  ),
  segments: required(list(Segment, { min: 1, max: LIMITS.segments }), 'Content to translate.'),
  referenceNumber: optional(text(), 'User-defined project code.'),
  customField1: optional(text(), 'Free field, typically an external-system reference.'),
  customField2: optional(text(), 'Free field, typically an external-system reference.'),
  domainId: optional(id(), 'Identifier of the domain.'),
  eventUrl: optional(
    httpsUrl(),
    'The URL to which the hosted service sends signed events about the project: https, to a public address. Segue passes it to an upstream service.',
  ),
  processId: optional(id(), 'Identifier of the process.'),
});

export type TeamMemberRequest = WithoutNulls<z.infer<typeof TeamMember>>;
export type TargetLanguageRequest = WithoutNulls<z.infer<typeof TargetLanguage>>;
export type LanguageNoteRequest = WithoutNulls<z.infer<typeof LanguageNote>>;
export type SegmentRequest = WithoutNulls<z.infer<typeof Segment>>;
export type ProjectRequest = WithoutNulls<z.infer<typeof ProjectRequest>>;

/** The fields that only answers may have, for each kind of object. */
export const SERVICE_FIELDS = {
  project: ['id', 'creationDateUtc', 'domain'],
  targetLanguage: ['id', 'progress', 'flag', 'automaticTranslation'],
  member: [
    'translationRate',
    'translationProductivity',
    'proofreadedBy',
    'proofreadingRate',
    'proofreadingProductivity',
  ],
  segment: ['id'],
  note: [],
} as const satisfies Record<string, readonly string[]>;

/** The mark of a project that `checkProject` has checked. It is a symbol, so that no JSON can contain it. */
export const CHECKED: unique symbol = Symbol('checked');
/** The project of a request, after `checkProject` has checked every rule that needs only the request. */
export type CheckedProject = ProjectRequest & { readonly [CHECKED]: true };
