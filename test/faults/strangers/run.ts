import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { basicHeader } from '../../../lib/contract/basic-credentials.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { type HttpRequest, send } from '../../support/http.ts';
import { segments, smallProject } from '../../support/projects.ts';
import { ask, creationOf } from '../asking.ts';
import { p99Of, repeatWhile } from '../measuring.ts';

/** Requests that senders without credentials send at the same time. */
interface Attack {
  readonly title: string;
  /** Requests that a client sends one after the other, as fast as they are answered. */
  readonly floods?: readonly HttpRequest[];
  readonly clients?: number;
  /** Request lines of endless uploads, just fast enough not to be cut off. */
  readonly uploads?: readonly string[];
}

const MIB_4 = 4_194_304;
const TOKEN = '/authentication/token';
const WEBHOOK = '/webhooks/none';

function names(): string {
  const members: string[] = [];
  for (let n = 0, length = 2; length < MIB_4 - 12; n++) {
    const member = `"${n.toString(36)}":0`;
    members.push(member);
    length += member.length + 1;
  }
  return `{${members.join(',')}}`;
}

function bomb(path: string, json: string): HttpRequest {
  const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  return { method: 'POST', path, headers, body: gzipSync(json) };
}

const jsonType = { 'Content-Type': 'application/json' };
const bombs = [
  bomb(TOKEN, `[${'{},'.repeat(MIB_4 / 3 - 1)}0]`),
  bomb('/authentication/RefreshToken', `[${'{},'.repeat(MIB_4 / 3 - 1)}0]`),
  bomb(WEBHOOK, ' '.repeat(MIB_4)),
];
const manyNames = [bomb(TOKEN, names())];
const wrongKeys = [1, 2, 3, 4].map((n): HttpRequest => {
  const headers = { Authorization: basicHeader({ companyId: 'sandbox', apiKey: `wrong-${n}` }) };
  return { method: 'GET', path: '/segments/projects?limit=1', headers };
});
const wrongSignIns = [1, 2, 3, 4].map((n): HttpRequest => {
  const body = JSON.stringify({ username: 'sandbox', password: `wrong-${n}` });
  return { method: 'POST', path: TOKEN, headers: jsonType, body };
});
const uploads = Array.from({ length: 8 }, (_, n) => `POST ${n % 2 ? WEBHOOK : TOKEN}`);

/** The attacks, each alone and then all at once. */
export const ATTACKS: readonly Attack[] = [
  { title: 'nobody' },
  { title: 'gzip bombs of 4 KB', floods: bombs, clients: 4 },
  { title: 'gzip of 450,000 names', floods: manyNames, clients: 4 },
  { title: 'wrong keys', floods: wrongKeys, clients: 8 },
  { title: 'wrong sign-ins', floods: wrongSignIns, clients: 8 },
  { title: 'eight slow uploads', uploads },
  { title: 'all of these', floods: [...bombs, ...manyNames, ...wrongKeys, ...wrongSignIns], clients: 8, uploads },
];

/** The effect of an attack on the server and on others. */
interface Effect {
  /** The server's processor time for each anonymous request, in milliseconds; 0 if none was answered. */
  readonly cpuMs: number;
  readonly healthP99Ms: number;
  /** The longest time of a create of 100 KB, in milliseconds. */
  readonly createMs: number;
}

/** The largest allowed effect of an attack. */
const TARGETS: Effect = { cpuMs: 5, healthP99Ms: 200, createMs: 1_000 };
const KEYS = ['cpuMs', 'healthP99Ms', 'createMs'] as const;

const HEALTH_PAUSE_MS = 10;
const CREATE_PAUSE_MS = 100;

/** The shortest measurement that may fail, in seconds. A shorter one is too inaccurate. */
const MEASURED_SECONDS = 5;

/**
 * Attacks a gateway in every way, for some seconds each. It first runs each attack alone, to measure the processor
 * time, and then beside a company that creates projects. It needs Linux.
 * @returns the effect of each attack
 * @throws if an attack exceeds the targets
 */
export async function checkStrangers(seconds: number): Promise<object> {
  const figures: Record<string, string> = {};
  for (const attack of ATTACKS) {
    const gateway = await startGateway();
    try {
      await create(gateway); // The first request has costs that the attack does not cause.
      const effect = await measure(gateway, attack, seconds * 1_000);
      const { cpuMs, healthP99Ms, createMs } = effect;
      const [cpu, health, longest] = [cpuMs, healthP99Ms, createMs].map((ms) => `${ms.toFixed(1)} ms`);
      figures[attack.title] = `CPU a request ${cpu}, /health p99 ${health}, create of 100 KB ${longest}`;
      const missed = KEYS.filter((key) => seconds >= MEASURED_SECONDS && effect[key] > TARGETS[key]);
      assert.deepEqual(missed, [], `${attack.title}: ${figures[attack.title]}`);
    } finally {
      await gateway.stop();
    }
  }
  return figures;
}

async function measure(gateway: StartedGateway, { title }: Attack, ms: number): Promise<Effect> {
  const attacker = new Worker(new URL('./attacker.ts', import.meta.url), { workerData: { url: gateway.url, title } });
  const answers = async (message: 'count' | 'end') => {
    const answered = once(attacker, 'message');
    attacker.postMessage(message);
    return z.number().parse((await answered)[0]);
  };
  await once(attacker, 'message');
  const [beganCpuMs, beganAnswers] = [cpuMsOf(gateway.process), await answers('count')];
  await setTimeout(ms);
  const count = (await answers('count')) - beganAnswers;
  const cpuMs = cpuMsOf(gateway.process) - beganCpuMs;
  const untilMs = performance.now() + ms;
  const isGoingOn = () => performance.now() < untilMs;
  const health: HttpRequest = { method: 'GET', path: '/health' };
  const [healths, creates] = await Promise.all([
    repeatWhile(isGoingOn, HEALTH_PAUSE_MS, async () => assert.equal((await send(gateway.url, health)).status, 200)),
    repeatWhile(isGoingOn, CREATE_PAUSE_MS, () => create(gateway)),
  ]);
  await answers('end');
  await attacker.terminate();
  return { cpuMs: count === 0 ? 0 : cpuMs / count, healthP99Ms: p99Of(healths), createMs: Math.max(...creates) };
}

async function create(gateway: StartedGateway): Promise<void> {
  const content = 'lorem ipsum dolor sit amet '.repeat(37);
  const { status } = await ask(gateway, creationOf(smallProject({ segments: segments(100, { content }) })));
  assert.equal(status, 201);
}
