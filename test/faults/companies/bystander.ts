import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import * as z from 'zod/mini';
import type { StartedGateway } from '../../support/gateway.ts';
import { type HttpRequest, send } from '../../support/http.ts';
import { listen } from '../../support/listen.ts';
import { smallProject } from '../../support/projects.ts';
import { ask, creationOf, objectIn } from '../asking.ts';
import { clockOf, p99Of, repeatWhile } from '../measuring.ts';

/**
 * How long others wait while a company attacks. Each figure is the time that 99 % do not exceed, in milliseconds, on the
 * clock of the gateway: without the time in which it waits for a processor.
 */
export interface Waits {
  readonly healthMs: number;
  /** The time of a server without work, which shows the other load of the machine. */
  readonly idleMs: number;
  readonly createMs: number;
  /** The reads of a project, and of one task of it. */
  readonly readMs: number;
  /** The deletion of a task. */
  readonly deleteMs: number;
  /** From the answer to a creation to the arrival of its event. */
  readonly eventMs: number;
  /** The longest time of `/health`. */
  readonly longestMs: number;
  /** How many requests had no answer or a wrong one. */
  readonly failed: number;
}

const HEALTH: HttpRequest = { method: 'GET', path: '/health' };
const HEALTH_PAUSE_MS = 10;
const CREATE_PAUSE_MS = 100;
/** The tasks of each project. The second one is deleted. */
const TASKS = ['first', 'second'] as const;
/** How long to wait for the last events, in milliseconds. */
const LAST_EVENTS_MS = 10_000;
const Event = z.object({ type: z.string(), data: z.object({ projectId: z.int() }) });

/** A company that creates, reads and deletes beside the attacker, and receives the events of its projects. */
export async function openBystander(authorization: string) {
  const arrivals = new Map<number, number>();
  let clock = () => performance.now();
  const receiver = await listen(
    createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { type, data } = Event.parse(JSON.parse(Buffer.concat(chunks).toString()));
      if (type === 'project.created') arrivals.set(data.projectId, clock());
      response.end();
    }),
  );
  const idle = new Worker(new URL('./idle.ts', import.meta.url));
  const [idleUrl] = z.tuple([z.string()]).parse(await once(idle, 'message'));

  /** Uses a gateway until a signal, or its end. */
  async function watch({ url, process }: StartedGateway, signal: AbortSignal): Promise<Waits> {
    clock = clockOf(process.pid);
    const creations = new Map<number, number>();
    let failed = 0;
    const isAlive = () => process.exitCode === null && process.signalCode === null;
    const isGoingOn = () => !signal.aborted && isAlive();
    const orLost = (work: () => Promise<void>) => () =>
      work().catch(async () => {
        // The process may have died. Its exit event follows a moment later.
        await setTimeout(CREATE_PAUSE_MS);
        if (isAlive()) failed++;
      });
    const times: Record<'create' | 'read' | 'delete', number[]> = { create: [], read: [], delete: [] };
    const timed = async (took: number[], request: HttpRequest, status: number) => {
      const beganMs = clock();
      const answer = await ask({ url, authorization }, request);
      took.push(clock() - beganMs);
      if (answer.status !== status) failed++;
      return answer;
    };
    const useProject = async () => {
      const segments = TASKS.map((taskId) => ({ content: taskId, taskId }));
      const project = smallProject({ eventUrl: `http://${receiver.address}/`, segments });
      const answer = await timed(times.create, creationOf(project), 201);
      if (answer.status !== 201) return;
      const id = Number(objectIn(answer)['id']);
      creations.set(id, clock());
      const path = `/segments/projects/${id}`;
      await timed(times.read, { method: 'GET', path }, 200);
      await timed(times.read, { method: 'GET', path: `${path}?taskId=${TASKS[0]}` }, 200);
      await timed(times.delete, { method: 'DELETE', path: `${path}?taskId=${TASKS[1]}` }, 204);
    };
    const [healths, idles] = await Promise.all([
      repeatWhile(
        isGoingOn,
        HEALTH_PAUSE_MS,
        orLost(async () => {
          if ((await send(url, HEALTH)).status !== 200) failed++;
        }),
        clock,
      ),
      // The server may have closed its connection after a pause.
      repeatWhile(isGoingOn, HEALTH_PAUSE_MS, async () => void (await send(idleUrl, HEALTH).catch(() => {}))),
      repeatWhile(isGoingOn, CREATE_PAUSE_MS, orLost(useProject)),
    ]);
    const untilMs = performance.now() + LAST_EVENTS_MS;
    const isMissing = () => [...creations.keys()].some((id) => !arrivals.has(id));
    while (isMissing() && isAlive() && performance.now() < untilMs) await setTimeout(CREATE_PAUSE_MS);
    const endMs = clock();
    const events = [...creations].map(([id, atMs]) => Math.max(0, (arrivals.get(id) ?? endMs) - atMs));
    return {
      healthMs: p99Of(withHidden(healths, HEALTH_PAUSE_MS)),
      idleMs: p99Of(withHidden(idles, HEALTH_PAUSE_MS)),
      createMs: p99Of(withHidden(times.create, CREATE_PAUSE_MS)),
      readMs: p99Of(withHidden(times.read, CREATE_PAUSE_MS)),
      deleteMs: p99Of(withHidden(times.delete, CREATE_PAUSE_MS)),
      eventMs: p99Of(events),
      longestMs: Math.max(...healths),
      failed,
    };
  }

  return {
    watch,
    async [Symbol.asyncDispose]() {
      await receiver[Symbol.asyncDispose]();
      await idle.terminate();
    },
  };
}

/**
 * Adds the times of the requests that were not sent because an earlier one took long. Without them, a server that stands
 * still for a second would have only one slow answer.
 */
function withHidden(tookMs: readonly number[], pauseMs: number): number[] {
  return tookMs.flatMap((ms) => Array.from({ length: Math.floor(ms / pauseMs) + 1 }, (_, n) => ms - n * pauseMs));
}
