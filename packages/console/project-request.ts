import {
  type DocumentedProject,
  type DocumentedTargetLanguage,
  hasDocumentedTypes,
  type NewProject,
  type Project,
  type TargetLanguageRequest,
} from '../client/index.ts';

/**
 * Returns the request of a put that changes nothing: the fields of a project that its sender chose. The states of its
 * languages are left out, so that they stay as they are.
 * @throws {TypeError} if the service sends something else than the API description says
 */
export function requestOf(project: Project): NewProject {
  if (!hasDocumentedTypes(project))
    throw new TypeError('The service sends a project that the console cannot change. Change it where it comes from.');
  const { name, endDateUtc, targetLanguages, segments } = project;
  return {
    ...pick(project, PROJECT_FIELDS),
    name: name ?? '',
    endDateUtc: endDateUtc ?? '',
    targetLanguages: (targetLanguages ?? []).map(languageRequestOf),
    segments: (segments ?? []).map(({ content, languageSpecificNotes: notes, ...segment }) => ({
      ...pick(segment, ['customId', 'notes', 'taskId']),
      content: content ?? '',
      ...(Array.isArray(notes) && { languageSpecificNotes: notes }),
    })),
  };
}

/** Returns a target language as a request has it. */
function languageRequestOf(language: DocumentedTargetLanguage): TargetLanguageRequest {
  const team = language.team?.map((member) => ({
    ...pick(member, MEMBER_FIELDS),
    id: member.id ?? 0,
    name: member.name ?? '',
    username: member.username ?? '',
  }));
  return { ...pick(language, LANGUAGE_FIELDS), ...(team && { team }) };
}

const PROJECT_FIELDS = [
  'customId',
  'description',
  'sourceLanguageId',
  'sourceLanguageCode',
  'referenceNumber',
  'customField1',
  'customField2',
  'domainId',
  'eventUrl',
  'processId',
] as const satisfies readonly (keyof DocumentedProject)[];

const LANGUAGE_FIELDS = [
  'targetLanguageId',
  'targetLanguageCode',
  'managedProject',
  'serviceTranslation',
  'serviceProofreading',
  'serviceAutomaticTranslation',
  'serviceAdaptiveTranslation',
  'serviceScoring',
  'styleGuideId',
  'referenceNumber',
  'customField1',
  'customField2',
  'additionalInfo',
] as const satisfies readonly (keyof DocumentedTargetLanguage)[];

const MEMBER_FIELDS = ['phone', 'isProjectManager', 'isTranslator', 'isProofreader', 'isInCountryReviewer'] as const;

/** Returns the given fields of an object, without those that are absent or null. */
function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Partial<Pick<T, K>> {
  const found: Partial<Pick<T, K>> = {};
  for (const name of names) if (from[name] !== undefined && from[name] !== null) found[name] = from[name];
  return found;
}
