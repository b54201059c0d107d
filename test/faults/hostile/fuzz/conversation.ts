import fc from 'fast-check';
import type { Utterance } from './draft.ts';
import { fraction } from './spoils.ts';

/** What is said on one connection, and in which pieces. */
export interface Conversation {
  readonly utterances: readonly Utterance[];
  readonly pieces: readonly Buffer[];
  /** Whether the other side is left without waiting for an answer. */
  readonly isAbandoned: boolean;
}

/** How one utterance is said, if it is the first of its connection. */
export const Manner = fc.record({
  /** How many more are said before the first answer is there. */
  more: fc.nat(4),
  /** Where the bytes are parted, as fractions of them. */
  cuts: fc.array(fraction, { maxLength: 3 }),
  isAbandoned: fc.boolean(),
});
export type Manner = typeof Manner extends fc.Arbitrary<infer Value> ? Value : never;

/** Puts utterances on connections: none after one that ends its connection. */
export function conversationsOf(said: readonly (readonly [Utterance, Manner])[]): Conversation[] {
  const conversations: Conversation[] = [];
  let utterances: Utterance[] = [];
  let manner: Manner | undefined;
  for (const [utterance, own] of said) {
    manner ??= own;
    utterances.push(utterance);
    if (!utterance.isLast && utterance.isSound && utterances.length <= manner.more) continue;
    const bytes = Buffer.concat(utterances.map((each) => each.bytes));
    // Who leaves may not know what came of it: that is tried with what nothing can come of.
    const isAbandoned = manner.isAbandoned && utterances.every(({ isCut }) => isCut);
    conversations.push({ utterances, pieces: parted(bytes, manner.cuts), isAbandoned });
    utterances = [];
    manner = undefined;
  }
  return conversations;
}

function parted(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => Math.floor(bytes.length * cut)), bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}
