import type * as fields from './project-fields.ts';

/*
 * What the API description and the docs say about the fields of a project. No function imports this file.
 */

/** The text about a field for which each service chooses the type and values. */
export type OpenText =
  | {
      readonly name: string;
      /** What the hosted service returns, unless it is one of the values of the field's type. */
      readonly hosted?: string;
    }
  | { readonly only: string };

/** The texts about fields of an answer, above all those that a request does not have. */
export type AnswerTexts<F> = { readonly [N in keyof F]?: string | OpenText };

interface Texts<F> {
  readonly request: Readonly<Record<fields.CallerNames<F>, string>>;
  readonly answer: AnswerTexts<F>;
}

export const TEAM_MEMBER: Texts<typeof fields.TEAM_MEMBER> = {
  request: {
    id: 'User identifier in the system.',
    name: 'Combined first and last name.',
    username: 'The user’s e-mail address, which is unique in a team.',
    phone: 'Contact number.',
    isProjectManager: 'Project Manager role.',
    isTranslator: 'Translator role.',
    isProofreader: 'Proofreader role. A team with a proofreader needs a translator.',
    isInCountryReviewer: 'In-Country Reviewer role.',
  },
  answer: {
    translationRate: { name: 'Translation rate', hosted: 'null' },
    translationProductivity: { name: 'Translation productivity', hosted: 'null' },
    proofreadedBy: {
      name: 'Proofreader reference',
      hosted: 'the id of the team’s first proofreader on a translator’s entry, or null',
    },
    proofreadingRate: { name: 'Proofreading rate', hosted: 'null' },
    proofreadingProductivity: { name: 'Proofreading productivity', hosted: 'null' },
  },
};

export const TARGET_LANGUAGE: Texts<typeof fields.TARGET_LANGUAGE> = {
  request: {
    targetLanguageId: 'Numeric language id; optional when targetLanguageCode is given.',
    targetLanguageCode:
      'Language code, such as de or de-DE; optional when targetLanguageId is given. If both are given, they must name the same language.',
    managedProject: 'true: the service manages the work; false: the company manages it.',
    serviceTranslation: 'true requests human translation.',
    serviceProofreading: 'true requests human proofreading.',
    serviceAutomaticTranslation: 'true translates the content automatically on creation.',
    state: 'Initial state; InProgress by default.',
    team: 'The people who work on this language; required for human translation or proofreading, unless managedProject is true.',
    referenceNumber: 'Reference of this monolingual project.',
    customField1: 'Free field.',
    customField2: 'Free field.',
    additionalInfo: 'Free text such as urgency or special instructions.',
    serviceAdaptiveTranslation: 'true requests adaptive translation.',
    serviceScoring: 'true requests scoring.',
    styleGuideId: 'Identifier of a style guide.',
  },
  answer: {
    id: { name: 'Identifier of the monolingual (translation) project', hosted: 'a positive integer' },
    targetLanguageId: 'Numeric id of the target language.',
    state: { name: 'State' },
    progress: { name: 'Progress', hosted: 'a percentage from 0 to 100' },
    lastKnown: {
      only: 'Only in a list, in front of an upstream service that does not show the present state and progress: an object with the last known `state` and `progress`, and the time `atUtc`.',
    },
    flag: { name: 'Flag value', hosted: 'null' },
    automaticTranslation: {
      name: 'The automatic translation into this language, if the project asks for it',
      hosted:
        'an object with its `state` (queued, running, done or failed) and its `problem` (why the engine failed or waits, that segments are too complex, or null)',
    },
  },
};

export const LANGUAGE_NOTE: Texts<typeof fields.LANGUAGE_NOTE> = {
  request: {
    languageId: 'Numeric language id; optional when languageCode is given.',
    languageCode:
      'Language code; optional when languageId is given. If both are given, they must name the same language.',
    note: 'Instruction for that language.',
  },
  answer: { note: 'Instruction for that language.' },
};

