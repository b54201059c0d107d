import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import * as z from 'zod/mini';
import { SCOPES } from '../../../lib/contract/routes.ts';
import { JOBS } from '../../../lib/deliveries/jobs.ts';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { peakBytes } from '../../support/memory.ts';
import { addCompany, segueHere } from '../../support/segue.ts';
import { addSource } from '../../support/sources.ts';
import { inDatabase } from '../kills/store.ts';
import { type Attack, type Orders, Report } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { openBystander, type Waits } from './bystander.ts';
import { openFailingEngine } from './engine.ts';
import { SENDER, SOURCE } from './queues.ts';

/** The largest allowed effects of an attack. Those of times hold beside a server without work. */
const TARGETS = {
  healthMs: 100,
  createMs: 250,
  readMs: 250,
  deleteMs: 250,
  eventMs: 2_000,
  peakBytes: 512 * 1_048_576,
} as const;
/** The missed targets that count only in a full run. */
const TIMES = ['health', 'create', 'read', 'delete', 'event'];
const ATTACKER = 'attacker';
const ATTACKER_SCOPES = SCOPES.filter((scope) => scope !== 'manage');
/** How many characters the engine may get from a company in a day. */
const MOST_CHARACTERS = 100_000;
/**
 * The shortest time of an attack in a full run, in seconds. There, each attack gets a gateway of its own, and its times
 * may fail. A shorter run is a sample, whose times are too inaccurate.
 */
const FULL_SECONDS = 5;
/** How long stored work may go on after an attack, as a multiple of the attack's time. */
const WATCHED = 12;
/** The longest time in which an attacker must end, as a multiple of the attack's time. */
const ENDED = 12;
/** How long a gateway has had no due work when it counts as idle, in milliseconds. */
const IDLE_MS = 1_000;
const LOOK_MS = 250;

/** The titles of the attacks. */
export const TITLES = ATTACKS.map(({ title }) => title);

interface Options {
  /** A piece of the titles of the attacks to run. Default: all attacks, or in a sample those of the sample. */
  readonly only?: string | undefined;
  /** Called with the effect of each attack as soon as it is known. */
  readonly onPart: (figures: string) => void;
}

/** The effect of an attack on the gateway and on another company. */
interface Effect {
  readonly waits: Waits;
  /** When the process died, in seconds after the beginning; absent if it lives. */
  readonly diedAfter?: number;
  readonly peakBytes: number;
  readonly seconds: number;
}

/**
 * Lets a company attack a gateway in every way, for some seconds each, beside a company that creates, reads and
 * deletes, and receives events. Then the gateway is killed and starts again, with the work that is stored. If SIGINT
 * arrives, the gateway and its data are removed before the process ends. It needs Linux.
 * @returns the effects of each attack
 * @throws if an attack exceeds the targets; the message has the effects of all attacks
 */
export async function checkCompanies(seconds: number, { only, onPart }: Options): Promise<object> {
  const figures: Record<string, string> = {};
  const missed: Record<string, readonly string[]> = {};
  const isSample = seconds < FULL_SECONDS;
  const chosen = ATTACKS.filter(({ title, isSampled }) =>
    only === undefined ? isSampled || !isSample : title.includes(only),
  );
  const rounds = isSample ? Map.groupBy(chosen, ({ kind }) => kind).values() : chosen.map((attack) => [attack]);
  using interruption = untilInterrupted();
  for (const attacks of rounds) {
    for await (const [title, text, faults] of effectsOf(attacks, seconds, interruption.signal)) {
      figures[title] = text;
      const counted = isSample ? faults.filter((fault) => !TIMES.includes(fault)) : faults;
      if (counted.length > 0) missed[title] = counted;
      onPart(`${title}: ${text}${counted.length > 0 ? ` (missed: ${counted.join(', ')})` : ''}`);
    }
  }
  const text = Object.entries(figures).map(([title, figure]) => `${title}: ${figure}`);
  assert.deepEqual(missed, {}, `${JSON.stringify(missed, undefined, 2)}\n${text.join('\n')}`);
  return figures;
}

