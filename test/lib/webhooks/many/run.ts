import assert from 'node:assert/strict';
import { Problem } from '../../../../lib/contract/problem.ts';
import { PROBLEMS } from '../../../../lib/contract/problems.ts';
import type { ListedStore } from '../../../../lib/storage/port.ts';
import { LEASE_MS } from '../../../../lib/webhooks/attempt-delivery.ts';
import type { Delivery } from '../../../../lib/webhooks/delivery-records.ts';
import type { Mapper, MappingInput } from '../../../../lib/webhooks/mapping/mapper.ts';
import { type Random, randomFrom } from '../../../../local/simulator/random.ts';
import { faulty, storeFailure, throughout, WAYS } from '../../../faults/faulty.ts';
import { DeliveryWorld, identity, itemsThrough } from '../world.ts';
import { CREATION, DELETION, newMessage, PAIR } from './messages.ts';

/** What many deliveries came to. */
export interface Came {
  readonly applied: number;
  readonly dead: number;
  /** How often one was sent that had been sent before. */
  readonly duplicates: number;
  /** How many workers did not live to their end, or had a store that failed. */
  readonly faults: number;
}

type Sent = Awaited<ReturnType<typeof newMessage>>;

/** How many are sent at once, and calls of a run among which one fails. */
const MOST_AT_A_TIME = 40;
const MOST_CALLS = 120;

/**
 * Sends messages, some again and again and in any order, to processes that are killed or whose stores fail at any call,
 * often two at once; then requires of each that it was applied once or is a dead letter.
 * @throws where one is lost, or was applied twice
 */
export async function checkDeliveries(count: number, seed: number, store?: ListedStore): Promise<Came> {
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
    for (let n = random.below(MOST_AT_A_TIME); n >= 0; n--) {
      const isAgain = sent.length === count || (sent.length > 0 && random.chance(0.3));
      if (isAgain) duplicates++;
      else sent.push(await newMessage(world, sent.length, random));
      // one that was sent lately, or long ago: duplicates come late, and out of order
      const { message } = isAgain ? random.pick(sent.slice(-random.below(sent.length) - 1)) : (sent.at(-1) ?? never());
      batch.splice(random.below(batch.length + 1), 0, message);
    }
    for (const message of batch) await send(world, message, random);
    const workers = Array.from({ length: random.chance(0.4) ? 2 : 1 }, () => workBadly(world, random));
    faults += (await Promise.all(workers)).filter((isFaulty) => isFaulty).length;
    world.nowMs += random.below(LEASE_MS);
  }
  await settle(world);
  return { ...(await judged(world, sent)), duplicates, faults };
}

/** A sender that hears nothing good sends it again. */
async function send(world: DeliveryWorld, message: Delivery, random: Random): Promise<void> {
  const way = random.chance(0.1) ? random.pick(['fails before', 'fails after'] as const) : undefined;
  const broken = faulty((call) => (call === 1 ? way : undefined), storeFailure);
  const { inbox } = new DeliveryWorld(itemsThrough(world.store, broken.through));
  await inbox.accept(message).catch(() => world.inbox.accept(message));
}

/** Lets a process work, mostly one that fails on the way. @returns whether it did */
async function workBadly(world: DeliveryWorld, random: Random): Promise<boolean> {
  const failing = random.chance(0.7) ? 1 + random.below(MOST_CALLS) : 0;
  const way = random.chance(0.6) ? 'stops after' : random.pick(WAYS);
  const broken = faulty((call) => (call === failing ? way : undefined), storeFailure);
  const store = itemsThrough(world.store, broken.through);
  const service = world.service(throughout(world.projects, broken.through));
  const working = world.run({ store, service, mapper, random: () => random.next() }).catch(() => {});
  await Promise.race([working, broken.stopped]);
  return failing > 0 && broken.calls() >= failing;
}

/** Applies a mapping as a source of this world has it. */
const mapper: Mapper = {
  ...identity,
  async apply(mapping: string, { body }: MappingInput) {
    if (mapping === 'fails') throw new Problem('mapping-failed', { detail: 'It fails.' });
    return isNothing(body) ? undefined : body;
  },
};

function isNothing(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'nothing' in body;
}

/** Works until nothing is open. */
async function settle(world: DeliveryWorld): Promise<void> {
  for (let minutes = 0; minutes < 60; minutes++) {
    world.nowMs += 2 * LEASE_MS;
    await world.run({ mapper });
  }
}

async function judged(world: DeliveryWorld, sent: readonly Sent[]): Promise<Pick<Came, 'applied' | 'dead'>> {
  const names = Map.groupBy(await world.names(), (name) => name);
  let applied = 0;
  let dead = 0;
  for (const { n, kind, message } of sent) {
    const state = await world.stateOf(message);
    const made = names.get(`page ${n}`)?.length ?? 0;
    const where = `${kind.name} ${n}, ${state.kind}`;
    const most = kind === PAIR ? 2 : Number(kind === CREATION);
    if (state.kind === 'done') {
      applied++;
      assert.equal(kind.problem, undefined, where);
      assert.equal(made, most, where);
      if (kind === DELETION) assert(!names.has(`old ${n}`), where);
    } else {
      dead++;
      assert(state.kind === 'dead', where);
      const { problem } = state.failure;
      // it may have been cut off or have met a store that failed as often as it may be tried
      const hasGivenUp = PROBLEMS[problem].retryable || PROBLEMS[problem].outcome === 'unknown';
      assert(problem === kind.problem || hasGivenUp, `${where}: ${problem}`);
      assert(made <= (hasGivenUp ? most : 0), where);
    }
  }
  const letters = await Array.fromAsync(world.letters.list({}));
  assert.equal(letters.length, dead);
  assert.equal(applied + dead, sent.length);
  return { applied, dead };
}

function never(): never {
  throw new RangeError('Nothing was sent');
}