export const SEGMENT: Texts<typeof fields.SEGMENT> = {
  request: {
    customId: 'Caller’s identifier of the segment in an external system.',
    content: 'Plain text or HTML markup to translate.',
    notes: 'Guidance for translators.',
    taskId: 'Caller’s task identifier.',
    languageSpecificNotes: 'Notes per language.',
  },
  answer: {
    id: { name: 'Generated segment identifier', hosted: 'a positive integer' },
    languageSpecificNotes: {
      name: 'Notes per language',
      hosted: 'a list of objects with `languageId`, `languageCode` and `note`',
    },
  },
};

export const PROJECT: Texts<typeof fields.PROJECT> = {
  request: {
    customId: 'Caller’s identifier linking the project to an external system.',
    taskId: 'Caller’s task identifier for all segments without a `taskId`. An empty text counts as absent.',
    name: 'Project name.',
    description: 'Free text.',
    startDateUtc:
      'The current date and time. It may differ from Segue’s clock by at most 5 minutes, unless the operator set another limit.',
    endDateUtc: 'Final deadline, later than `startDateUtc`.',
    sourceLanguageId: 'Numeric language id; may be omitted when sourceLanguageCode is given.',
    sourceLanguageCode: 'Code of the source language.',
    targetLanguages: 'One entry per target language.',
    segments: 'Content to translate.',
    referenceNumber: 'User-defined project code.',
    customField1: 'Free field, typically an external-system reference.',
    customField2: 'Free field, typically an external-system reference.',
    domainId: 'Identifier of the domain.',
    eventUrl:
      'The URL to which the hosted service sends signed events about the project: https, to a public address. Segue passes it to an upstream service. An empty text counts as absent.',
    processId: 'Identifier of the process.',
  },
  answer: {
    creationDateUtc:
      'Creation date. The hosted service returns it in UTC with milliseconds, such as `2026-11-20T09:37:30.972Z`.',
    domain: { name: 'Domain of the project', hosted: 'null' },
    sourceLanguageId: 'Numeric id of the source language.',
  },
};

export const TRANSLATION: AnswerTexts<typeof fields.TRANSLATION> = {
  id: { name: 'Identifier of the translation', hosted: 'a positive integer, or null for an untranslated segment' },
  languageId: 'Numeric id of the target language.',
  languageCode: 'Code of the target language.',
  content: 'The translation. The hosted service returns null for an untranslated segment.',
  status: { name: 'Status' },
  version: {
    name: 'Version of the translation',
    hosted: 'a number that grows with each change, or 0 for a segment that was never translated',
  },
  outdated: {
    only: 'Only for a draft whose segment has got another content since: true. Writing the translation removes it.',
  },
  problem: {
    only: 'Only for an untranslated segment that the engine of the hosted service could not translate: why.',
  },
};

export const TRANSLATED_SEGMENT: AnswerTexts<typeof fields.TRANSLATED_SEGMENT> = {
  source: 'The segment, as the project has it.',
  translations: 'The translations, one for each target language.',
};

export const LANGUAGE_PROGRESS: AnswerTexts<typeof fields.LANGUAGE_PROGRESS> = {
  languageId: 'Numeric id of the target language.',
  languageCode: 'Code of the target language.',
  progress: { name: 'Progress', hosted: 'the percentage of finished segments' },
};

export const TASK_PROGRESS: AnswerTexts<typeof fields.TASK_PROGRESS> = {
  total: { name: 'Progress of the task in all languages', hosted: 'a percentage from 0 to 100' },
  targetLanguages: 'The progress of the task in each target language.',
};

export const ASSIGNEE: AnswerTexts<typeof fields.ASSIGNEE> = {
  taskId: 'The id of the task; null for the segments without a task.',
  languageCode: 'Code of the target language.',
  role: { name: 'Role' },
  memberId: 'The id of the member in the team of the target language.',
};

export const PROGRESS: AnswerTexts<typeof fields.PROGRESS> = {
  total: { name: 'Progress in all languages', hosted: 'a percentage from 0 to 100' },
  tasks: 'The progress of each task. With `taskId`: only of that task.',
  languages: 'The progress in each target language. With `taskId`: only of that task.',
  assignees: 'Who works on the tasks of managed languages. Only the hosted service returns it.',
};
