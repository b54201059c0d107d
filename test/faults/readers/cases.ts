import type { SourceFormat } from '../../../packages/files/source-file.ts';
import type { Random } from '../../../packages/simulator/random.ts';
import { GRAMMARS } from './grammar.ts';
import { type Growth, growthOf } from './growth.ts';
import { type Work, workWithExport, workWithFile, workWithTranslation } from './work.ts';

/** A text of any size, and the work with it. */
export interface ReaderCase {
  readonly name: string;
  readonly work: Work;
  /** Returns the text with about so many characters. */
  readonly textOf: (size: number) => string;
}

/** A place where pieces of a grammar are repeated. */
export interface Place {
  readonly format: SourceFormat;
  readonly name: string;
  readonly work: Work;
  readonly around: readonly [before: string, after: string];
}

/** Returns the places of a format: in a file, in a translation that is filled into a file, and in a text to export. */
export async function placesOf(format: SourceFormat): Promise<Place[]> {
  const { contexts, files } = GRAMMARS[format];
  const inFile = await workWithFile(format);
  const places: Place[] = contexts.map((around) => {
    return { format, name: around.map(quote).join(' … '), work: inFile, around };
  });
  for (const file of files) {
    const work = await workWithTranslation(format, file);
    places.push({ format, name: `a translation in ${quote(file)}`, work, around: ['', ''] });
  }
  return [...places, { format, name: 'a text to export', work: await workWithExport(format), around: ['', ''] }];
}

/** Returns the cases of a format in which there is one thing for each of many others. */
export async function crossingsOf(format: SourceFormat): Promise<ReaderCase[]> {
  const work = await workWithFile(format);
  return Object.entries(GRAMMARS[format].crossings ?? {}).map(([name, write]) => {
    return { name: `${format}: ${name}`, work, textOf: (size) => write(Math.ceil(size / CROSSED_LENGTH)) };
  });
}

/** About how many characters of a text belong to each thing that is repeated in a crossing. */
const CROSSED_LENGTH = 16;

/** Returns the case in which one piece is repeated in a place. */
export function singleCase({ format, name, work, around: [before, after] }: Place, piece: string): ReaderCase {
  const textOf = (size: number) => before + piece.repeat(size / piece.length) + after;
  return { name: `${format}: ${quote(piece)} in ${name}`, work, textOf };
}

/** How two pieces become a text. */
const SHAPES: Readonly<Record<string, (one: string, other: string, size: number) => string>> = {
  'in turn': (one, other, size) => (one + other).repeat(size / (one + other).length),
  'one after the other': (one, other, size) =>
    one.repeat(size / 2 / one.length) + other.repeat(size / 2 / other.length),
  'the second at the end': (one, other, size) => one.repeat(size / one.length) + other,
  'the second at the start': (one, other, size) => other + one.repeat(size / one.length),
};

/** Returns a case in which two pieces are repeated in a place. */
export function pairCase({ format, name, work, around: [before, after] }: Place, random: Random): ReaderCase {
  const { pieces } = GRAMMARS[format];
  const [one, other] = [random.pick(pieces), random.pick(pieces)];
  const [shape, join] = random.pick(Object.entries(SHAPES));
  const textOf = (size: number) => before + join(one, other, size) + after;
  return { name: `${format}: ${quote(one)} and ${quote(other)} ${shape} in ${name}`, work, textOf };
}

/**
 * Does the work of a case in growing sizes.
 * @returns the growth if it is more than linear
 * @throws an error if the work fails with anything but a fault of the file
 */
export function growthOfCase({ name, work, textOf }: ReaderCase, maxSize: number): Growth | undefined {
  try {
    return growthOf((size) => {
      const text = textOf(size);
      return () => work(text);
    }, maxSize);
  } catch (cause) {
    throw new Error(`${name} failed: ${cause}`, { cause });
  }
}

/** Formats a growth for people. */
export function formatGrowth({ name }: ReaderCase, { size, ms, quarterMs }: Growth): string {
  return `${name}: ${ms.toFixed(0)} ms for a size of ${size}, ${quarterMs.toFixed(1)} ms for a quarter of it`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
