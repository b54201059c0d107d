import { utc } from '../contract/date.ts';
import { type Language, languageByCode, languageById } from '../contract/languages.ts';
import {
  CHECKED,
  type CheckedProject,
  type LanguageNoteRequest,
  type SegmentRequest,
  type TargetLanguageRequest,
  type TeamMemberRequest,
} from '../contract/project.ts';
import type {
  LanguageNoteAnswer,
  Project,
  SegmentAnswer,
  TargetLanguageAnswer,
  TeamMemberAnswer,
} from '../contract/project-answer.ts';

/**
 * Builds a project from a request: every field as sent, and the fields that the service adds.
 * @param firstId the id of the project. Those of its target languages follow it, and then those of its segments, which
 *   are `SEGMENT_ID_STEP` apart
 * @param nowMs the creation time, in milliseconds since 1970
 */
export function projectFrom(request: CheckedProject, firstId: number, nowMs: number): Project {
  const { targetLanguages, segments, [CHECKED]: _, ...fields } = request;
  const firstTargetLanguage = firstId + 1;
  const firstSegment = firstTargetLanguage + targetLanguages.length;
  return {
    id: firstId,
    creationDateUtc: utc(nowMs),
    domain: null,
    ...fields,
    sourceLanguageId: languageOf(request.sourceLanguageId, request.sourceLanguageCode).id,
    targetLanguages: targetLanguages.map((entry, index) => targetLanguageFrom(entry, firstTargetLanguage + index)),
    segments: segments.map((segment, index) => segmentFrom(segment, firstSegment + index * SEGMENT_ID_STEP)),
  };
}

/** The distance between the ids of two segments of a project. Between them are the ids of its translations. */
export const SEGMENT_ID_STEP = 10_000;

function targetLanguageFrom({ team, ...fields }: TargetLanguageRequest, id: number): TargetLanguageAnswer {
  return {
    id,
    ...fields,
    targetLanguageId: languageOf(fields.targetLanguageId, fields.targetLanguageCode).id,
    state: fields.state ?? 'InProgress',
    progress: 0,
    flag: null,
    ...(team && { team: teamFrom(team) }),
  };
}

function teamFrom(team: readonly TeamMemberRequest[]): TeamMemberAnswer[] {
  const proofreader = team.find(({ isProofreader }) => isProofreader)?.id ?? null;
  return team.map((member) => ({
    ...member,
    translationRate: null,
    translationProductivity: null,
    proofreadedBy: member.isTranslator ? proofreader : null,
    proofreadingRate: null,
    proofreadingProductivity: null,
  }));
}

/** Makes a segment from that of a request. */
export function segmentFrom(segment: SegmentRequest, id: number): SegmentAnswer {
  return { id, ...segment, languageSpecificNotes: segment.languageSpecificNotes?.map(noteFrom) };
}

function noteFrom({ languageId, languageCode, note }: LanguageNoteRequest): LanguageNoteAnswer {
  const language = languageOf(languageId, languageCode);
  return { languageId: language.id, languageCode: languageCode ?? language.langCode, note: note ?? null };
}

/** Returns the language with an id or code from a checked request. */
export function languageOf(id: number | undefined, code: string | undefined): Language {
  const language = id === undefined ? languageByCode(code ?? '') : languageById(id);
  if (!language) throw new RangeError('A checked project has a language that is not in the catalogue');
  return language;
}
