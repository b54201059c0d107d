import { LIMITS } from '../../../lib/contract/limits.ts';
import { type JsonObject, smallProject } from '../../support/projects.ts';
import { type Attack, AUTOMATIC, targets } from './attack.ts';

/** The parts of which a content is made, over and over. A nested part surrounds the rest of the content. */
const UNITS: Readonly<Record<string, string | readonly [open: string, close: string]>> = {
  lines: 'a\n',
  sentences: 'A. ',
  'tags around a letter': '<b>a</b> ',
  'block elements': '<p>a</p>',
  'line elements': 'a<br>',
  'nested tags': ['<b>', '</b>'],
  'nested block elements': ['<div>a', '</div>'],
  'opening brackets': '<',
  'openings of tags': '<a b="',
  'openings of comments': '<!--',
  entities: '&amp; ',
  ampersands: '&',
  placeholders: '%s a ',
  'percent signs': '%',
  'double braces': '{{',
  'ICU choices': '{n, plural, other {a}} ',
  'nested ICU choices': ['{n, plural, other {a ', '}}'],
  quotes: '"',
  apostrophes: "'",
  'one long word': 'a',
  addresses: 'http://a.b ',
  'e-mail addresses': 'a@b.c ',
  spaces: 'a    ',
  'characters of four bytes': '😀',
};

/** The parts that cost most before they were bounded. */
const SAMPLED = ['lines', 'tags around a letter', 'placeholders', 'ICU choices'];

/** The most sentences or placeholders of a content that are translated. */
const MOST_SENTENCES = 20_000;
const LANGUAGES = 3;
const CONTENTS = 3;
const CONTENT_BYTES = [LIMITS.contentBytes, 650_000, 400_000, 200_000];
/** The names in a project are too few to count. */
const ROOM_BYTES = 10_000;

/** Returns a content of parts, of at most so many bytes and parts. */
function contentOf(unit: (typeof UNITS)[string], maxBytes: number, maxParts = Infinity): string {
  const [open, close] = typeof unit === 'string' ? [unit, ''] : unit;
  const parts = Math.min(maxParts, Math.floor(maxBytes / Buffer.byteLength(open + close)));
  return open.repeat(parts) + close.repeat(parts);
}

function automatic(contents: readonly string[], languages: number): JsonObject {
  const segments = contents.map((content) => ({ content }));
  return smallProject({ segments, targetLanguages: targets(languages, AUTOMATIC) });
}

function* longest(unit: (typeof UNITS)[string]): Iterable<JsonObject> {
  for (const bytes of CONTENT_BYTES) yield automatic(Array(CONTENTS).fill(contentOf(unit, bytes)), LANGUAGES);
}

/** Returns contents with as many parts as may be translated. */
function* mostTranslated(unit: (typeof UNITS)[string]): Iterable<JsonObject> {
  const content = contentOf(unit, LIMITS.contentBytes, MOST_SENTENCES);
  for (const count of [CONTENTS, 1]) yield automatic(Array(count).fill(content), LANGUAGES);
}

/** Returns a body's worth of contents of 20,000 lines. */
function* manyLines(): Iterable<JsonObject> {
  const content = contentOf('a\n', LIMITS.contentBytes, MOST_SENTENCES);
  const count = Math.floor((LIMITS.bodyBytes - ROOM_BYTES) / JSON.stringify({ content }).length);
  for (const languages of [150, 10, 3, 2, 1]) yield automatic(Array(count).fill(content), languages);
}

function* manySegments(): Iterable<JsonObject> {
  for (const count of [LIMITS.segments, 13_333, 6_000]) {
    yield automatic(
      Array.from({ length: count }, (_, n) => `a ${n}`),
      LIMITS.targetLanguages,
    );
  }
}

/** Attacks by the texts that an engine translates. */
export const TEXTS: readonly Attack[] = [
  {
    title: '1 MiB of lines, one language',
    kind: 'texts',
    isSampled: true,
    projects: [() => [automatic([contentOf('a\n', LIMITS.contentBytes)], 1)]],
  },
  ...Object.entries(UNITS).map(
    ([name, unit]): Attack => ({
      title: `3 MiB of ${name}`,
      kind: 'texts',
      isSampled: SAMPLED.includes(name),
      projects: [() => longest(unit), () => mostTranslated(unit)],
    }),
  ),
  { title: 'contents of 20,000 lines', kind: 'texts', projects: [manyLines] },
  { title: 'segments in 150 languages', kind: 'texts', isSampled: true, projects: [manySegments] },
];
