import { SOURCE_FORMATS } from '../../../packages/files/source-file.ts';
import { randomFrom } from '../../../packages/simulator/random.ts';
import { crossingsOf, formatGrowth, growthOfCase, pairCase, placesOf, type ReaderCase, singleCase } from './cases.ts';
import { GRAMMARS } from './grammar.ts';

/** The largest text, in characters. */
const MAX_SIZE = 262_144;
/** How many faults end the search. */
const MAX_FAULTS = 100;

/** The figures of a search. */
export interface ReaderFigures {
  readonly places: number;
  readonly singles: number;
  readonly pairs: number;
}

/**
 * Repeats pieces of each format's grammar, and pairs of pieces, in each place of a file. It reads these files, fills them
 * in, exports and imports them.
 * @param count the number of texts, which the seed chooses
 * @throws an error with the texts whose time grows faster than their length, or that fail with anything but a fault
 */
export async function checkReaders(count: number, seed: number): Promise<ReaderFigures> {
  const random = randomFrom(seed);
  const places = (await Promise.all(SOURCE_FORMATS.map(placesOf))).flat();
  const crossings = (await Promise.all(SOURCE_FORMATS.map(crossingsOf))).flat();
  const singles = places.flatMap((place) => GRAMMARS[place.format].pieces.map((piece) => singleCase(place, piece)));
  const faults: string[] = [];
  let pairs = 0;
  for (let index = 0; index < count && faults.length < MAX_FAULTS; index++) {
    const isPair = random.chance(0.5);
    if (isPair) pairs++;
    const tested = crossings[index] ?? (isPair ? pairCase(random.pick(places), random) : random.pick(singles));
    faults.push(...faultsOf(tested));
  }
  if (faults.length > 0) throw new Error(`${faults.length} of ${count} texts take too long:\n${faults.join('\n')}`);
  return { places: places.length, singles: singles.length, pairs };
}

function faultsOf(tested: ReaderCase): string[] {
  try {
    const growth = growthOfCase(tested, MAX_SIZE);
    return growth ? [formatGrowth(tested, growth)] : [];
  } catch (error) {
    return [String(error)];
  }
}
