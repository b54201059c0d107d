import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import type { StartedGateway } from '../../support/gateway.ts';
import { change, check } from './client.ts';
import { type Change, newProject, nextTask, type Truth } from './truth.ts';

/** Requests that are under way at once. */
const LANES = 6;
const SMALL = 6;

const KINDS = ['create', 'create', 'create large', 'delete task', 'delete project', 'get'] as const;
const Action = fc.record({ kind: fc.constantFrom(...KINDS), pick: fc.nat(), byCustomId: fc.boolean() });
type Action = typeof Action extends fc.Arbitrary<infer Value> ? Value : never;

/** More actions than are answered before the kill. */
const MOST_ANSWERS = 24;
const ACTIONS = MOST_ANSWERS + LANES;

/** What is asked of a gateway, and when it is killed. */
export const Round = fc.record({
  actions: fc.array(Action, { minLength: ACTIONS, maxLength: ACTIONS }),
  /** So many requests are answered before. */
  answers: fc.nat(MOST_ANSWERS),
  /** And so often has the event loop turned since. */
  turns: fc.nat(30),
});
export type Round = typeof Round extends fc.Arbitrary<infer Value> ? Value : never;

/** What was under way when the gateway was killed, and which projects somebody asked to change. */
export interface Aftermath {
  readonly unanswered: readonly Change[];
  readonly touched: ReadonlySet<Truth>;
  readonly answered: number;
}

/**
 * Sends a round's requests and kills the gateway among them.
 * @param projects all projects so far; new ones are added
 * @param options projects that a request without an answer may still change, which are left alone, and how many
 *   segments a large project has
 */
export async function runRound(
  gateway: StartedGateway,
  { actions, answers, turns }: Round,
  projects: Truth[],
  { held, large }: { readonly held: ReadonlySet<Truth>; readonly large: number },
): Promise<Aftermath> {
  const queue = actions.values();
  const busy = new Set(held);
  const touched = new Set<Truth>();
  const unanswered: Change[] = [];
  let answered = 0;
  let killed = false;
  const killing = Promise.withResolvers<void>();

  async function kill(): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await setImmediate();
    killed = true;
    gateway.process.kill('SIGKILL');
  }

  async function run(action: Action): Promise<void> {
    const { project, wanted } = choose(action, projects, busy, large);
    busy.add(project);
    touched.add(project);
    try {
      if (!wanted) await check(gateway, project);
      else if ((await change(gateway, wanted)) === 'claimed') throw new Error('A new key was taken');
    } catch (error) {
      // A connection that breaks has a code of the system's; an answer that is wrong has not.
      if (!killed || !isBroken(error)) throw error;
      if (wanted) unanswered.push(wanted);
      return;
    }
    busy.delete(project);
    answered += 1;
    if (answered === answers) killing.resolve(kill());
  }

  async function lane(): Promise<void> {
    for (const action of queue) {
      if (killed) return;
      await run(action);
    }
  }

  const lanes = Array.from({ length: LANES }, lane);
  if (answers === 0) killing.resolve(kill());
  await Promise.all([...lanes, killing.promise]);
  return { unanswered, touched, answered };
}

/** What to do with which project; a new one is made where no old one is free. */
function choose({ kind, pick, byCustomId }: Action, projects: Truth[], busy: ReadonlySet<Truth>, large: number) {
  const free = projects.filter((project) => project.state === 'there' && !busy.has(project));
  const old = kind === 'create' || kind === 'create large' ? undefined : free[pick % free.length];
  const project = old ?? newProject(kind === 'create large' ? large : SMALL, byCustomId);
  if (!old) projects.push(project);
  return { project, wanted: old && kind === 'get' ? undefined : changeOf(kind, project, old, byCustomId) };
}

function changeOf(kind: Action['kind'], project: Truth, old: Truth | undefined, byCustomId: boolean): Change {
  const taskId = old && kind === 'delete task' ? nextTask(old) : undefined;
  const task = taskId === undefined ? undefined : ({ kind: 'delete task', taskId } as const);
  return { project, key: randomUUID(), byCustomId, kind: old ? 'delete project' : 'create', ...task };
}

function isBroken(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(error.code))
  );
}
