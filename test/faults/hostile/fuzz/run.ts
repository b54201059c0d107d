import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { peakBytes } from '../../../support/memory.ts';
import type { Utterance } from './draft.ts';
import { type Deeds, judge, requireDiscretion } from './oracle.ts';
import { utterances } from './requests.ts';
import { fraction } from './spoils.ts';
import { lookAt, requireOnly, requireTidy, startWorld, type World } from './world.ts';

/** The requests of one connection, and the pieces in which they are sent. */
export interface Conversation {
  readonly utterances: readonly Utterance[];
  readonly pieces: readonly Buffer[];
  /** Whether the client closes the connection without waiting for an answer. */
  readonly isAbandoned: boolean;
}

/** The way in which the requests of a connection are sent. */
const Manner = fc.record({
  /** The number of further requests that are sent before the first answer. */
  more: fc.nat(4),
  /** The places where the bytes are split, as fractions of their length. */
  cuts: fc.array(fraction, { maxLength: 3 }),
  isAbandoned: fc.boolean(),
});
type Manner = typeof Manner extends fc.Arbitrary<infer Value> ? Value : never;

/** Distributes requests over connections. A request that ends its connection is the last one on it. */
function conversationsOf(said: readonly (readonly [Utterance, Manner])[]): Conversation[] {
  const conversations: Conversation[] = [];
  let utterances: Utterance[] = [];
  let manner: Manner | undefined;
  for (const [utterance, own] of said) {
    manner ??= own;
    utterances.push(utterance);
    if (!utterance.isLast && utterance.isSound && utterances.length <= manner.more) continue;
    const bytes = Buffer.concat(utterances.map((each) => each.bytes));
    // A client that leaves cannot know the outcome, so it sends only requests without an effect.
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

/** The bytes that the gateway sent until the connection ended, and the code of the error that ended it, if any. */
export interface Heard {
  readonly bytes: Buffer;
  readonly error: string | undefined;
}

/** A time that is longer than any answer takes, in milliseconds. */
const SILENCE_MS = 20_000;

/** Sends all bytes, closes the sending side, and reads until the gateway closes the connection. */
async function converse(port: number, { pieces, isAbandoned }: Conversation): Promise<Heard> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  const chunks: Buffer[] = [];
  let error: string | undefined;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', (cause) => {
    error = 'code' in cause ? String(cause.code) : cause.message;
  });
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('no end')));
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  for (const piece of pieces) {
    socket.write(piece);
    await setImmediate();
  }
  if (isAbandoned) socket.destroy();
  else socket.end();
  await closed;
  return { bytes: Buffer.concat(chunks), error };
}

/** The numbers of connections, answers and changes, and the peak of the gateway's memory. */
interface Counts {
  readonly connections: number;
  readonly answers: number;
  readonly created: number;
  readonly deleted: number;
  readonly changed: number;
  readonly put: number;
  readonly memoryMiB: number;
}

/** The number of connections that are open at the same time. */
const LANES = 24;
/** The number of requests that are generated at once. It is small enough that their start dates stay valid. */
const BATCH = 10_000;
const MIB = 1_048_576;
const MAX_MIB = 512;

/**
 * Sends hostile requests to a gateway over bare connections. None may break the gateway, change another company's
 * projects, or stay without a valid answer.
 * @throws if one does. The message has the seed, which fixes the requests except their ids, dates and tokens
 */
export async function checkFuzz(requests: number, seed: number): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), 'segue-fuzz-'));
  const world = await startWorld(folder);
  try {
    const before = await lookAt(world);
    const deeds: Deeds = {
      created: new Map(),
      accepted: new Set(),
      deleted: new Map(),
      changed: new Set(),
      put: new Set(),
      answers: 0,
    };
    let connections = 0;
    for (let done = 0; done < requests; done += BATCH) {
      const conversations = madeUp(world, Math.min(BATCH, requests - done), seed + done);
      connections += conversations.length;
      await holdAll(world, conversations, deeds);
    }
    await requireOnly(world, before, deeds);
    const memoryMiB = Math.ceil(peakBytes(world.gateway.process.pid) / MIB);
    assert(memoryMiB < MAX_MIB, `the gateway took ${memoryMiB} MiB`);
    requireDiscretion(world);
    assert.equal(await world.gateway.stop(), 0);
    requireTidy(world);
    const { answers, created, deleted, changed, put } = deeds;
    return {
      connections,
      answers,
      created: created.size,
      deleted: deleted.size,
      changed: changed.size,
      put: put.size,
      memoryMiB,
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Seed ${seed}: ${reason}`, { cause });
  } finally {
    await world.gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function madeUp(world: World, requests: number, seed: number): Conversation[] {
  return conversationsOf(fc.sample(fc.tuple(utterances(world), Manner), { numRuns: requests, seed }));
}

async function holdAll({ gateway }: World, conversations: readonly Conversation[], deeds: Deeds): Promise<void> {
  const port = Number(new URL(gateway.url).port);
  const queue = conversations.entries();
  async function lane(): Promise<void> {
    for (const [index, conversation] of queue) {
      const heard = await converse(port, conversation);
      try {
        judge(conversation, heard, deeds);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`connection ${index}: ${reason}\nsaid ${shown(conversation)}\nheard ${quoted(heard.bytes)}`, {
          cause,
        });
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane));
}

const MAX_SHOWN = 1_000;

function shown({ utterances: said }: Conversation): string {
  return said.map(({ bytes }) => quoted(bytes)).join('\n  then ');
}

/** Returns bytes as a text that can be pasted into a program. */
function quoted(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, MAX_SHOWN).toString('latin1'));
}
