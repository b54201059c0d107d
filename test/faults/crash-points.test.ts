import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Call, ProjectService } from '../../lib/service/port.ts';
import type { JsonObject } from '../support/projects.ts';
import { WAYS, type Way } from './faulty.ts';
import { expectSame, repeating } from './repeating.ts';
import { CUSTOM_ID, comparable, snapshotOf, textOf } from './snapshot.ts';
import { World } from './world.ts';

const world = new World();
afterAll(() => world.close());

/** A request of a company with a key, and what the company has before. */
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

/** Sends a request with its key to a store that fails, and repeats it until it succeeds. */
async function run(scenario: Scenario, wayOf: (call: number) => Way | undefined) {
  const { companyId, keyId } = await world.newKey();
  const call = () => ({ ...world.call(companyId, KEY), keyId });
  await scenario.before(world.service(), () => world.call(companyId));
  world.nowMs += 1_000;
  const { ending, calls } = await repeating(
    world,
    (storage) => scenario.request(world.service(storage), call()),
    wayOf,
  );
  if (ending.is === 'refused') throw ending.problem;
  return {
    calls,
    came: { answer: comparable(ending.value, companyId), snapshot: await snapshotOf(world, companyId) },
  };
}

describe.each(Object.entries(SCENARIOS))('%s', (_, scenario) => {
  it('comes to the same, whichever call of the store fails in whichever way', () =>
    expectSame(WAYS, (wayOf) => run(scenario, wayOf)));

  it('comes to the same, whatever else fails after that', async () => {
    const { calls, came } = await run(scenario, () => undefined);
    const ways = fc.array(fc.option(fc.constantFrom(...WAYS), { nil: undefined }), { maxLength: 2 * calls });
    await fc.assert(
      fc.asyncProperty(ways, async (chosen) => {
        expect((await run(scenario, (call) => chosen[call - 1])).came).toEqual(came);
      }),
      { numRuns: 100 },
    );
  });
});
