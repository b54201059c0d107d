// Made by `npm run docs` from the schemas in `lib/contract`.

import {
  anything,
  boolean,
  integer,
  listOf,
  nullable,
  nullish,
  number,
  object,
  oneOf,
  openEnum,
  optional,
  string,
} from '../../lib/service/http-client/shapes.ts';
import type {
  Assignee,
  Cost,
  DailyAllowance,
  DeletionPlan,
  DocumentedProject,
  DocumentedSegment,
  DocumentedTargetLanguage,
  DocumentedTeamMember,
  EventData,
  EventSecret,
  Health,
  Language,
  LanguageProgress,
  OutdatedPut,
  OutdatedPutPlan,
  ProblemTypeInfo,
  Progress,
  PutPlan,
  PutSummary,
  Quote,
  QuotedTranslation,
  Receipt,
  SegmentTranslation,
  SegueEvent,
  TaskProgress,
  Tokens,
  TranslatedSegment,
  Translation,
  ValidProject,
} from './wire-types.ts';

const documentedTeamMemberShape = object<DocumentedTeamMember>({
  id: nullish(integer),
  name: nullish(string),
  username: nullish(string),
  phone: nullish(string),
  isProjectManager: nullish(boolean),
  isTranslator: nullish(boolean),
  isProofreader: nullish(boolean),
  isInCountryReviewer: nullish(boolean),
  translationRate: anything,
  translationProductivity: anything,
  proofreadedBy: anything,
  proofreadingRate: anything,
  proofreadingProductivity: anything,
});

const documentedTargetLanguageShape = object<DocumentedTargetLanguage>({
  id: anything,
  targetLanguageId: nullish(integer),
  targetLanguageCode: nullish(string),
  managedProject: nullish(boolean),
  serviceTranslation: nullish(boolean),
  serviceProofreading: nullish(boolean),
  serviceAutomaticTranslation: nullish(boolean),
  state: anything,
  progress: anything,
  lastKnown: anything,
  flag: anything,
  automaticTranslation: anything,
  team: nullish(listOf(documentedTeamMemberShape)),
  referenceNumber: nullish(string),
  customField1: nullish(string),
  customField2: nullish(string),
  additionalInfo: nullish(string),
  serviceAdaptiveTranslation: nullish(boolean),
  serviceScoring: nullish(boolean),
  styleGuideId: nullish(integer),
});

const documentedSegmentShape = object<DocumentedSegment>({
  id: anything,
  customId: nullish(string),
  content: nullish(string),
  notes: nullish(string),
  taskId: nullish(string),
  languageSpecificNotes: anything,
});

export const documentedProjectShape = object<DocumentedProject>({
  id: integer,
  creationDateUtc: nullish(string),
  domain: anything,
  customId: optional(string),
  taskId: nullish(string),
  name: nullish(string),
  description: nullish(string),
  startDateUtc: nullish(string),
  endDateUtc: nullish(string),
  sourceLanguageId: nullish(integer),
  sourceLanguageCode: nullish(string),
  targetLanguages: nullish(listOf(documentedTargetLanguageShape)),
  segments: nullish(listOf(documentedSegmentShape)),
  referenceNumber: nullish(string),
  customField1: nullish(string),
  customField2: nullish(string),
  domainId: nullish(integer),
  eventUrl: nullish(string),
  processId: nullish(integer),
});

const costShape = object<Cost>({
  amount: number,
  currency: string,
});

const quotedTranslationShape = object<QuotedTranslation>({
  engine: string,
  characters: integer,
  cost: nullable(costShape),
});

const quoteShape = object<Quote>({
  words: integer,
  characters: integer,
  repeats: integer,
  automaticTranslation: nullable(quotedTranslationShape),
});

export const validProjectShape = object<ValidProject>({
  valid: oneOf(true),
  segments: integer,
  targetLanguages: integer,
  characters: integer,
  quote: quoteShape,
});

const segmentTranslationShape = object<SegmentTranslation>({
  id: anything,
  languageId: nullish(integer),
  languageCode: nullish(string),
  content: nullish(string),
  status: anything,
  version: anything,
  outdated: anything,
  problem: anything,
});

export const translatedSegmentShape = object<TranslatedSegment>({
  source: nullish(documentedSegmentShape),
  translations: nullish(listOf(segmentTranslationShape)),
});

const languageProgressShape = object<LanguageProgress>({
  languageId: nullish(integer),
  languageCode: nullish(string),
  progress: anything,
});

