import type { Fault } from './faults.ts';
import { pointerTo } from './pointer.ts';
import type { TranslationStatus } from './translation-status.ts';

/** The faults of entries that depend on other entries or on the project. `index` is the place of the entry. */
export const translationFaults = {
  unknownSegment: (index: number, { segmentId }: { readonly segmentId?: number | undefined }): Fault => ({
    pointer: pointerTo([index, segmentId === undefined ? 'segmentCustomId' : 'segmentId']),
    code: 'unknown-segment',
    detail: `The project has no segment with this ${segmentId === undefined ? 'custom id' : 'id'}.`,
  }),

  ambiguousSegment: (index: number): Fault => ({
    pointer: pointerTo([index, 'segmentCustomId']),
    code: 'ambiguous-segment',
    detail: 'Several segments of the project have this custom id. Name the segment with segmentId.',
  }),

  /** @param codes the codes of the project’s target languages */
  unknownLanguage: (index: number, codes: readonly string[]): Fault => ({
    pointer: pointerTo([index, 'languageCode']),
    code: 'unknown-language',
    detail: 'The project has no such target language.',
    allowed: codes,
  }),

  /** @param first the index of the first entry with the same segment and language */
  duplicate: (index: number, first: number): Fault => ({
    pointer: pointerTo([index]),
    code: 'duplicate-translation',
    detail: `The entry at index ${first} names the same segment and language. Give each translation once.`,
  }),

  /** @param status the current status of the translation */
  lowerStatus: (index: number, status: TranslationStatus): Fault => ({
    pointer: pointerTo([index, 'status']),
    code: 'status-lower',
    detail: `The translation is ${status} already. To lower its status, send "reopen": true.`,
  }),

  otherVersion: (index: number, currentVersion: number): Fault => ({
    pointer: pointerTo([index, 'ifVersion']),
    code: 'version-differs',
    detail: `The translation has version ${currentVersion} now.`,
    currentVersion,
  }),
};
