import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { cpuMsOf } from '../../support/cpu-time.ts';
import { send } from '../../support/http.ts';
import { listen } from '../../support/listen.ts';
import { asObjects, type JsonObject } from '../../support/projects.ts';
import { creationOf, objectIn } from '../asking.ts';
import { type Ask, type Created, type Flood, Orders, type Report } from './attack.ts';
import { ATTACKS } from './attacks.ts';

const CLIENTS = 20;
/** The longest time for the creations, as a multiple of the time for the flood. */
const CREATING = 4;
/** The pause between requests, in milliseconds. */
const THINK_MS = 2;

const { url, authorization, pid, title, seconds } = Orders.parse(workerData);

const ask: Ask = (request) => send(url, { ...request, headers: { Authorization: authorization, ...request.headers } });

/** Opens receivers that never answer. @returns their URLs */
async function openSilent(count: number): Promise<string[]> {
  const opened = Array.from({ length: count }, () => listen(createServer(() => {})));
  return (await Promise.all(opened)).map(({ address }) => `http://${address}/`);
}

const result: Report = { created: 0, refused: 0, answers: {}, cpuMs: 0 };

/** Creates the dearest accepted variant of a project. @returns `undefined` if none was accepted */
async function create(variants: Iterable<JsonObject>): Promise<Created | undefined> {
  for (const project of variants) {
    const plain = creationOf(project, { 'Content-Encoding': 'gzip', 'Accept-Encoding': 'gzip' });
    const request = { ...plain, body: gzipSync(plain.body ?? '') };
    const answer = await ask(request);
    if (answer.status === 201) {
      result.created++;
      const { id } = objectIn(answer);
      const codes = asObjects(project['targetLanguages']).map((language) => `${language['targetLanguageCode']}`);
      return { request, path: `${request.path}/${id}`, languageCodes: codes };
    }
    result.refused++;
  }
  return undefined;
}

/** Runs work in several clients until a time is over, or each of so many turns is done. */
async function inTurns(
  clients: number,
  ms: number,
  turns: number,
  work: (turn: number, client: number) => Promise<void>,
) {
  const untilMs = performance.now() + ms;
  let next = 0;
  const lanes = Array.from({ length: clients }, async (_, client) => {
    while (next < turns && performance.now() < untilMs) {
      await work(next++, client);
      await setTimeout(THINK_MS);
    }
  });
  await Promise.all(lanes);
}

async function flood(projects: readonly Created[], prepare: Flood): Promise<void> {
  const requests = await Promise.all(projects.map((project) => prepare(project, ask)));
  if (requests.length === 0) return;
  const beganCpuMs = cpuMsOf({ pid });
  let count = 0;
  await inTurns(CLIENTS, seconds * 1_000, Infinity, async (turn, client) => {
    const request = requests[client % requests.length]?.(Math.floor(turn / requests.length));
    const { status } = request ? await ask(request).catch(() => ({ status: 0 })) : { status: 0 };
    result.answers[status] = (result.answers[status] ?? 0) + 1;
    count++;
  });
  result.cpuMs = (cpuMsOf({ pid }) - beganCpuMs) / Math.max(1, count);
}

const attack = ATTACKS.find((one) => one.title === title);
try {
  const silent = await openSilent(attack?.silent ?? 0);
  const creations = (attack?.projects ?? []).flatMap((project) =>
    Array.from({ length: attack?.copies ?? 1 }, (_, n) => () => create(project(n, silent))),
  );
  const projects: Created[] = [];
  await inTurns(CLIENTS, seconds * 1_000 * CREATING, creations.length, async (turn) => {
    const created = await creations[turn]?.();
    if (created && projects.length < CLIENTS) projects.push(created);
  });
  if (attack?.flood) await flood(projects, attack.flood);
} catch (error) {
  // The gateway has died, which the other side sees too.
  if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('ECONN'))) throw error;
}
parentPort?.postMessage(result);
