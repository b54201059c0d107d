import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { CallContext, ProjectService } from '../../lib/service/port.ts';
import type { PutRequest } from '../../lib/service/put.ts';
import type { JsonObject } from '../support/projects.ts';
import { throughout } from './faulty.ts';
import { SqliteWorld } from './sqlite-world.ts';
import { endingOf, REQUEST_MS, type World } from './world.ts';

/** A request to a process of a world. */
type Request = (world: World, service: ProjectService, call: CallContext) => Promise<unknown>;

const CUSTOM_ID = 'ours';
const whole = { kind: 'project' } as const;
const part = { kind: 'task', taskId: 'part' } as const;
const SEGMENTS = [{ content: 'one' }, { content: 'two', taskId: 'part' }];
const make =
  (content: string, customId?: string): Request =>
  (world, service, call) => {
    const segments = [...SEGMENTS, { content }];
    return service.create(world.checked({ segments, ...(customId !== undefined && { customId }) }), call);
  };
const create = make('first', CUSTOM_ID);
const createNameless = make('first');
const createOther = make('second', CUSTOM_ID);
const remove: Request = (_, service, call) => service.delete({ customId: CUSTOM_ID }, whole, call);
const removePart: Request = (_, service, call) => service.delete({ customId: CUSTOM_ID }, part, call);

const NEXT = [{ content: 'new' }, { content: 'two', taskId: 'part' }, { content: 'more' }];
const put =
  (segments: JsonObject[], others: Partial<PutRequest> = {}): Request =>
  (world, service, call) =>
    service.put({ ref: { customId: CUSTOM_ID }, project: world.checked({ segments }), ...others }, call);
const putNext = put(NEXT);
const putOther = put([{ content: 'other' }]);
const putPart = put([{ content: 'three' }], { taskId: 'part' });
const putFirst = put(NEXT, { revision: 1 });
const putSecond = put([{ content: 'other' }], { revision: 2 });
const removeSecond: Request = (_, service, call) =>
  service.delete({ customId: CUSTOM_ID }, { kind: 'project', revision: 2 }, call);

type Step = readonly [Request, key: string, endings: readonly string[]];

/** Requests that are sent at the same time, and the allowed results of each. */
interface Race {
  readonly name: string;
  /** Requests that are sent before, with a key if there is one. */
  readonly before?: readonly (readonly [Request, key?: string])[];
  readonly requests: readonly Step[];
  /** Whether the first request is also frozen for so long that others can take over its key. */
  readonly freezes?: true;
  /** The allowed numbers of projects after all requests were sent again, one after the other. */
  readonly left: readonly number[];
}

const DONE = ['done', 'replayed', 'request-in-progress'];
const REUSED = [...DONE, 'idempotency-key-reused'];
const EXISTING = [[create]] as const;
const CREATED = [[create, 'k']] as const;
/** Returns several requests with one key, all with the same allowed results. */
const sharing = (key: string, endings: readonly string[], ...requests: readonly Request[]) =>
  requests.map((request): Step => [request, key, endings]);

