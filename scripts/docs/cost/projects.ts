import { LIMITS } from '../../../lib/contract/limits.ts';

/** What the store has to hold of a project. */
export interface StoredProject {
  readonly title: string;
  /** The request's JSON, in bytes. */
  readonly bodyBytes: number;
  /** The JSON of its record, with its head. */
  readonly recordBytes: number;
  /** The whole project's JSON, with gzip from 1,024 bytes on. */
  readonly payloadBytes: number;
  readonly hasCustomId: boolean;
}

export const SMALL: StoredProject = {
  title: 'small: one target language, one segment',
  bodyBytes: 456,
  recordBytes: 745,
  payloadBytes: 755,
  hasCustomId: false,
};

/** The projects of `test/data`, whose tests say that they are of these sizes. */
export const REAL = {
  'ui-strings': {
    title: '`ui-strings`: 195 segments',
    bodyBytes: 16_608,
    recordBytes: 1_001,
    payloadBytes: 4_865,
    hasCustomId: true,
  },
  'udhr-html': {
    title: '`udhr-html`: 92 segments, 31 tasks',
    bodyBytes: 18_568,
    recordBytes: 1_024,
    payloadBytes: 5_811,
    hasCustomId: true,
  },
  'cldr-large': {
    title: '`cldr-large`: 29,484 segments, 52 tasks',
    bodyBytes: 3_731_098,
    recordBytes: 750,
    payloadBytes: 389_183,
    hasCustomId: true,
  },
} as const satisfies Record<string, StoredProject>;

/** A project as lists read it. */
export interface ListedProject {
  readonly title: string;
  /** The JSON of its head, in bytes. */
  readonly headBytes: number;
  /** The JSON of its record. */
  readonly recordBytes: number;
}

/** Projects without custom ids, whose heads differ in size. */
export const LISTED = {
  small: { title: 'one target language', headBytes: 609, recordBytes: 745 },
  teams: { title: '5 target languages, teams of 3', headBytes: 4_503, recordBytes: 1_120 },
  'large teams': { title: '40 target languages, teams of 6', headBytes: 61_931, recordBytes: 7_599 },
} as const satisfies Record<string, ListedProject>;

/** As large as a body may be, of text that gzip makes no smaller. */
export const LARGEST: StoredProject = {
  title: 'largest: 4 MiB that gzip makes no smaller',
  bodyBytes: LIMITS.bodyBytes,
  recordBytes: 2_000,
  payloadBytes: LIMITS.bodyBytes,
  hasCustomId: true,
};

export const PROJECTS: readonly StoredProject[] = [SMALL, ...Object.values(REAL), LARGEST];
