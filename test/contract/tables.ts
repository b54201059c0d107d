import type { FaultCode } from '../../lib/contract/faults.ts';
import type { Json } from '../support/projects.ts';

export type FieldType = 'string' | 'int64' | 'integer' | 'boolean' | 'date (UTC)' | 'array';

/**
 * A row of a table of fields in `service.md`: its name, type and "Required", and values that its rule accepts and
 * refuses.
 */
export interface Row {
  readonly field: string;
  readonly type: FieldType;
  readonly required?: true;
  /** Accepted values, which are returned as they were sent. */
  readonly good: readonly Json[];
  /** Values of the right type that the rule refuses, each with the code of its fault. */
  readonly bad?: readonly (readonly [value: Json, ...codes: FaultCode[]])[];
  /** The value in the answer if the field was left out. If undefined, the answer does not have the field. */
  readonly whenAbsent?: Json;
  /** The largest length of a string, in code points. Default: 1,000. `null` if another rule limits the length. */
  readonly most?: number | null;
  /** Returns a value of a given number of code points that follows the rule. Default: emoji. */
  readonly long?: (codePoints: number) => string;
  /** The fault of every long value, if no long value follows the rule. */
  readonly longFault?: FaultCode;
}

/** A table of fields, with the JSON pointer of its object in `smallProject()`. */
export interface Table {
  readonly heading: string;
  readonly pointer: string;
  readonly rows: readonly Row[];
}

const text = ['Some text', ' two  spaces ', 'Zeichen: äöü 人権 😀 \u0000 \u2028 "\\/'];
const string = (field: string, row: Partial<Row> = {}): Row => ({ field, type: 'string', good: text, ...row });
const boolean = (field: string, row: Partial<Row> = {}): Row => ({
  field,
  type: 'boolean',
  good: [true, false],
  ...row,
});
const positive = {
  good: [1, 4711, 9_007_199_254_740_990, 9_007_199_254_740_991],
  bad: [
    [0, 'out-of-range'],
    [-1, 'out-of-range'],
    [9_007_199_254_740_992, 'out-of-range'],
    [1.5, 'wrong-type', 'out-of-range'],
  ],
} as const satisfies Partial<Row>;
const noLanguage = {
  bad: [
    [0, 'out-of-range', 'unknown-language'],
    [-41, 'out-of-range', 'unknown-language'],
    [1.5, 'out-of-range', 'unknown-language', 'wrong-type'],
    [999_999_999, 'unknown-language'],
    [9_007_199_254_740_991, 'unknown-language'],
    [9_007_199_254_740_992, 'out-of-range'],
  ],
} as const satisfies Partial<Row>;
const noCode = {
  bad: [
    ['', 'empty', 'unknown-language'],
    ['english please', 'unknown-language'],
  ],
  longFault: 'unknown-language',
} as const satisfies Partial<Row>;
const taskId = string('taskId', {
  good: [...text, '.', 'a/b?c=d&e'],
  bad: [
    ['', 'empty', 'blank'],
    [' \t', 'blank'],
    ['\u200b\u0000', 'blank'],
  ],
});
/** In a creation, the empty task id of the project counts as absent. */
const ownTaskId: Row = { ...taskId, bad: (taskId.bad ?? []).slice(1) };
const blank: Row['bad'] = [
  ['', 'blank'],
  [' ', 'blank'],
  ['\t\u200b\u00a0\u0000', 'blank'],
];
const dates: Partial<Row> = {
  type: 'date (UTC)',
  most: null,
  required: true,
  bad: [
    ['', 'invalid-date', 'empty'],
    ['now', 'invalid-date'],
    ['2099-01-01', 'invalid-date'],
    ['2099-01-01 00:00:00Z', 'invalid-date'],
    ['2099-01-01T00:00:00+24:00', 'invalid-date'],
    ['2099-02-30T00:00:00Z', 'invalid-date'],
    ['2099-01-01T25:00:00Z', 'invalid-date'],
    ['2099-01-01T00:00:00.1234567891Z', 'invalid-date'],
  ],
};

const PROJECT: Table = {
  heading: 'Project (request on create)',
  pointer: '',
  rows: [
    string('customId', {
      // Empty, because a custom id can be used only once.
      good: [],
      bad: [
        ['', 'empty'],
        ['.', 'reserved-name'],
        ['..', 'reserved-name'],
      ],
      most: 255,
    }),
    ownTaskId,
    string('name', { required: true, bad: blank }),
    string('description', { good: [...text, ''], most: 10_000 }),
    string('startDateUtc', { ...dates, good: [] }),
    string('endDateUtc', {
      ...dates,
      good: ['2099-12-31T23:59:59Z', '2099-12-31T23:59:59.1234567Z', '2096-02-29T00:00:00.5Z'],
    }),
    { field: 'sourceLanguageId', type: 'int64', good: [41], whenAbsent: 41, ...noLanguage },
    string('sourceLanguageCode', { good: ['en-US', 'EN-us', 'en_US'], ...noCode }),
    { field: 'targetLanguages', type: 'array', required: true, good: [], bad: [[[], 'too-few']] },
    { field: 'segments', type: 'array', required: true, good: [], bad: [[[], 'too-few']] },
    string('referenceNumber'),
    string('customField1'),
    string('customField2'),
  ],
};

