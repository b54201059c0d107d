import assert from 'node:assert/strict';
import { Problem } from '../../../lib/contract/problem.ts';
import { PROBLEMS } from '../../../lib/contract/problems.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import type { Delivery } from '../../../lib/webhooks/delivery-records.ts';
import type { Mapper } from '../../../lib/webhooks/mapping/mapper.ts';
import { type Random, randomFrom } from '../../../packages/simulator/random.ts';
import { faulty, storeFailure, WAYS } from '../../faults/faulty.ts';
import { creation, DeliveryWorld, identity, LEASE_MS } from './world.ts';

/** A kind of message, and its result. */
interface Kind {
  readonly name: string;
  readonly source: string;
  /** Returns the body of the message with a number. */
  readonly body: (n: number) => unknown;
  /** The number of projects that the message creates. */
  readonly creates?: number;
  /** The problem of the dead letter; absent if the message is applied. */
  readonly problem?: string;
}

/** Returns a create without a custom id, so that only its idempotency key keeps it from running twice. */
const page = (n: number) => creation({ name: `page ${n}`, segments: [{ content: `Text ${n}` }] });
const CREATION: Kind = { name: 'creation', source: 'cms', body: page, creates: 1 };
const DELETION: Kind = {
  name: 'deletion',
  source: 'shop',
  body: (n) => ({ delete: { scope: 'project', customId: `old ${n}` } }),
};

/** Half of the messages create. */
const KINDS: readonly Kind[] = [
  ...Array.from({ length: 6 }, () => CREATION),
  DELETION,
  { name: 'equal pair', source: 'cms', body: (n) => [page(n), page(n)], creates: 2 },
  { name: 'nothing', source: 'cms', body: (n) => ({ nothing: n }) },
  { name: 'no project', source: 'shop', body: (n) => ({ create: { name: `bad ${n}` } }), problem: 'invalid-project' },
  { name: 'no command', source: 'cms', body: (n) => ({ remove: n }), problem: 'invalid-parameter' },
  { name: 'no JSON', source: 'shop', body: (n) => `{"open": ${n}`, problem: 'malformed-json' },
  { name: 'failing mapping', source: 'broken', body: page, problem: 'mapping-failed' },
];

interface Sent {
  readonly n: number;
  readonly kind: Kind;
  readonly message: Delivery;
}

/** Returns a random message with a number. If it deletes a project, that project is created first. */
async function newMessage(world: DeliveryWorld, n: number, random: Random): Promise<Sent> {
  const kind = random.pick(KINDS);
  if (kind === DELETION) await world.make(creation({ customId: `old ${n}`, name: `old ${n}` }).create);
  const message = world.message(kind.body(n), { source: kind.source, id: `${n} ${kind.name}`.padEnd(43, '_') });
  return { n, kind, message };
}

/** The numbers of deliveries by their end, of repeated messages, and of faulty workers. */
export interface DeliveryCounts {
  readonly applied: number;
  readonly dead: number;
  readonly duplicates: number;
  readonly faults: number;
}

const MAX_BATCH = 40;
/** The largest number of calls before a faulty worker fails. */
const MAX_CALLS = 120;

/**
 * Sends messages, some of them repeatedly and in any order. Workers are killed, or their stores fail at any call, and
 * often two run at once. Each message must be applied once or become a dead letter.
 * @throws if one is lost, or was applied twice
 */
export async function checkDeliveries(count: number, seed: number, store?: ListedStore): Promise<DeliveryCounts> {
  const random = randomFrom(seed);
  const world = new DeliveryWorld(store);
  for (const [name, mapping] of Object.entries({ cms: 'body', shop: 'body', broken: 'fails' })) {
    world.sources.set(name, { name, companyId: 'acme', mapping });
  }
  const sent: Sent[] = [];
  let duplicates = 0;
  let faults = 0;
  while (sent.length < count) {
    const batch: Delivery[] = [];
    for (let n = random.below(MAX_BATCH); n >= 0; n--) {
      const isRepeated = sent.length === count || (sent.length > 0 && random.chance(0.3));
      const next = isRepeated ? random.pick(sent) : await newMessage(world, sent.length, random);
      if (isRepeated) duplicates++;
      else sent.push(next);
      batch.splice(random.below(batch.length + 1), 0, next.message);
    }
    for (const message of batch) await send(world, message, random);
    const workers = Array.from({ length: random.chance(0.4) ? 2 : 1 }, () => workFaulty(world, random));
    faults += (await Promise.all(workers)).filter((isFaulty) => isFaulty).length;
    world.nowMs += random.below(LEASE_MS);
  }
  await world.settle({ mapper });
  return { ...(await countEnds(world, sent)), duplicates, faults };
}

/** Sends a message, and once more if it is not accepted. */
async function send(world: DeliveryWorld, message: Delivery, random: Random): Promise<void> {
  const way = random.chance(0.1) ? random.pick(['fails before', 'fails after'] as const) : undefined;
  const broken = faulty((call) => (call === 1 ? way : undefined), storeFailure);
  await world
    .processThrough(broken.through)
    .inbox.accept(message)
    .catch(() => world.inbox.accept(message));
}

/**
 * Runs a worker that fails in most cases.
 * @returns whether it failed
 */
async function workFaulty(world: DeliveryWorld, random: Random): Promise<boolean> {
  const failing = random.chance(0.7) ? 1 + random.below(MAX_CALLS) : 0;
  const way = random.chance(0.6) ? 'stops after' : random.pick(WAYS);
  const broken = faulty((call) => (call === failing ? way : undefined), storeFailure);
  const calls = await world.runFaulty(broken, { mapper, random: () => random.next() });
  return failing > 0 && calls >= failing;
}

const mapper: Mapper = {
  ...identity,
  async apply(mapping, { body }) {
    if (mapping === 'fails') throw new Problem('mapping-failed', { detail: 'It fails.' });
    return typeof body === 'object' && body !== null && 'nothing' in body ? undefined : body;
  },
};

/** Checks the end of every message. */
async function countEnds(
  world: DeliveryWorld,
  sent: readonly Sent[],
): Promise<Pick<DeliveryCounts, 'applied' | 'dead'>> {
  const names = Map.groupBy(await world.names(), (name) => name);
  let applied = 0;
  for (const { n, kind, message } of sent) {
    const state = await world.stateOf(message);
    const made = names.get(`page ${n}`)?.length ?? 0;
    const where = `${kind.name} ${n}, ${state.kind}`;
    const { creates = 0 } = kind;
    if (state.kind === 'done') {
      applied++;
      assert.equal(kind.problem, undefined, where);
      assert.equal(made, creates, where);
      if (kind === DELETION) assert(!names.has(`old ${n}`), where);
    } else {
      assert(state.kind === 'dead', where);
      const { problem } = state.failure;
      // All its attempts may have been cut off, or the store may have failed.
      const hasGivenUp = PROBLEMS[problem].retryable || PROBLEMS[problem].outcome === 'unknown';
      assert(problem === kind.problem || hasGivenUp, `${where}: ${problem}`);
      assert(made <= (hasGivenUp ? creates : 0), where);
    }
  }
  const dead = sent.length - applied;
  assert.equal((await Array.fromAsync(world.letters.list({}))).length, dead);
  return { applied, dead };
}
