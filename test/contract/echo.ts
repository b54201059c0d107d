import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { asObjects, type Json, type JsonObject } from '../support/projects.ts';
import type { ProjectAnswer } from './answers.ts';

/**
 * Expects an answer to have every sent field with its value, the fields that the hosted service adds, and nothing else.
 * Values that only the service can know (ids, times) are taken from the answer.
 */
export function expectEcho(got: ProjectAnswer, sent: JsonObject): void {
  const { segments, ...head } = got;
  expect(head).toEqual({
    ...given(sent, 'segments'),
    id: got.id,
    creationDateUtc: got.creationDateUtc,
    sourceLanguageId: sent['sourceLanguageId'] ?? got.sourceLanguageId,
    domain: null,
    targetLanguages: asObjects(sent['targetLanguages']).map((entry, n) =>
      expectedTarget(entry, got.targetLanguages[n]),
    ),
  });
  expectSegments(segments, asObjects(sent['segments']));
}

/** Returns a project without the fields that change while its segments are translated. */
export function withoutProgress({ targetLanguages, ...project }: ProjectAnswer) {
  return {
    ...project,
    targetLanguages: targetLanguages.map(({ progress: _, automaticTranslation: __, ...entry }) => entry),
  };
}

/** Expects the sent segments in their order. If one of thousands differs, the failure shows only that one. */
export function expectSegments(got: ProjectAnswer['segments'], sent: readonly JsonObject[]): void {
  expect(got).toHaveLength(sent.length);
  for (const [n, entry] of got.entries()) {
    const expected = expectedSegment(sent[n] ?? {}, entry);
    if (!isDeepStrictEqual(entry, expected)) expect(entry, `/segments/${n}`).toEqual(expected);
  }
}

function expectedTarget(sent: JsonObject, got: ProjectAnswer['targetLanguages'][number] | undefined): JsonObject {
  const team = asObjects(sent['team']);
  return {
    state: 'InProgress',
    ...given(sent, 'team'),
    id: got?.id ?? null,
    targetLanguageId: sent['targetLanguageId'] ?? got?.targetLanguageId ?? null,
    progress: 0,
    // The service may already have translated segments.
    ...(sent['serviceAutomaticTranslation'] === true && {
      progress: got?.progress ?? null,
      ...(got?.automaticTranslation && { automaticTranslation: got.automaticTranslation }),
    }),
    flag: null,
    ...(sent['team'] && { team: team.map((entry) => expectedMember(entry, team)) }),
  };
}

function expectedMember(sent: JsonObject, team: readonly JsonObject[]): JsonObject {
  const proofreader = team.find(({ isProofreader }) => isProofreader === true);
  return {
    ...given(sent),
    translationRate: null,
    translationProductivity: null,
    proofreadedBy: (sent['isTranslator'] === true ? proofreader?.['id'] : null) ?? null,
    proofreadingRate: null,
    proofreadingProductivity: null,
  };
}

function expectedSegment(sent: JsonObject, got: ProjectAnswer['segments'][number]): JsonObject {
  const notes = asObjects(sent['languageSpecificNotes']);
  return {
    ...given(sent, 'languageSpecificNotes'),
    id: got.id,
    ...(sent['languageSpecificNotes'] && {
      languageSpecificNotes: notes.map((note, n) => ({
        languageId: note['languageId'] ?? got.languageSpecificNotes?.[n]?.languageId ?? null,
        languageCode: note['languageCode'] ?? got.languageSpecificNotes?.[n]?.languageCode ?? null,
        note: note['note'] ?? null,
      })),
    }),
  };
}

/** Returns the sent fields. A `null` field counts as left out. */
function given(sent: JsonObject, ...without: readonly string[]): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(sent).filter(([name, value]) => value !== null && !without.includes(name)));
}