const RACES: readonly Race[] = [
  { name: 'two equal creations with one key', requests: sharing('k', DONE, create, create), freezes: true, left: [1] },
  {
    name: 'two equal creations with one key and no custom id',
    requests: sharing('k', DONE, createNameless, createNameless),
    freezes: true,
    left: [1],
  },
  {
    name: 'two different creations with one key',
    requests: sharing('k', REUSED, create, createOther),
    freezes: true,
    left: [1],
  },
  {
    name: 'three creations with one key, one of them different',
    requests: sharing('k', REUSED, create, create, createOther),
    left: [1],
  },
  {
    name: 'a creation and the deletion of its project with one key',
    requests: [
      [create, 'k', DONE],
      [remove, 'k', ['project-not-found', 'request-in-progress', 'idempotency-key-reused']],
    ],
    left: [1],
  },
  {
    name: 'a creation, its retry, and the deletion of its project with another key',
    requests: [
      ...sharing('k', [...DONE, 'project-deleted'], create, create),
      [remove, 'd', ['done', 'project-not-found']],
    ],
    left: [0],
  },
  {
    name: 'a late retry of a creation and the deletion of its project',
    before: CREATED,
    requests: [[create, 'k', ['replayed', 'project-deleted']], ...sharing('d', ['done'], remove)],
    left: [0],
  },
  {
    name: 'another creation with the key of the first, and the deletion of its project',
    before: CREATED,
    requests: [[createOther, 'k', ['idempotency-key-reused', 'project-deleted']], ...sharing('d', ['done'], remove)],
    left: [0],
  },
  {
    name: 'a late retry of a creation and the deletion of a task of its project',
    before: CREATED,
    requests: [...sharing('k', ['replayed'], create), ...sharing('d', ['done'], removePart)],
    left: [1],
  },
  {
    name: 'two equal deletions with one key',
    before: EXISTING,
    requests: sharing('d', DONE, remove, remove),
    freezes: true,
    left: [0],
  },
  {
    name: 'three equal deletions, two of them with one key',
    before: EXISTING,
    requests: [
      ...sharing('d', [...DONE, 'project-not-found'], remove, remove),
      [remove, 'e', ['done', 'project-not-found']],
    ],
    left: [0],
  },
  {
    name: 'the deletions of a project and of its task with one key',
    before: EXISTING,
    requests: sharing('d', [...REUSED, 'project-not-found'], remove, removePart),
    left: [0, 1],
  },
  {
    name: 'two equal deletions of a task with one key',
    before: EXISTING,
    requests: sharing('d', DONE, removePart, removePart),
    freezes: true,
    left: [1],
  },
  { name: 'two equal puts of a new project with one key', requests: sharing('k', DONE, putNext, putNext), left: [1] },
  {
    name: 'two equal puts of an existing project with one key',
    before: EXISTING,
    requests: sharing('k', DONE, putNext, putNext),
    freezes: true,
    left: [1],
  },
  {
    name: 'two different puts with one key',
    requests: sharing('k', REUSED, putNext, putOther),
    freezes: true,
    left: [1],
  },
  {
    name: 'a put and a creation',
    requests: [
      [putNext, 'k', ['done', 'replayed']],
      [create, 'l', ['done', 'replayed', 'custom-id-in-use']],
    ],
    left: [1],
  },
  {
    name: 'a put, another put and the deletion of their project',
    before: EXISTING,
    requests: [
      [putNext, 'k', ['done']],
      [putOther, 'l', ['done']],
      [remove, 'd', ['done']],
    ],
    // A put by custom id after the deletion creates another project.
    left: [0, 1],
  },
  {
    name: 'a put, the put of a task and the deletion of another task',
    before: EXISTING,
    requests: [
      [putNext, 'k', ['done']],
      [putPart, 'l', ['done']],
      [removePart, 'd', ['done']],
    ],
    left: [1],
  },
  {
    name: 'a put with a revision, a later one, and a deletion with that of the later one',
    requests: [
      [putFirst, 'k', ['done', 'project-deleted']],
      [putSecond, 'l', ['done', 'project-deleted']],
      [removeSecond, 'd', ['done', 'project-not-found']],
    ],
    left: [0],
  },
];

const world = new SqliteWorld();
afterAll(() => world.close());

/** A time that is longer than any request holds its key, in milliseconds. */
const LONG_MS = REQUEST_MS + 2_000;

/** The result of each request, the number of projects, and the number of readable texts. */
interface Finish {
  readonly endings: readonly string[];
  readonly projects: number;
  readonly payloads: number;
}

/** Sends each request of a race to a new process. A scheduler decides whose call runs next. */
async function run(
  { requests }: Race,
  isFirstFrozen: boolean,
  companyId: string,
  scheduler: fc.Scheduler,
): Promise<Finish> {
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

/** Sends the requests of a race again, after all of them have ended. */
async function runAgain({ requests }: Race, companyId: string): Promise<Finish> {
  world.nowMs += LONG_MS;
  const endings: string[] = [];
  for (const [request, key] of requests) endings.push(await nameOf(world.service(), companyId, request, key));
  return finish(companyId, endings);
}

async function nameOf(service: ProjectService, companyId: string, request: Request, key: string): Promise<string> {
  const ending = await endingOf((replayed) => request(world, service, world.callOf(companyId, key, replayed)));
  return ending.is === 'refused' ? ending.problem.name : ending.is;
}

async function finish(companyId: string, endings: readonly string[]): Promise<Finish> {
  const { projects } = await world.service().list({ limit: 9 }, world.callOf(companyId));
  const swept = await world.pending(companyId);
  const kept = (await world.payloads(companyId)).filter(({ id }) => !swept.includes(id));
  return { endings, projects: projects.length, payloads: kept.length };
}

const CASES = RACES.flatMap((race) => [
  { ...race, isFirstFrozen: false },
  ...(race.freezes ? [{ ...race, isFirstFrozen: true, name: `${race.name}, the first one frozen` }] : []),
]);

it.each(CASES)('$name', async ({ isFirstFrozen, ...race }) => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const companyId = world.newCompany();
      for (const [request, key] of race.before ?? [])
        await request(world, world.service(), world.callOf(companyId, key));
      world.nowMs += LONG_MS;
      const first = await run(race, isFirstFrozen, companyId, scheduler);
      for (const [index, [, , endings]] of race.requests.entries()) {
        expect(isFirstFrozen ? [...endings, 'unavailable'] : endings).toContain(first.endings[index]);
      }
      expect(first.projects).toBeLessThanOrEqual(1);
      expect(first.payloads).toBe(first.projects);
      const again = await runAgain(race, companyId);
      expect(race.left).toContain(again.projects);
      expect(again.payloads).toBe(again.projects);
      // Each key had an effect at most once.
      const keys = race.requests.map(([, key]) => key);
      const done = [...first.endings, ...again.endings].flatMap((ending, n) =>
        ending === 'done' ? [keys[n % keys.length]] : [],
      );
      expect(done).toHaveLength(new Set(done).size);
    }),
    // In few orders, the first request ends last.
    { numRuns: isFirstFrozen ? 120 : 40 },
  );
});
