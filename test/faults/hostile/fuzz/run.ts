import assert from 'node:assert/strict';
import fc from 'fast-check';
import { converse } from './client.ts';
import { type Conversation, conversationsOf, Manner } from './conversation.ts';
import { type Deeds, judge } from './oracle.ts';
import { utterances } from './requests.ts';
import { lookAt, requireOnly, requireTidy } from './store.ts';
import { memoryMiB, requireDiscretion } from './traces.ts';
import { World } from './world.ts';

/** How many requests were sent on how many connections, what came of them, and the most memory that the gateway took. */
export interface Counts {
  readonly connections: number;
  readonly answers: number;
  readonly created: number;
  readonly deleted: number;
  readonly memoryMiB: number;
}

/** Connections that are open at once. */
const LANES = 24;
/** Requests that are made up at once, so that their start dates are never old. */
const BATCH = 10_000;
const MOST_MIB = 512;

/**
 * Sends so many hostile requests to a gateway over bare connections: none may break it, change what it may not change,
 * or go without a proper answer.
 * @throws with the seed, which decides everything that is sent but ids, dates and tokens
 */
export async function checkFuzz(requests: number, seed: number): Promise<Counts> {
  const world = await World.start();
  try {
    const before = await lookAt(world);
    const deeds: Deeds = { created: new Map(), accepted: new Set(), deleted: new Map(), answers: 0 };
    let connections = 0;
    for (let done = 0; done < requests; done += BATCH) {
      const conversations = madeUp(world, Math.min(BATCH, requests - done), seed + done);
      connections += conversations.length;
      await holdAll(world, conversations, deeds);
    }
    await requireOnly(world, before, deeds);
    const memory = memoryMiB(world.gateway.process.pid ?? 0);
    assert(memory < MOST_MIB, `the gateway took ${memory} MiB`);
    requireDiscretion(world);
    await world.stop();
    requireTidy(world);
    const { answers, created, deleted } = deeds;
    return { connections, answers, created: created.size, deleted: deleted.size, memoryMiB: memory };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Seed ${seed}: ${reason}`, { cause });
  } finally {
    await world.gateway.stop();
    await world.remove();
  }
}

function madeUp(world: World, requests: number, seed: number): Conversation[] {
  return conversationsOf(fc.sample(fc.tuple(utterances(world), Manner), { numRuns: requests, seed }));
}

async function holdAll({ port }: World, conversations: readonly Conversation[], deeds: Deeds): Promise<void> {
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

const MOST_SHOWN = 1_000;

function shown({ utterances: said }: Conversation): string {
  return said.map(({ bytes }) => quoted(bytes)).join('\n  then ');
}

/** Bytes as a text that can be put into a program. */
function quoted(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, MOST_SHOWN).toString('latin1'));
}
