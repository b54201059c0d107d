import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { Call, ProjectService } from '../../lib/service/port.ts';
import { throughout } from './faulty.ts';
import { SqliteWorld } from './sqlite-world.ts';
import { endingOf, REQUEST_MS, type World } from './world.ts';

/** A request to a process of a world. */
type Request = (world: World, service: ProjectService, call: Call) => Promise<unknown>;

const CUSTOM_ID = 'ours';
const whole = { kind: 'project' } as const;
const part = { kind: 'task', taskId: 'part' } as const;
const SEGMENTS = [{ content: 'one' }, { content: 'two', taskId: 'part' }];
const make =
  (content: string, customId?: string): Request =>
  (world, service, call) => {
    const segments = [...SEGMENTS, { content }];
    return service.create(world.project({ segments, ...(customId !== undefined && { customId }) }), call);
  };
const create = make('first', CUSTOM_ID);
const createNameless = make('first');
const createOther = make('second', CUSTOM_ID);
const remove: Request = (_, service, call) => service.delete({ customId: CUSTOM_ID }, whole, call);
const removePart: Request = (_, service, call) => service.delete({ customId: CUSTOM_ID }, part, call);

/** Requests that are sent at the same time, and what each may come to. */
interface Race {
  /** What was done before, and with which key. */
  readonly before?: readonly (readonly [Request, key?: string])[];
  readonly requests: readonly (readonly [Request, key: string, endings: readonly string[]])[];
  /** Whether the first is held up for so long that the others, sent later, may take over its key. */
  readonly isFirstFrozen?: true;
  /** How many projects there are once all are sent again, one after the other. */
  readonly finally: readonly number[];
}

const CREATED = ['done', 'replayed', 'request-in-progress'];
const REUSED = [...CREATED, 'idempotency-key-reused'];
const DELETED = ['done', 'replayed', 'request-in-progress'];
const LATE = ['unavailable'];

const RACES: Readonly<Record<string, Race>> = {
  'two equal creations with one key': {
    requests: [
      [create, 'k', CREATED],
      [create, 'k', CREATED],
    ],
    finally: [1],
  },
  'two equal creations with one key and no custom id': {
    requests: [
      [createNameless, 'k', CREATED],
      [createNameless, 'k', CREATED],
    ],
    finally: [1],
  },
  'two different creations with one key': {
    requests: [
      [create, 'k', REUSED],
      [createOther, 'k', REUSED],
    ],
    finally: [1],
  },
  'three creations with one key, one of them different': {
    requests: [
      [create, 'k', REUSED],
      [create, 'k', REUSED],
      [createOther, 'k', REUSED],
    ],
    finally: [1],
  },
  'a creation and the deletion of its project with one key': {
    requests: [
      [create, 'k', CREATED],
      [remove, 'k', ['project-not-found', 'request-in-progress', 'idempotency-key-reused']],
    ],
    finally: [1],
  },
  'a creation, its retry, and the deletion of its project with another key': {
    requests: [
      [create, 'k', [...CREATED, 'project-deleted']],
      [create, 'k', [...CREATED, 'project-deleted']],
      [remove, 'd', ['done', 'project-not-found']],
    ],
    finally: [0],
  },
  'a late retry of a creation and the deletion of its project': {
    before: [[create, 'k']],
    requests: [
      [create, 'k', ['replayed', 'project-deleted']],
      [remove, 'd', ['done']],
    ],
    finally: [0],
  },
  'another creation with the key of the first, and the deletion of its project': {
    before: [[create, 'k']],
    requests: [
      [createOther, 'k', ['idempotency-key-reused', 'project-deleted']],
      [remove, 'd', ['done']],
    ],
    finally: [0],
  },
  'a late retry of a creation and the deletion of a task of its project': {
    before: [[create, 'k']],
    requests: [
      [create, 'k', ['replayed']],
      [removePart, 'd', ['done']],
    ],
    finally: [1],
  },
  'two equal deletions with one key': {
    before: [[create]],
    requests: [
      [remove, 'd', DELETED],
      [remove, 'd', DELETED],
    ],
    finally: [0],
  },
  'three equal deletions, two of them with one key': {
    before: [[create]],
    requests: [
      [remove, 'd', [...DELETED, 'project-not-found']],
      [remove, 'd', [...DELETED, 'project-not-found']],
      [remove, 'e', ['done', 'project-not-found']],
    ],
    finally: [0],
  },
  'the deletions of a project and of its task with one key': {
    before: [[create]],
    requests: [
      [remove, 'd', [...DELETED, 'idempotency-key-reused']],
      [removePart, 'd', [...DELETED, 'idempotency-key-reused', 'project-not-found']],
    ],
    finally: [0, 1],
  },
  'two equal deletions of a task with one key': {
    before: [[create]],
    requests: [
      [removePart, 'd', DELETED],
      [removePart, 'd', DELETED],
    ],
    finally: [1],
  },
  'two equal creations with one key, the first one frozen': {
    isFirstFrozen: true,
    requests: [
      [create, 'k', [...CREATED, ...LATE]],
      [create, 'k', [...CREATED, ...LATE]],
    ],
    finally: [1],
  },
  'two equal creations with one key and no custom id, the first one frozen': {
    isFirstFrozen: true,
    requests: [
      [createNameless, 'k', [...CREATED, ...LATE]],
      [createNameless, 'k', [...CREATED, ...LATE]],
    ],
    finally: [1],
  },
  'two different creations with one key, the first one frozen': {
    isFirstFrozen: true,
    requests: [
      [create, 'k', [...REUSED, ...LATE]],
      [createOther, 'k', [...REUSED, ...LATE]],
    ],
    finally: [1],
  },
  'two equal deletions with one key, the first one frozen': {
    before: [[create]],
    isFirstFrozen: true,
    requests: [
      [remove, 'd', [...DELETED, ...LATE]],
      [remove, 'd', [...DELETED, ...LATE]],
    ],
    finally: [0],
  },
  'two equal deletions of a task with one key, the first one frozen': {
    before: [[create]],
    isFirstFrozen: true,
    requests: [
      [removePart, 'd', [...DELETED, ...LATE]],
      [removePart, 'd', [...DELETED, ...LATE]],
    ],
    finally: [1],
  },
};