const TARGET_LANGUAGE: Table = {
  heading: 'Target language entry',
  pointer: '/targetLanguages/0',
  rows: [
    { field: 'targetLanguageId', type: 'int64', good: [53], whenAbsent: 53, ...noLanguage },
    string('targetLanguageCode', { good: ['de-DE', 'DE-de', 'de_DE'], ...noCode }),
    boolean('managedProject'),
    boolean('serviceTranslation'),
    boolean('serviceProofreading'),
    boolean('serviceAutomaticTranslation'),
    string('state', {
      good: ['InProgress', 'InPreparation'],
      bad: [
        ['', 'not-allowed', 'empty'],
        ['inprogress', 'not-allowed'],
        ['Completed', 'not-allowed'],
      ],
      whenAbsent: 'InProgress',
      most: null,
    }),
    { field: 'team', type: 'array', good: [[]] },
    string('referenceNumber'),
    string('customField1'),
    string('customField2'),
    string('additionalInfo', { most: 10_000 }),
  ],
};

const MEMBER: Table = {
  heading: 'Team member',
  pointer: '/targetLanguages/0/team/0',
  rows: [
    { field: 'id', type: 'integer', required: true, ...positive },
    string('name', { required: true, bad: blank }),
    string('username', {
      required: true,
      good: ['a@example.com', 'First.Last+tag@sub.example.org'],
      bad: [
        ['', 'invalid-email', 'empty'],
        ['someone', 'invalid-email'],
        ['someone@', 'invalid-email'],
        ['some one@example.com', 'invalid-email'],
      ],
      long: (codePoints) => 'someone@example.com'.padStart(codePoints, 'x'),
    }),
    string('phone'),
    boolean('isProjectManager'),
    boolean('isTranslator'),
    boolean('isProofreader'),
    boolean('isInCountryReviewer'),
  ],
};

const SEGMENT: Table = {
  heading: 'Segment',
  pointer: '/segments/0',
  rows: [
    string('customId'),
    string('content', {
      required: true,
      good: [...text, ' ', '<p class="a">Text &amp; <b>markup</b></p>\r\n', 'e\u0301 is not \u00e9', '\ufeffmark'],
      bad: [['', 'empty']],
      most: null,
    }),
    string('notes', { most: 10_000 }),
    taskId,
    { field: 'languageSpecificNotes', type: 'array', good: [[]] },
  ],
};

const NOTE: Table = {
  heading: 'Language note',
  pointer: '/segments/0/languageSpecificNotes/0',
  rows: [
    { field: 'languageId', type: 'int64', good: [53], whenAbsent: 53, ...noLanguage },
    string('languageCode', { good: ['de-DE', 'DE-de', 'de_DE'], whenAbsent: 'de-DE', ...noCode }),
    string('note', { whenAbsent: null, most: 10_000 }),
  ],
};

/** The tables of request fields in `service.md`, row by row. */
export const TABLES: readonly Table[] = [PROJECT, TARGET_LANGUAGE, MEMBER, SEGMENT, NOTE];

/** The tables of "Known extension fields" in `decisions.md`. */
export const EXTENSIONS: readonly Table[] = [
  {
    heading: 'Project',
    pointer: PROJECT.pointer,
    rows: [
      { field: 'domainId', type: 'integer', ...positive },
      string('eventUrl', {
        good: ['https://example.com/hook?a=b'],
        bad: [
          ['http://example.com/', 'invalid-url'],
          ['example.com', 'invalid-url'],
        ],
        long: (codePoints) => `https://example.com/${'😀'.repeat(codePoints - 20)}`,
      }),
      { field: 'processId', type: 'integer', ...positive },
    ],
  },
  {
    heading: 'Target language',
    pointer: TARGET_LANGUAGE.pointer,
    rows: [
      boolean('serviceAdaptiveTranslation'),
      boolean('serviceScoring'),
      { field: 'styleGuideId', type: 'integer', ...positive },
    ],
  },
];

/**
 * The table "Project (response on create)": the fields that the service adds, without those that a request may have.
 */
export const ADDED: readonly {
  readonly level: string;
  readonly pointer: string;
  readonly fields: readonly string[];
}[] = [
  { level: 'project', pointer: PROJECT.pointer, fields: ['id', 'creationDateUtc', 'domain'] },
  { level: 'target language entry', pointer: TARGET_LANGUAGE.pointer, fields: ['id', 'progress', 'flag'] },
  {
    level: 'team member',
    pointer: MEMBER.pointer,
    fields: [
      'translationRate',
      'translationProductivity',
      'proofreadedBy',
      'proofreadingRate',
      'proofreadingProductivity',
    ],
  },
  { level: 'segment', pointer: SEGMENT.pointer, fields: ['id'] },
];

/** Values of every other JSON type, for each type of a field. */
export const WRONG_TYPES: Readonly<Record<FieldType, readonly Json[]>> = {
  string: [7, true, {}, ['a']],
  int64: ['41', true, {}, [41]],
  integer: ['7', true, {}, [7]],
  boolean: ['true', 1, {}, [true]],
  'date (UTC)': [1_700_000_000, true, {}, []],
  array: ['a', 7, true, {}],
};
