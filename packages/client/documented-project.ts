import { anything, boolean, integer, listOf, nullish, object, optional, string } from './shapes.ts';
import type { Project } from './types.ts';
import type {
  DocumentedProject,
  DocumentedSegment,
  DocumentedTargetLanguage,
  DocumentedTeamMember,
} from './wire-types.ts';

export const text = nullish(string);
const flag = nullish(boolean);
export const count = nullish(integer);

export const segment = object<DocumentedSegment>({
  id: anything,
  customId: text,
  content: text,
  notes: text,
  taskId: text,
  languageSpecificNotes: anything,
});

const teamMember = object<DocumentedTeamMember>({
  id: count,
  name: text,
  username: text,
  phone: text,
  isProjectManager: flag,
  isTranslator: flag,
  isProofreader: flag,
  isInCountryReviewer: flag,
  translationRate: anything,
  translationProductivity: anything,
  proofreadedBy: anything,
  proofreadingRate: anything,
  proofreadingProductivity: anything,
});

const targetLanguage = object<DocumentedTargetLanguage>({
  id: anything,
  targetLanguageId: count,
  targetLanguageCode: text,
  managedProject: flag,
  serviceTranslation: flag,
  serviceProofreading: flag,
  serviceAutomaticTranslation: flag,
  state: anything,
  progress: anything,
  lastKnown: anything,
  flag: anything,
  automaticTranslation: anything,
  team: nullish(listOf(teamMember)),
  referenceNumber: text,
  customField1: text,
  customField2: text,
  additionalInfo: text,
  serviceAdaptiveTranslation: flag,
  serviceScoring: flag,
  styleGuideId: count,
});

const documentedProject = object<DocumentedProject>({
  id: integer,
  creationDateUtc: text,
  domain: anything,
  customId: optional(string),
  taskId: text,
  name: text,
  description: text,
  startDateUtc: text,
  endDateUtc: text,
  sourceLanguageId: count,
  sourceLanguageCode: text,
  targetLanguages: nullish(listOf(targetLanguage)),
  referenceNumber: text,
  customField1: text,
  customField2: text,
  domainId: count,
  eventUrl: text,
  processId: count,
  segments: nullish(listOf(segment)),
});

/** Whether every field of a project has the type of the API description. */
export function hasDocumentedTypes(project: Project): project is Project & DocumentedProject {
  return documentedProject(project);
}
