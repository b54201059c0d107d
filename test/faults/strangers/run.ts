import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import * as z from 'zod/mini';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { type HttpRequest, send } from '../../support/http.ts';
import { segments, smallProject } from '../../support/projects.ts';
import { ATTACKS, type Attack } from './attacks.ts';

/** What an attack does to the server and to others. */
export interface Effect {
  /** Processor time of the server for each anonymous request; `undefined` where none was answered. */
  readonly cpuMs: number | undefined;
  readonly healthP99Ms: number;
  /** The longest wait for a create of 100 KB. */
  readonly createMs: number;
}

/** No attack may do more. */
export const TARGETS = { cpuMs: 5, healthP99Ms: 200, createMs: 1_000 } as const satisfies Required<Effect>;

/** Of Linux, whatever its kernel runs at. */
const TICKS_A_SECOND = 100;
const HEALTH_PAUSE_MS = 10;
const CREATE_PAUSE_MS = 100;

/**
 * Attacks a gateway that is started as `npm start` does, in every way there is, for so many seconds each time: first
 * alone, for the processor time of its requests, then beside a company that creates.
 * @param root the checkout to start, this one unless given
 */
export async function measureStrangers(seconds: number, root?: string): Promise<Map<string, Effect>> {
  const effects = new Map<string, Effect>();
  for (const attack of ATTACKS) {
    const gateway = await startGateway({ ...(root !== undefined && { root }) });
    try {
      await create(gateway); // What a first request pays for is none of the attack's doing.
      effects.set(attack.title, await measure(gateway, attack, seconds * 1_000));
    } finally {
      await gateway.stop();
    }
  }
  return effects;
}

async function measure(gateway: StartedGateway, { title }: Attack, ms: number): Promise<Effect> {
  const attacker = new Worker(new URL('./attacker.ts', import.meta.url), { workerData: { url: gateway.url, title } });
  const answers = async (message: 'count' | 'end') => {
    const answered = once(attacker, 'message');
    attacker.postMessage(message);
    return z.number().parse((await answered)[0]);
  };
  await once(attacker, 'message');
  const [beganCpuMs, beganAnswers] = [cpuMsOf(gateway), await answers('count')];
  await setTimeout(ms);
  const count = (await answers('count')) - beganAnswers;
  const cpuMs = cpuMsOf(gateway) - beganCpuMs;
  const untilMs = performance.now() + ms;
  const health: HttpRequest = { method: 'GET', path: '/health' };
  const [healths, creates] = await Promise.all([
    repeat(untilMs, HEALTH_PAUSE_MS, async () => assert.equal((await send(gateway.url, health)).status, 200)),
    repeat(untilMs, CREATE_PAUSE_MS, () => create(gateway)),
  ]);
  await answers('end');
  await attacker.terminate();
  return { cpuMs: count > 0 ? cpuMs / count : undefined, healthP99Ms: p99Of(healths), createMs: Math.max(...creates) };
}

/** The processor time that the server has taken, in milliseconds. */
function cpuMsOf({ process: { pid } }: StartedGateway): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may have spaces.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return ((Number(user) + Number(system)) * 1_000) / TICKS_A_SECOND;
}

async function create({ url, authorization }: StartedGateway): Promise<void> {
  const content = 'lorem ipsum dolor sit amet '.repeat(37);
  const body = JSON.stringify(smallProject({ segments: segments(100, { content }) }));
  const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
  const { status } = await send(url, { method: 'POST', path: '/segments/projects', headers, body });
  assert.equal(status, 201);
}

/** Does something again and again, and says how long each took. It is done once at least. */
async function repeat(untilMs: number, pauseMs: number, work: () => Promise<void>): Promise<number[]> {
  const tookMs: number[] = [];
  do {
    const beganMs = performance.now();
    await work();
    tookMs.push(performance.now() - beganMs);
    await setTimeout(pauseMs);
  } while (performance.now() < untilMs);
  return tookMs;
}

function p99Of(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0;
}

/**
 * Measures this checkout, and another one where it is given, and prints both side by side.
 * @throws where an attack does more in this one than it may
 */
export async function checkStrangers(
  seconds: number,
  before: string | undefined,
  print: (line: string) => void,
): Promise<string> {
  const then = before === undefined ? undefined : await measureStrangers(seconds, before);
  const now = await measureStrangers(seconds);
  const columns = ['CPU a request', '/health p99', 'create of 100 KB'];
  print(`| attack | ${columns.map((column) => (then ? `${column} before | after` : column)).join(' | ')} |`);
  print(`|${'---|'.repeat(1 + columns.length * (then ? 2 : 1))}`);
  for (const [title, effect] of now) {
    const cells = KEYS.flatMap((key) => [...(then ? [cell(then.get(title)?.[key])] : []), cell(effect[key])]);
    print(`| ${title} | ${cells.join(' | ')} |`);
  }
  const missed = [...now].flatMap(([title, effect]) =>
    KEYS.filter((key) => (effect[key] ?? 0) > TARGETS[key]).map((key) => `${title}: ${key}`),
  );
  assert.deepEqual(missed, []);
  return `${ATTACKS.length} attacks of ${seconds} s, each within the targets`;
}

const KEYS = ['cpuMs', 'healthP99Ms', 'createMs'] as const satisfies readonly (keyof Effect)[];

function cell(ms: number | undefined): string {
  return ms === undefined ? '–' : `${ms.toFixed(1)} ms`;
}
