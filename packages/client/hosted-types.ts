import type { LanguageState } from '../../lib/contract/language-states.ts';
import type { AutomaticState, TranslationStatus } from '../../lib/contract/translation-status.ts';
import {
  integer,
  listOf,
  nullable,
  number,
  object,
  openEnum,
  optional,
  string,
} from '../../lib/service/http-client/shapes.ts';
import type { Progress, Project } from './types.ts';
import { documentedProjectShape } from './wire-shapes.ts';
import type {
  DocumentedProject,
  DocumentedSegment,
  DocumentedTargetLanguage,
  LanguageProgress,
  SegmentTranslation,
  TaskProgress,
  TranslatedSegment,
} from './wire-types.ts';

/*
 * The API description leaves the types of some fields to the service. These are the types of the hosted service. Each
 * check looks only at these fields, because the client has checked the others.
 */

interface AutomaticTranslation {
  /** `failed`: the engine failed, and does not try again until the language is started again. */
  readonly state: AutomaticState;
  readonly problem: string | null;
}

export interface HostedTargetLanguage extends DocumentedTargetLanguage {
  readonly state: LanguageState;
  /** A percentage. */
  readonly progress: number;
  readonly automaticTranslation?: AutomaticTranslation | undefined;
}

export interface HostedProject extends DocumentedProject {
  readonly targetLanguages: readonly HostedTargetLanguage[];
}

export interface HostedSegment extends DocumentedSegment {
  readonly id: number;
}

export interface HostedTranslation extends SegmentTranslation {
  readonly languageCode: string;
  readonly status: TranslationStatus;
  readonly version: number;
}

export interface HostedTranslatedSegment extends TranslatedSegment {
  readonly source: HostedSegment;
  readonly translations: readonly HostedTranslation[];
}

export interface HostedLanguageProgress extends LanguageProgress {
  readonly languageCode: string;
  /** A percentage. */
  readonly progress: number;
}

export interface HostedTaskProgress extends TaskProgress {
  /** A percentage. */
  readonly total: number;
  readonly targetLanguages: readonly HostedLanguageProgress[];
}

export interface HostedProgress extends Progress {
  /** A percentage. */
  readonly total: number;
  readonly tasks: readonly HostedTaskProgress[];
  readonly languages: readonly HostedLanguageProgress[];
}

const languages = object<Pick<HostedProject, 'targetLanguages'>>({
  targetLanguages: listOf(
    object<Pick<HostedTargetLanguage, 'state' | 'progress' | 'automaticTranslation'>>({
      state: openEnum(),
      progress: number,
      automaticTranslation: optional(object<AutomaticTranslation>({ state: openEnum(), problem: nullable(string) })),
    }),
  ),
});
const segmentFields = object<Pick<HostedTranslatedSegment, 'source' | 'translations'>>({
  source: object<Pick<HostedSegment, 'id'>>({ id: integer }),
  translations: listOf(
    object<Pick<HostedTranslation, 'languageCode' | 'status' | 'version'>>({
      languageCode: string,
      status: openEnum(),
      version: integer,
    }),
  ),
});
const languageProgress = listOf(
  object<Pick<HostedLanguageProgress, 'languageCode' | 'progress'>>({ languageCode: string, progress: number }),
);
const progressFields = object<Pick<HostedProgress, 'total' | 'tasks' | 'languages'>>({
  total: number,
  tasks: listOf(
    object<Pick<HostedTaskProgress, 'total' | 'targetLanguages'>>({ total: number, targetLanguages: languageProgress }),
  ),
  languages: languageProgress,
});

/** Whether every field of a project has the type of the API description. */
export function hasDocumentedTypes(project: Project): project is Project & DocumentedProject {
  return documentedProjectShape(project);
}

/** Whether a project has the types of the hosted service. */
export function isHostedProject(project: Project): project is Project & HostedProject {
  return hasDocumentedTypes(project) && languages(project);
}

/** Whether a segment with its translations has the types of the hosted service. */
export function isHostedSegment(segment: TranslatedSegment): segment is HostedTranslatedSegment {
  return segmentFields(segment);
}

/** Whether a progress has the types of the hosted service. */
export function isHostedProgress(progress: Progress): progress is HostedProgress {
  return progressFields(progress);
}
