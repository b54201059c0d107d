import { LIMITS } from './limits.ts';

/*
 * Every field of a project, of its parts, and of what the service tells about them. These tables are the source of
 * requests (`project.ts`), answers of the hosted service (`project-answer.ts`), answers of any service
 * (`published-project.ts`), the comparison of requests, the API description, the client's types and the tables of the
 * docs. `project-examples.data.ts` has the examples, and `project-texts.data.ts` the texts.
 */

/** What a field of a request holds, if it is no list. `project.ts` has the rule of each type. */
export type CallerType =
  | 'id'
  | 'text'
  | 'visibleText'
  | 'freeText'
  | 'content'
  | 'customId'
  | 'languageCode'
  | 'date'
  | 'email'
  | 'httpsUrl'
  | 'flag'
  | 'state';

/** What a field holds. */
export type FieldType = CallerType | 'integer' | 'number' | 'status' | 'role' | 'automaticState' | 'object' | 'list';

interface AnyField {
  /** The fields of an object, or of each entry of a list. */
  readonly of?: Fields;
  /**
   * When the hosted service answers with the field: always; always, but perhaps with null; if it has a value; or never.
   * The default is `always` for fields of the service and for those that a request needs, and `sometimes` for others.
   */
  readonly hosted?: 'always' | 'nullable' | 'sometimes' | 'never';
}

/** A field that a caller sets. */
type CallerField = AnyField & {
  readonly by?: never;
  /** Whether a request needs the field. */
  readonly required?: true;
  /** Whether an empty text counts as absent, because common clients send it so. */
  readonly mayBeEmpty?: true;
} & ({ readonly type: CallerType } | { readonly type: 'list'; readonly min?: number; readonly max: number });

/** A field that only the service sets. */
interface ServiceField extends AnyField {
  readonly by: 'service';
  readonly type: FieldType;
}

export type Field = CallerField | ServiceField;

/** The fields of one kind of object, in the order in which their faults are reported. */
export type Fields = { readonly [name: string]: Field };

/** The names of the fields that a caller sets. */
export type CallerNames<F> = { [N in keyof F]: F[N] extends { readonly by: 'service' } ? never : N }[keyof F];

const id = { type: 'id' } as const;
const text = { type: 'text' } as const;
const freeText = { type: 'freeText' } as const;
const flag = { type: 'flag' } as const;
const languageCode = { type: 'languageCode' } as const;
const requiredText = { type: 'visibleText', required: true } as const;
const requiredDate = { type: 'date', required: true } as const;

const serviceId = { by: 'service', type: 'id' } as const;
const serviceText = { by: 'service', type: 'text' } as const;
const serviceInteger = { by: 'service', type: 'integer' } as const;
const serviceCode = { by: 'service', type: 'languageCode' } as const;
const idOrNull = { by: 'service', type: 'id', hosted: 'nullable' } as const;
const textOrNull = { by: 'service', type: 'text', hosted: 'nullable' } as const;
const numberOrNull = { by: 'service', type: 'number', hosted: 'nullable' } as const;

export const TEAM_MEMBER = {
  id: { type: 'id', required: true },
  name: requiredText,
  username: { type: 'email', required: true },
  phone: text,
  isProjectManager: flag,
  isTranslator: flag,
  isProofreader: flag,
  isInCountryReviewer: flag,
  translationRate: numberOrNull,
  translationProductivity: numberOrNull,
  proofreadedBy: idOrNull,
  proofreadingRate: numberOrNull,
  proofreadingProductivity: numberOrNull,
} as const satisfies Fields;

export const AUTOMATIC_TRANSLATION = {
  state: { by: 'service', type: 'automaticState' },
  problem: textOrNull,
} as const satisfies Fields;

export const TARGET_LANGUAGE = {
  id: serviceId,
  targetLanguageId: { type: 'id', hosted: 'always' },
  targetLanguageCode: languageCode,
  managedProject: flag,
  serviceTranslation: flag,
  serviceProofreading: flag,
  serviceAutomaticTranslation: flag,
  state: { type: 'state', hosted: 'always' },
  progress: { by: 'service', type: 'number' },
  lastKnown: { by: 'service', type: 'object', hosted: 'never' },
  flag: textOrNull,
  automaticTranslation: { by: 'service', type: 'object', of: AUTOMATIC_TRANSLATION, hosted: 'sometimes' },
  team: { type: 'list', of: TEAM_MEMBER, max: LIMITS.membersPerTeam },
  referenceNumber: text,
  customField1: text,
  customField2: text,
  additionalInfo: freeText,
  serviceAdaptiveTranslation: flag,
  serviceScoring: flag,
  styleGuideId: id,
} as const satisfies Fields;

