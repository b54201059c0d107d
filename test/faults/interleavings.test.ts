import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import type { ProjectService } from '../../lib/service/port.ts';
import { throughout } from './faulty.ts';
import { RACES, type Race, type Request } from './races.ts';
import { SqliteWorld } from './sqlite-world.ts';
import { endingOf, REQUEST_MS } from './world.ts';

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
    { numRuns: race.isFirstFrozen ? 500 : 150 },
  );
});
