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
  id: required(id(), 'User identifier in the system.', 7001),
  name: required(nonBlankText(), 'Combined first and last name.', 'Example Translator'),
  username: required(email(), 'The user’s e-mail address, which is unique in a team.', 'translator@example.com'),
  phone: optional(text(), 'Contact number.', '+44 20 7946 0000'),
  isProjectManager: optional(z.boolean(), 'Project Manager role.', true),
  isTranslator: optional(z.boolean(), 'Translator role.', true),
  isProofreader: optional(z.boolean(), 'Proofreader role. A team with a proofreader needs a translator.', true),
  isInCountryReviewer: optional(z.boolean(), 'In-Country Reviewer role.', true),
});

/** The schema of a target language in a request, with its team. */
export const TargetLanguage = z.strictObject({
  targetLanguageId: optional(id(), 'Numeric language id; optional when targetLanguageCode is given.', 53),
  targetLanguageCode: optional(
    text(),
    'Language code, such as de or de-DE; optional when targetLanguageId is given. If both are given, they must name the same language.',
    'de-DE',
  ),
  managedProject: optional(z.boolean(), 'true: the service manages the work; false: the company manages it.', true),
  serviceTranslation: optional(z.boolean(), 'true requests human translation.', true),
  serviceProofreading: optional(z.boolean(), 'true requests human proofreading.', true),
  serviceAutomaticTranslation: optional(z.boolean(), 'true translates the content automatically on creation.', true),
  state: optional(z.enum(STATES), 'Initial state; InProgress by default.', 'InProgress'),
  team: optional(
    list(TeamMember, { max: LIMITS.membersPerTeam }),
    'The people who work on this language; required for human translation or proofreading, unless managedProject is true.',
    [{ id: 7001, name: 'Example Translator', username: 'translator@example.com', isTranslator: true }],
  ),
  referenceNumber: optional(text(), 'Reference of this monolingual project.', 'PO-4711'),
  customField1: optional(text(), 'Free field.', 'spring'),
  customField2: optional(text(), 'Free field.', 'shop'),
  additionalInfo: optional(freeText(), 'Free text such as urgency or special instructions.', 'Use the informal form.'),
  serviceAdaptiveTranslation: optional(z.boolean(), 'true requests adaptive translation.', true),
  serviceScoring: optional(z.boolean(), 'true requests scoring.', true),
  styleGuideId: optional(id(), 'Identifier of a style guide.', 12),
});

/** The schema of a segment's note for one language in a request. */
export const LanguageNote = z.strictObject({
  languageId: optional(id(), 'Numeric language id; optional when languageCode is given.', 53),
  languageCode: optional(
    text(),
    'Language code; optional when languageId is given. If both are given, they must name the same language.',
    'de-DE',
  ),
  note: optional(freeText(), 'Instruction for that language.', 'At most 20 characters.'),
});

/** The schema of a segment in a request: one piece of content to translate. */
export const Segment = z.strictObject({
  customId: optional(text(), 'Caller’s identifier of the segment in an external system.', 'home.title'),
  content: required(content(), 'Plain text or HTML markup to translate.', '<p>Hello, world</p>'),
  notes: optional(freeText(), 'Guidance for translators.', 'The title of the page.'),
  taskId: optional(taskId(), 'Caller’s task identifier.', 'front-page'),
  languageSpecificNotes: optional(list(LanguageNote, { max: LIMITS.notesPerSegment }), 'Notes per language.', [
    { languageCode: 'de-DE', note: 'At most 20 characters.' },
  ]),
});

/** The schema of the body of a request to create a project. */
export const ProjectRequest = z.strictObject({
  customId: optional(customId(), 'Caller’s identifier linking the project to an external system.', 'cms/4711'),
  taskId: optional(
    taskId(),
    'Caller’s task identifier for all segments without a `taskId`. An empty text counts as absent.',
    'front-page',
  ),
  name: required(nonBlankText(), 'Project name.', 'Spring catalogue'),
  description: optional(freeText(), 'Free text.', 'The catalogue of the spring season.'),
  startDateUtc: required(
    instant(),
    'The current date and time. It may differ from Segue’s clock by at most 5 minutes, unless the operator set another limit.',
    '2026-11-20T09:37:30Z',
  ),
  endDateUtc: required(instant(), 'Final deadline, later than `startDateUtc`.', '2099-12-31T12:00:00Z'),
  sourceLanguageId: optional(id(), 'Numeric language id; may be omitted when sourceLanguageCode is given.', 40),
  sourceLanguageCode: optional(text(), 'Code of the source language.', 'en-GB'),
  targetLanguages: required(
    list(TargetLanguage, { min: 1, max: LIMITS.targetLanguages }),
    'One entry per target language.',
    [{ targetLanguageCode: 'de-DE' }],
  ),
  segments: required(list(Segment, { min: 1, max: LIMITS.segments }), 'Content to translate.', [
    { content: '<p>Hello, world</p>' },
  ]),
  referenceNumber: optional(text(), 'User-defined project code.', 'PO-4711'),
  customField1: optional(text(), 'Free field, typically an external-system reference.', 'spring'),
  customField2: optional(text(), 'Free field, typically an external-system reference.', 'shop'),
  domainId: optional(id(), 'Identifier of the domain.', 3),
  eventUrl: optional(
    httpsUrl(),
    'The URL to which the hosted service sends signed events about the project: https, to a public address. Segue passes it to an upstream service. An empty text counts as absent.',
    'https://example.com/events',
  ),
  processId: optional(id(), 'Identifier of the process.', 5),
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

/** The optional fields of a project that count as absent if they are empty, because common clients send them so. */
export const ABSENT_IF_EMPTY = ['taskId', 'eventUrl'] as const satisfies readonly (keyof ProjectRequest)[];

/** The mark of a project that `checkProject` has checked. It is a symbol, so that no JSON can contain it. */
export const CHECKED: unique symbol = Symbol('checked');
/** The project of a request, after `checkProject` has checked every rule that needs only the request. */
export type CheckedProject = ProjectRequest & { readonly [CHECKED]: true };
