import * as fc from 'fast-check';
import { TRANSLATION_STATUSES } from '../../../lib/contract/translation-status.ts';
import type { FileSegment, FileTranslation, TranslationFile } from '../translation-file.ts';

export const PROJECT = { id: 4_711, name: 'Spring catalogue', sourceLanguageCode: 'en-GB' };

/** Returns a file of a project with segments 1, 2, 3 and so on. */
export function fileOf(segments: readonly Partial<FileSegment>[]): TranslationFile {
  return {
    project: PROJECT,
    languageCode: 'de-DE',
    segments: segments.map((segment, index) => ({
      id: index + 1,
      content: `Text ${index + 1}`,
      notes: [],
      ...segment,
    })),
  };
}

/** Returns a translation of version 1. */
export function translated(content: string, status: FileTranslation['status'] = 'translated'): FileTranslation {
  return { content, status, version: 1 };
}

/** Pieces of hostile content. */
const PIECES = [
  '<b>',
  '</b>',
  '<p class="x">',
  '</p>',
  '<br>',
  '<br/>',
  '<a href="https://example.com/?a=1&amp;b=2" title=\'x>y\'>',
  '</a>',
  '<i><b></i></b>',
  '<!-- a > comment -->',
  '<!--',
  '<![CDATA[ x ]]>',
  ']]>',
  '<?php echo 1 ?>',
  '<',
  '>',
  '&',
  '&amp;',
  '&#13;',
  '"',
  "'",
  '\\',
  '\\n',
  '\n',
  '\r',
  '\r\n',
  '\t',
  ' ',
  '\0',
  '\u0001',
  '\u000b',
  '\u001b[31m',
  '\u007f',
  '\u0085',
  '\u2028',
  '\u202e',
  '\u200f',
  '\ufeff',
  '\ufffe',
  '\uffff',
  '😀',
  '=1+1',
  '@SUM(A1)',
  "'=x",
  ',',
  ';',
  '{0}',
  '%s',
  '{{name}}',
  '{count, plural, one {# file} other {# files}}',
  'msgid "x"',
  '__proto__',
  'Hello, world',
  '人権',
];

const hostile = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
  fc.constantFrom(...PIECES),
);

/** Contents of segments: markup, control characters, and everything else that a format may break on. */
export const contents = hostile.filter((text) => text.isWellFormed());

const statuses = fc.constantFrom(...TRANSLATION_STATUSES.filter((status) => status !== 'untranslated'));
const translations = fc.record({ content: contents, status: statuses, version: fc.integer({ min: 1, max: 9 }) });

/** Files of a project, with hostile texts everywhere. */
export const files: fc.Arbitrary<TranslationFile> = fc
  .array(
    fc.record({
      content: contents,
      notes: fc.array(contents, { maxLength: 2 }),
      customId: fc.option(contents, { nil: undefined }),
      taskId: fc.option(contents, { nil: undefined }),
      translation: fc.option(translations, { nil: undefined }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map(fileOf);
