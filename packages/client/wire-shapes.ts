// Made by `npm run docs` from the schemas in `lib/contract`.

import {
  anything,
  boolean,
  integer,
  listOf,
  nullish,
  object,
  optional,
  string,
} from '../../lib/service/http-client/shapes.ts';
import type {
  Assignee,
  DocumentedProject,
  DocumentedSegment,
  DocumentedTargetLanguage,
  DocumentedTeamMember,
  LanguageProgress,
  Progress,
  SegmentTranslation,
  TaskProgress,
  TranslatedSegment,
} from './wire-types.ts';

const teamMemberShape = object<DocumentedTeamMember>({
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

const targetLanguageShape = object<DocumentedTargetLanguage>({
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
  team: nullish(listOf(teamMemberShape)),
  referenceNumber: nullish(string),
  customField1: nullish(string),
  customField2: nullish(string),
  additionalInfo: nullish(string),
  serviceAdaptiveTranslation: nullish(boolean),
  serviceScoring: nullish(boolean),
  styleGuideId: nullish(integer),
});

const segmentShape = object<DocumentedSegment>({
  id: anything,
  customId: nullish(string),
  content: nullish(string),
  notes: nullish(string),
  taskId: nullish(string),
  languageSpecificNotes: anything,
});

export const projectShape = object<DocumentedProject>({
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
  targetLanguages: nullish(listOf(targetLanguageShape)),
  segments: nullish(listOf(segmentShape)),
  referenceNumber: nullish(string),
  customField1: nullish(string),
  customField2: nullish(string),
  domainId: nullish(integer),
  eventUrl: nullish(string),
  processId: nullish(integer),
});

const translationShape = object<SegmentTranslation>({
  id: anything,
  languageId: nullish(integer),
  languageCode: nullish(string),
  content: nullish(string),
  status: anything,
  version: anything,
  problem: anything,
});

export const translatedSegmentShape = object<TranslatedSegment>({
  source: nullish(segmentShape),
  translations: nullish(listOf(translationShape)),
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
