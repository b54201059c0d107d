import type { Random } from '../../../../local/simulator/random.ts';
import { creation, type DeliveryWorld } from '../world.ts';

/** What a message is, and what must come of it. */
export interface Kind {
  readonly name: string;
  readonly source: string;
  /** What it says, for its number. */
  readonly body: (n: number) => unknown;
  /** The problem that it is a dead letter for; absent where it is applied. */
  readonly problem?: string;
}

/** A creation, by its number: it has no custom id, so that nothing but its key keeps it from being made twice. */
const page = (n: number) => creation({ name: `page ${n}`, segments: [{ content: `Text ${n}` }] });

export const CREATION: Kind = { name: 'creation', source: 'cms', body: page };
export const DELETION: Kind = {
  name: 'deletion',
  source: 'shop',
  body: (n) => ({ delete: { scope: 'project', customId: `old ${n}` } }),
};

/** Two commands that are equal: each of them is a project. */
export const PAIR: Kind = { name: 'pair', source: 'cms', body: (n) => [page(n), page(n)] };

/** Half of what comes is to be created. */
const KINDS: readonly Kind[] = [
  ...Array.from({ length: 6 }, () => CREATION),
  DELETION,
  PAIR,
  { name: 'nothing', source: 'cms', body: (n) => ({ nothing: n }) },
  { name: 'no project', source: 'shop', body: (n) => ({ create: { name: `bad ${n}` } }), problem: 'invalid-project' },
  { name: 'no command', source: 'cms', body: (n) => ({ remove: n }), problem: 'invalid-parameter' },
  { name: 'no JSON', source: 'shop', body: (n) => `{"open": ${n}`, problem: 'malformed-json' },
  { name: 'from where the mapping fails', source: 'broken', body: page, problem: 'mapping-failed' },
];

/** A message of some kind, told from every other by its number. What it deletes is there. */
export async function newMessage(world: DeliveryWorld, n: number, random: Random) {
  const kind = random.pick(KINDS);
  if (kind === DELETION) {
    const { create } = creation({ customId: `old ${n}`, name: `old ${n}` });
    await world.make(create);
  }
  const message = world.message(kind.body(n), { source: kind.source, id: `${n} ${kind.name}`.padEnd(43, '_') });
  return { n, kind, message };
}