/** Returns a signal that SIGINT aborts. If it has, the process ends when the signal is disposed. */
function untilInterrupted(): Disposable & { readonly signal: AbortSignal } {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  process.once('SIGINT', interrupt);
  return {
    signal: interruption.signal,
    [Symbol.dispose]() {
      process.off('SIGINT', interrupt);
      if (interruption.signal.aborted) process.kill(process.pid, 'SIGINT');
    },
  };
}

/**
 * Sends attacks one after the other to one gateway, and restarts it.
 * @returns title, figures and missed targets of each
 * @throws if the signal is aborted
 */
async function* effectsOf(
  attacks: readonly Attack[],
  seconds: number,
  interrupted: AbortSignal,
): AsyncGenerator<readonly [title: string, figures: string, missed: readonly string[]]> {
  const folder = await mkdtemp(join(tmpdir(), 'segue-companies-'));
  await using engine = await openFailingEngine();
  const env = {
    SEGUE_DATA_DIR: folder,
    ...(attacks[0]?.kind === 'engines' && {
      SEGUE_TRANSLATION_ENGINE: 'libretranslate',
      SEGUE_TRANSLATION_URL: `http://${engine.address}`,
      SEGUE_TRANSLATION_CHARACTERS_PER_DAY: `${MOST_CHARACTERS}`,
    }),
  };
  const start = () => startGateway({ env, args: ['--allow-loopback-events'] });
  let gateway = await start();
  const kill = () => gateway.process.kill('SIGKILL');
  // All waiting ends with the gateway.
  interrupted.addEventListener('abort', kill);
  try {
    const authorization = await addAttacker(folder);
    await segueHere(folder, 'events', 'secret', gateway.companyId);
    await using bystander = await openBystander(gateway.authorization);
    const observe = async (work: () => Promise<void>) => {
      interrupted.throwIfAborted();
      const ending = new AbortController();
      const observed = observeProcess(gateway, ending.signal);
      const watched = bystander.watch(gateway, ending.signal);
      await Promise.race([work().then(() => untilIdle(folder, seconds * WATCHED)), observed]);
      ending.abort();
      return { waits: await watched, ...(await observed) };
    };
    for (const { title } of attacks) {
      const orders = { url: gateway.url, authorization, pid: gateway.process.pid, title, seconds };
      let report: Report | undefined;
      const worker = new Worker(new URL('./attacker.ts', import.meta.url), { workerData: orders satisfies Orders });
      const effect = await observe(async () => {
        const reported = once(worker, 'message').then(([message]) => Report.parse(message));
        report = await Promise.race([reported, setTimeout(seconds * ENDED * 1_000, undefined, { ref: false })]);
      });
      await worker.terminate();
      interrupted.throwIfAborted();
      const characters = engine.characters();
      const sent = characters > 0 ? [`${engine.calls()} calls of the engine with ${characters} characters`] : [];
      const overspent = characters > MOST_CHARACTERS ? ['characters'] : [];
      yield [
        title,
        [...figuresOf(effect), ...reportOf(report), ...sent].join(', '),
        [...missedBy(effect), ...overspent],
      ];
      if (effect.diedAfter !== undefined) gateway = await start();
    }
    kill();
    await gateway.stop();
    gateway = await start();
    const effect = await observe(() => setTimeout(seconds * 1_000));
    interrupted.throwIfAborted();
    const title = `${attacks.length === 1 ? attacks[0]?.title : attacks[0]?.kind}, after a restart`;
    yield [title, figuresOf(effect).join(', '), missedBy(effect)];
  } finally {
    interrupted.removeEventListener('abort', kill);
    kill();
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Adds the attacker, with a webhook source and a secret for events. @returns its credentials */
async function addAttacker(folder: string): Promise<string> {
  const { authorization } = await addCompany(folder, ATTACKER, '--scopes', ATTACKER_SCOPES.join());
  const { settings: scheme, secret } = SENDER;
  const added = await addSource(folder, { ...SOURCE, companyId: ATTACKER, scheme, secret });
  assert.equal(added.code, 0, added.stderr);
  await segueHere(folder, 'events', 'secret', ATTACKER);
  return authorization;
}

/** Follows a process until a signal or its end. */
async function observeProcess({ process }: StartedGateway, signal: AbortSignal): Promise<Omit<Effect, 'waits'>> {
  const beganMs = performance.now();
  const lasted = () => (performance.now() - beganMs) / 1_000;
  const isAlive = () => process.exitCode === null && process.signalCode === null;
  let peak = 0;
  while (isAlive() && !signal.aborted) {
    try {
      peak = peakBytes(process.pid) || peak;
    } catch {
      // The process has ended. Its exit event follows a moment later.
    }
    await setTimeout(LOOK_MS);
  }
  return { peakBytes: peak, seconds: lasted(), ...(!isAlive() && { diedAfter: lasted() }) };
}

/** Waits until the attacker has no due job, at most for some seconds. */
async function untilIdle(folder: string, seconds: number): Promise<void> {
  const untilMs = performance.now() + seconds * 1_000;
  let idleMs = 0;
  while (idleMs < IDLE_MS && performance.now() < untilMs) {
    await setTimeout(LOOK_MS);
    idleMs = hasDueJob(folder, ATTACKER, Date.now() + IDLE_MS) ? 0 : idleMs + LOOK_MS;
  }
}

/** Whether a company has a due job. A job's key begins with its company and when it is due. */
function hasDueJob(folder: string, companyId: string, nowMs: number): boolean {
  const keys = inDatabase(folder, (database) =>
    database
      .prepare("SELECT partition, sort FROM items WHERE partition LIKE 'jobs/%' AND sort LIKE ? || '/%'")
      .all(companyId),
  );
  return z
    .array(z.object({ partition: z.string(), sort: z.string() }))
    .parse(keys)
    .some((key) => JOBS.isDue(JOBS.entryAt(key)?.dueMs ?? nowMs, nowMs));
}

function missedBy({ waits, diedAfter, peakBytes }: Effect): string[] {
  const { healthMs, createMs, readMs, deleteMs, eventMs, idleMs, failed } = waits;
  const misses = {
    alive: diedAfter !== undefined,
    health: healthMs - idleMs > TARGETS.healthMs,
    create: createMs - idleMs > TARGETS.createMs,
    read: readMs - idleMs > TARGETS.readMs,
    delete: deleteMs - idleMs > TARGETS.deleteMs,
    event: eventMs > TARGETS.eventMs,
    memory: peakBytes > TARGETS.peakBytes,
    answers: failed > 0,
  };
  return Object.entries(misses).flatMap(([name, isMissed]) => (isMissed ? [name] : []));
}

function figuresOf({ waits, diedAfter, peakBytes, seconds }: Effect): string[] {
  const { healthMs, idleMs, longestMs, createMs, readMs, deleteMs, eventMs, failed } = waits;
  return [
    diedAfter === undefined ? `alive after ${seconds.toFixed(0)} s` : `died after ${diedAfter.toFixed(0)} s`,
    `/health ${healthMs.toFixed(0)} ms (longest ${longestMs.toFixed(0)}, idle server ${idleMs.toFixed(0)})`,
    `create ${createMs.toFixed(0)} ms`,
    `read ${readMs.toFixed(0)} ms`,
    `delete ${deleteMs.toFixed(0)} ms`,
    `event ${eventMs.toFixed(0)} ms`,
    `${(peakBytes / 1_048_576).toFixed(0)} MB`,
    ...(failed > 0 ? [`${failed} requests failed`] : []),
  ];
}

function reportOf(report: Report | undefined): string[] {
  if (!report) return ['the attacker did not end'];
  const { created, refused, answers, cpuMs } = report;
  const counts = Object.entries(answers).map(([status, count]) => `${count} × ${status}`);
  return [
    `${created} created${refused > 0 ? ` (${refused} larger ones refused)` : ''}`,
    ...(counts.length > 0 ? [`answers ${counts.join(' ')}`, `CPU ${cpuMs.toFixed(1)} ms each`] : []),
  ];
}
