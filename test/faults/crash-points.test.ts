import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Call, ProjectService } from '../../lib/service/port.ts';
import type { JsonObject } from '../support/projects.ts';
import { faulty, WAYS, type Way } from './faulty.ts';
import { CUSTOM_ID, comparable, snapshotOf, textOf } from './snapshot.ts';
import { type Ending, endingOf, REQUEST_MS, World } from './world.ts';

const world = new World();
afterAll(() => world.close());

/** A request with a key, and what the company has before. */
interface Scenario {
  readonly before: (service: ProjectService, call: () => Call) => Promise<unknown>;
  /** The answer as text. */
  readonly request: (service: ProjectService, call: Call) => Promise<string>;
}

const FIELDS: JsonObject = {
  customId: CUSTOM_ID,
  taskId: 'own',
  segments: [{ content: 'one' }, { content: 'two', taskId: 'other' }, { content: 'three', taskId: 'own' }],
};
const KEY = 'the key';
const create = async (service: ProjectService, call: Call) => textOf(await service.create(world.project(FIELDS), call));
const remove =
  (taskId?: string): Scenario['request'] =>
  async (service, call) => {
    const scope = taskId === undefined ? ({ kind: 'project' } as const) : ({ kind: 'task', taskId } as const);
    return JSON.stringify(await service.delete({ customId: CUSTOM_ID }, scope, call));
  };
const existing: Scenario['before'] = (service, call) => create(service, call());

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a creation': { before: async () => {}, request: create },
  'a creation under a name that a deleted project had': {
    before: async (service, call) => {
      await create(service, call());
      await remove()(service, call());
    },
    request: create,
  },
  'the replay of a creation': {
    before: (service, call) => create(service, { ...call(), once: { key: KEY, replayed: () => {} } }),
    request: create,
  },
  'a deletion': { before: existing, request: remove() },
  'the deletion of a task': { before: existing, request: remove('other') },
  'the deletion of the project’s own task': { before: existing, request: remove('own') },
};

interface Run {
  readonly answer: string;
  readonly snapshot: string;
  /** Calls of the store that the first request made. */
  readonly calls: number;
}

/** More repetitions than any request needs. */
const MOST_REPETITIONS = 20;

/** Sends a request to a store that fails, and repeats it with its key until it succeeds. */
async function run(scenario: Scenario, wayOf: (call: number) => Way | undefined): Promise<Run> {
  const companyId = world.newCompany();
  const call = () => world.call(companyId, KEY);
  await scenario.before(world.service(), () => world.call(companyId));
  world.nowMs += 1_000;
  const broken = faulty(world.storage, wayOf);
  // A process that stops takes its request along; whoever repeats it comes to another one.
  const send = (service: ProjectService) => endingOf(() => scenario.request(service, call()));
  let ending: Ending<string> | 'stopped' = await Promise.race([send(world.service(broken.storage)), broken.stopped]);
  const calls = broken.calls();
  for (let repetition = 0; repetition < MOST_REPETITIONS; repetition++) {
    if (ending !== 'stopped' && ending.is !== 'refused') {
      return {
        answer: comparable(ending.value, companyId),
        snapshot: await snapshotOf(world, companyId),
        calls,
      };
    }
    if (ending !== 'stopped' && ending.problem.name === 'request-in-progress') {
      const seconds = ending.problem.occurrence.retryAfterSeconds ?? 0;
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(REQUEST_MS / 1_000 + 1);
      world.nowMs += seconds * 1_000;
    } else if (ending !== 'stopped') {
      expect(['unavailable', 'outcome-unknown']).toContain(ending.problem.name);
    }
    ending = await send(world.service());
  }
  throw new Error('The request never succeeds');
}

describe.each(Object.entries(SCENARIOS))('%s', (_, scenario) => {
  it('comes to the same, whichever call of the store fails in whichever way', async () => {
    const faultless = await run(scenario, () => undefined);
    expect(faultless.calls).toBeGreaterThan(2);
    for (let failing = 1; failing <= faultless.calls; failing++) {
      for (const way of WAYS) {
        const repeated = await run(scenario, (call) => (call === failing ? way : undefined));
        expect({ failing, way, ...repeated, calls: 0 }).toEqual({ failing, way, ...faultless, calls: 0 });
      }
    }
  });

  it('comes to the same, whatever else fails after that', async () => {
    const faultless = await run(scenario, () => undefined);
    const ways = fc.array(fc.option(fc.constantFrom(...WAYS), { nil: undefined }), { maxLength: 2 * faultless.calls });
    await fc.assert(
      fc.asyncProperty(ways, async (chosen) => {
        const { answer, snapshot } = await run(scenario, (call) => chosen[call - 1]);
        expect({ answer, snapshot }).toEqual({ answer: faultless.answer, snapshot: faultless.snapshot });
      }),
      { numRuns: 100 },
    );
  });
});