const world = new SqliteWorld();
afterAll(() => world.close());

/** Longer than any request holds its key. */
const LONG_MS = REQUEST_MS + 2_000;

/** What each request came to, the number of projects, and that of texts that can be read. */
interface Finish {
  readonly endings: readonly string[];
  readonly projects: number;
  readonly payloads: number;
}

/** Sends the requests of a race, each to a process of its own, while a scheduler decides whose call comes next. */
async function run({ requests, isFirstFrozen }: Race, companyId: string, scheduler: fc.Scheduler): Promise<Finish> {
  const scheduled = throughout(world.storage, (work) => scheduler.schedule(Promise.resolve()).then(work));
  const later = isFirstFrozen
    ? scheduler.schedule(Promise.resolve()).then(() => {
        world.nowMs += LONG_MS;
      })
    : undefined;
  const running = requests.map(async ([request, key], index) => {
    if (index > 0) await later;
    return nameOf(world.service(scheduled), companyId, request, key);
  });
  return finish(companyId, await scheduler.waitFor(Promise.all(running)));
}

/** Sends the requests of a race again, when nobody is at work any more. */
async function runAgain({ requests }: Race, companyId: string): Promise<Finish> {
  world.nowMs += LONG_MS;
  const endings: string[] = [];
  for (const [request, key] of requests) endings.push(await nameOf(world.service(), companyId, request, key));
  return finish(companyId, endings);
}

async function nameOf(service: ProjectService, companyId: string, request: Request, key: string): Promise<string> {
  const ending = await endingOf((replayed) => request(world, service, world.call(companyId, key, replayed)));
  return ending.is === 'refused' ? ending.problem.name : ending.is;
}

async function finish(companyId: string, endings: readonly string[]): Promise<Finish> {
  const { projects } = await world.service().list({ limit: 9 }, world.call(companyId));
  const swept = await world.pending(companyId);
  const kept = (await world.payloads(companyId)).filter(({ id }) => !swept.includes(id));
  return { endings, projects: projects.length, payloads: kept.length };
}

it.each(Object.entries(RACES))('%s', async (_, race) => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const companyId = world.newCompany();
      for (const [request, key] of race.before ?? []) await request(world, world.service(), world.call(companyId, key));
      world.nowMs += LONG_MS;
      const first = await run(race, companyId, scheduler);
      for (const [index, [, , allowed]] of race.requests.entries()) expect(allowed).toContain(first.endings[index]);
      expect(first.projects).toBeLessThanOrEqual(1);
      expect(first.payloads).toBe(first.projects);
      const again = await runAgain(race, companyId);
      expect(race.finally).toContain(again.projects);
      expect(again.payloads).toBe(again.projects);
      // Each key did something once at most.
      const keys = race.requests.map(([, key]) => key);
      const done = [...first.endings, ...again.endings].flatMap((ending, n) =>
        ending === 'done' ? [keys[n % keys.length]] : [],
      );
      expect(done).toHaveLength(new Set(done).size);
    }),
    // Few orders let the first one finish last.
    { numRuns: race.isFirstFrozen ? 120 : 40 },
  );
});