export const LANGUAGE_NOTE = {
  languageId: { type: 'id', hosted: 'always' },
  languageCode: { type: 'languageCode', hosted: 'always' },
  note: { type: 'freeText', hosted: 'nullable' },
} as const satisfies Fields;

export const SEGMENT = {
  id: serviceId,
  customId: text,
  content: { type: 'content', required: true },
  notes: freeText,
  taskId: { type: 'visibleText' },
  languageSpecificNotes: { type: 'list', of: LANGUAGE_NOTE, max: LIMITS.notesPerSegment },
} as const satisfies Fields;

export const PROJECT = {
  id: serviceId,
  creationDateUtc: { by: 'service', type: 'date' },
  domain: textOrNull,
  customId: { type: 'customId' },
  taskId: { type: 'visibleText', mayBeEmpty: true },
  name: requiredText,
  description: freeText,
  startDateUtc: requiredDate,
  endDateUtc: requiredDate,
  sourceLanguageId: { type: 'id', hosted: 'always' },
  sourceLanguageCode: languageCode,
  targetLanguages: { type: 'list', of: TARGET_LANGUAGE, required: true, min: 1, max: LIMITS.targetLanguages },
  segments: { type: 'list', of: SEGMENT, required: true, min: 1, max: LIMITS.segments },
  referenceNumber: text,
  customField1: text,
  customField2: text,
  domainId: id,
  eventUrl: { type: 'httpsUrl', mayBeEmpty: true },
  processId: id,
} as const satisfies Fields;

const { segments: _, ...head } = PROJECT;
/** The fields of a project without its segments, as lists contain it. */
export const PROJECT_HEAD = head;

/** The translation of a segment. An untranslated segment has the id null and the content null. */
export const TRANSLATION = {
  id: idOrNull,
  languageId: serviceId,
  languageCode: serviceCode,
  content: textOrNull,
  status: { by: 'service', type: 'status' },
  version: serviceInteger,
  outdated: { by: 'service', type: 'flag', hosted: 'sometimes' },
  problem: { by: 'service', type: 'text', hosted: 'sometimes' },
} as const satisfies Fields;

export const TRANSLATED_SEGMENT = {
  source: { by: 'service', type: 'object', of: SEGMENT },
  translations: { by: 'service', type: 'list', of: TRANSLATION },
} as const satisfies Fields;

export const LANGUAGE_PROGRESS = {
  languageId: serviceId,
  languageCode: serviceCode,
  progress: serviceInteger,
} as const satisfies Fields;

export const TASK_PROGRESS = {
  taskId: serviceText,
  total: serviceInteger,
  targetLanguages: { by: 'service', type: 'list', of: LANGUAGE_PROGRESS },
} as const satisfies Fields;

/** A member of a team who works on a task of a managed language. The task is null for the segments without a task. */
export const ASSIGNEE = {
  taskId: textOrNull,
  languageCode: serviceCode,
  role: { by: 'service', type: 'role' },
  memberId: serviceId,
} as const satisfies Fields;

export const PROGRESS = {
  total: serviceInteger,
  tasks: { by: 'service', type: 'list', of: TASK_PROGRESS },
  languages: { by: 'service', type: 'list', of: LANGUAGE_PROGRESS },
  assignees: { by: 'service', type: 'list', of: ASSIGNEE },
} as const satisfies Fields;

/** Whether only answers may have a field. A request with it has the fault `service-field`. */
export function isOfService({ by, hosted }: Field): boolean {
  return by === 'service' && hosted !== 'never';
}

/** Returns when the hosted service answers with a field. */
export function hostedPresence(field: Field): NonNullable<Field['hosted']> {
  return field.hosted ?? (field.by === 'service' || field.required ? 'always' : 'sometimes');
}

/** Returns the names of the fields for which a condition holds. */
export function namesWhere(fields: Fields, holds: (field: Field) => boolean): string[] {
  return Object.entries(fields).flatMap(([name, field]) => (holds(field) ? [name] : []));
}