const taskProgressShape = object<TaskProgress>({
  taskId: nullish(string),
  total: anything,
  targetLanguages: nullish(listOf(languageProgressShape)),
});

const assigneeShape = object<Assignee>({
  taskId: nullish(string),
  languageCode: nullish(string),
  role: anything,
  memberId: nullish(integer),
});

export const progressShape = object<Progress>({
  total: anything,
  tasks: nullish(listOf(taskProgressShape)),
  languages: nullish(listOf(languageProgressShape)),
  assignees: nullish(listOf(assigneeShape)),
});

export const putSummaryShape = object<PutSummary>({
  outcome: oneOf('create', 'update', 'unchanged'),
  segments: object<PutSummary['segments']>({
    kept: integer,
    changed: integer,
    added: integer,
    removed: integer,
  }),
  targetLanguages: object<PutSummary['targetLanguages']>({
    kept: integer,
    added: integer,
    removed: integer,
  }),
  quote: quoteShape,
  projectId: integer,
  customId: nullable(string),
});

export const outdatedPutShape = object<OutdatedPut>({
  outcome: oneOf('outdated'),
  revision: integer,
});

export const putPlanShape = object<PutPlan>({
  valid: oneOf(true),
  outcome: oneOf('create', 'update', 'unchanged'),
  segments: object<PutPlan['segments']>({
    kept: integer,
    changed: integer,
    added: integer,
    removed: integer,
  }),
  targetLanguages: object<PutPlan['targetLanguages']>({
    kept: integer,
    added: integer,
    removed: integer,
  }),
  quote: quoteShape,
  plan: string,
});

export const outdatedPutPlanShape = object<OutdatedPutPlan>({
  valid: oneOf(true),
  outcome: oneOf('outdated'),
  revision: integer,
});

export const deletionPlanShape = object<DeletionPlan>({
  scope: oneOf('project', 'task'),
  projectId: integer,
  customId: nullable(string),
  taskId: nullable(string),
  removes: object<DeletionPlan['removes']>({
    targetLanguages: nullable(integer),
    segments: nullable(integer),
    tasks: nullable(integer),
  }),
  plan: string,
});

export const receiptShape = object<Receipt>({
  scope: oneOf('project', 'task'),
  projectId: integer,
  customId: nullable(string),
  taskId: nullable(string),
  outcome: oneOf('deleted', 'archived', 'pending'),
  deletedAtUtc: nullable(string),
  removed: object<Receipt['removed']>({
    targetLanguages: nullable(integer),
    segments: nullable(integer),
    tasks: nullable(integer),
  }),
  requestedBy: object<Receipt['requestedBy']>({
    kind: openEnum(),
    id: nullable(string),
  }),
  operationId: optional(string),
  unrecoverableAfterUtc: optional(string),
});

export const translationShape = object<Translation>({
  id: integer,
  segmentId: integer,
  segmentCustomId: nullable(string),
  languageId: integer,
  languageCode: string,
  content: string,
  status: openEnum(),
  version: integer,
  outdated: optional(oneOf(true)),
});

export const dailyAllowanceShape = object<DailyAllowance>({
  projectsADay: nullable(integer),
  projectsToday: nullable(integer),
  automaticCharactersADay: nullable(integer),
  automaticCharactersToday: nullable(integer),
  nextDayAtUtc: string,
});

const eventDataShape = object<EventData>({
  projectId: integer,
  taskId: optional(string),
  languageId: optional(integer),
  languageCode: optional(string),
  state: optional(openEnum()),
  segments: optional(integer),
  kept: optional(integer),
  changed: optional(integer),
  added: optional(integer),
  removed: optional(integer),
  role: optional(openEnum()),
  memberId: optional(integer),
});

export const segueEventShape = object<SegueEvent>({
  id: string,
  type: openEnum(),
  timestamp: string,
  sequence: integer,
  data: eventDataShape,
});

export const eventSecretShape = object<EventSecret>({
  secret: string,
  liveSecrets: integer,
});

export const languageShape = object<Language>({
  id: integer,
  langCode: string,
  descriptiveName: string,
});

export const tokensShape = object<Tokens>({
  AccessToken: string,
  RefreshToken: string,
  expiresIn: integer,
});

export const healthShape = object<Health>({
  status: oneOf('ok'),
});

export const problemTypeInfoShape = object<ProblemTypeInfo>({
  type: string,
  title: string,
  status: integer,
  retryable: boolean,
  outcome: oneOf('not-applied', 'applied', 'unknown'),
  explanation: string,
});
