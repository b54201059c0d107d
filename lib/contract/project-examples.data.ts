import type * as fields from './project-fields.ts';

type Examples<F> = Readonly<Record<fields.CallerNames<F>, unknown>>;

/*
 * An example of a value for each field of a request. The details of faults have them, so they are apart from the texts,
 * which only the API description has.
 */

export const TEAM_MEMBER: Examples<typeof fields.TEAM_MEMBER> = {
  id: 7001,
  name: 'Example Translator',
  username: 'translator@example.com',
  phone: '+44 20 7946 0000',
  isProjectManager: true,
  isTranslator: true,
  isProofreader: true,
  isInCountryReviewer: true,
};

export const TARGET_LANGUAGE: Examples<typeof fields.TARGET_LANGUAGE> = {
  targetLanguageId: 53,
  targetLanguageCode: 'de-DE',
  managedProject: true,
  serviceTranslation: true,
  serviceProofreading: true,
  serviceAutomaticTranslation: true,
  state: 'InProgress',
  team: [{ id: 7001, name: 'Example Translator', username: 'translator@example.com', isTranslator: true }],
  referenceNumber: 'PO-4711',
  customField1: 'spring',
  customField2: 'shop',
  additionalInfo: 'Use the informal form.',
  serviceAdaptiveTranslation: true,
  serviceScoring: true,
  styleGuideId: 12,
};

export const LANGUAGE_NOTE: Examples<typeof fields.LANGUAGE_NOTE> = {
  languageId: 53,
  languageCode: 'de-DE',
  note: 'At most 20 characters.',
};

export const SEGMENT: Examples<typeof fields.SEGMENT> = {
  customId: 'home.title',
  content: '<p>Hello, world</p>',
  notes: 'The title of the page.',
  taskId: 'front-page',
  languageSpecificNotes: [{ languageCode: 'de-DE', note: 'At most 20 characters.' }],
};

export const PROJECT: Examples<typeof fields.PROJECT> = {
  customId: 'cms/4711',
  taskId: 'front-page',
  name: 'Spring catalogue',
  description: 'The catalogue of the spring season.',
  startDateUtc: '2026-11-20T09:37:30Z',
  endDateUtc: '2099-12-31T12:00:00Z',
  sourceLanguageId: 40,
  sourceLanguageCode: 'en-GB',
  targetLanguages: [{ targetLanguageCode: 'de-DE' }],
  segments: [{ content: '<p>Hello, world</p>' }],
  referenceNumber: 'PO-4711',
  customField1: 'spring',
  customField2: 'shop',
  domainId: 3,
  eventUrl: 'https://example.com/events',
  processId: 5,
};
