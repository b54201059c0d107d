import { describe, expect, it } from 'vitest';
import { checkTranslations } from '../../../lib/contract/translations.ts';
import { prefixing, WorkWorld } from '../../lib/hosted/work/world.ts';
import { callContext } from '../../lib/support.ts';
import { type JsonObject, member, segment, segments } from '../../support/projects.ts';
import { faulty, storeFailure, type Through, throughout, twoWaysAt, type Way } from '../faulty.ts';

const LANGUAGES = ['de', 'fr'].map((targetLanguageCode) => ({ targetLanguageCode, serviceAutomaticTranslation: true }));

/** A state of a project in which the worker has something to do. */
interface Scenario {
  readonly name: string;
  /** Prepares the project. Returns its id. */
  readonly prepare: (world: WorkWorld) => Promise<number>;
}

/** Creates a project of two chunks in each of two languages, whose segments belong to two tasks in turn. */
async function created(world: WorkWorld): Promise<number> {
  const list = segments(520).map((each, n) => ({ ...each, taskId: n % 2 === 0 ? 'even' : 'odd' }));
  return world.create({ targetLanguages: LANGUAGES, segments: list });
}

async function edited(world: WorkWorld, id: number): Promise<void> {
  const shown = await world.segments(id);
  const entries = [3, 4, 510, 511].map(
    (n): JsonObject => ({
      segmentId: shown[n]?.source.id ?? 0,
      languageCode: 'de',
      content: `by hand ${n}`,
      status: 'translated',
    }),
  );
  await world.service.writeTranslations({ id }, checkTranslations(entries), callContext());
}

const SCENARIOS: readonly Scenario[] = [
  { name: 'the translation of a new project', prepare: created },
  {
    name: 'the translation of a project that somebody has edited',
    prepare: async (world) => {
      const id = await created(world);
      await edited(world, id);
      return id;
    },
  },
  {
    name: 'the assignment of the tasks of a managed project',
    prepare: (world) => {
      const tasks = Array.from({ length: 45 }, (_, n) => segment({ taskId: `task ${n}` }));
      const managed = { targetLanguageCode: 'de', managedProject: true, serviceTranslation: true, team: [member()] };
      return world.create({ targetLanguages: [managed], segments: tasks });
    },
  },
  {
    name: 'the removal of a deleted task',
    prepare: async (world) => {
      const id = await created(world);
      await world.workUntilDone();
      await edited(world, id);
      await world.service.delete({ id }, { kind: 'task', taskId: 'even' }, callContext());
      return id;
    },
  },
  {
    name: 'the removal of a deleted project',
    prepare: async (world) => {
      const id = await created(world);
      await world.workUntilDone();
      await edited(world, id);
      await world.service.delete({ id }, { kind: 'project' }, callContext());
      return id;
    },
  },
];

/** How long the lease of a dead worker lasts at most, in milliseconds. */
const LEASE_MS = 100_000;

/** Runs the worker with one fault, then others without, until nothing is left to do. Returns the number of calls. */
async function runWithFault(world: WorkWorld, call: number, way: Way | undefined): Promise<number> {
  const faults = faulty((n) => (n === call ? way : undefined), storeFailure);
  const through: Through = faults.through;
  world.workerStorage = throughout(world.storage, through);
  world.translate = (request) => through(() => prefixing(request));
  // A run throws if it cannot list the jobs.
  await Promise.race([world.work().catch(() => {}), faults.stopped]);
  world.workerStorage = world.storage;
  world.translate = prefixing;
  world.nowMs += LEASE_MS;
  await world.workUntilDone();
  return faults.calls();
}

/** Returns what is to be the same after every fault: all that a reader sees, and all that the store has. */
async function outcomeOf(world: WorkWorld, id: number): Promise<unknown> {
  const rest = world.storage
    .all()
    .filter(({ sort }) => !/^(characters|lease|request|outbox)\//.test(sort))
    .map(({ partition, sort }) => `${partition} ${sort}`)
    .sort();
  const readings = [world.segments(id), world.languages(id), world.progress(id)];
  const shown = await Promise.all(readings.map((reading) => reading.catch((error: Error) => error.name)));
  return { rest, shown };
}

/** Returns the types of the project's events. Their sequence numbers must have no gap. */
function eventsOf(world: WorkWorld, id: number): readonly string[] {
  const events = world.events(id);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, n) => n + 1));
  return events.map(({ type }) => type).sort();
}

describe.each(SCENARIOS)('$name', ({ prepare }) => {
  it('has the same outcome, whichever call of the store or the engine fails, and however it fails', async () => {
    const undisturbed = new WorkWorld();
    const id = await prepare(undisturbed);
    const calls = await runWithFault(undisturbed, 0, undefined);
    const [outcome, events] = [await outcomeOf(undisturbed, id), eventsOf(undisturbed, id)];
    expect(calls).toBeGreaterThan(5);
    for (let call = 1; call <= calls; call++) {
      for (const way of twoWaysAt(call)) {
        const world = new WorkWorld();
        expect(await prepare(world)).toBe(id);
        await runWithFault(world, call, way);
        const label = `call ${call} ${way}`;
        expect(await outcomeOf(world, id), label).toEqual(outcome);
        expect(eventsOf(world, id), label).toEqual(events);
      }
    }
  });
});
