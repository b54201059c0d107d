import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson } from '../../../lib/contract/canonical-json.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { checkTranslations } from '../../../lib/contract/translations.ts';
import type { CallContext, ProjectService } from '../../../lib/service/port.ts';
import type { PutRequest } from '../../../lib/service/put.ts';
import type { JsonObject } from '../../support/projects.ts';
import { everyOperation, textOf } from '../../support/world.ts';
import { everyWay, straight, WAYS, type Way } from '../faulty.ts';
import { expectSame, type Run, repeating } from '../repeating.ts';
import { CUSTOM_ID, comparable, snapshotOf } from '../snapshot.ts';
import type { Process, World } from '../world.ts';

/** A company in a world, with one key, that sends a request. */
interface Requester {
  readonly world: World;
  readonly companyId: string;
  readonly keyId: string;
}

/** A request that may be repeated, and the requests that prepare the company for it. */
interface Scenario {
  readonly before?: (requester: Requester, process: Process) => Promise<string>;
  /**
   * Sends the request and returns the answer as text.
   * @param before the answer of the step before
   */
  readonly request: (requester: Requester, process: Process, before: string) => Promise<string>;
  /** A text that the request removes. After the work of the worker, the store has it nowhere. */
  readonly removes?: string;
}

const KEY = 'the key';
const FIELDS: JsonObject = {
  customId: CUSTOM_ID,
  taskId: 'own',
  segments: [{ content: 'one' }, { content: 'two', taskId: 'other' }, { content: 'three', taskId: 'own' }],
};
/** Fields of a project that is too large for a table, even with gzip. */
const LARGE: JsonObject = {
  ...FIELDS,
  segments: [{ content: randomBytes(400_000).toString('base64') }, { content: 'two', taskId: 'other' }],
};

/** Returns a call of the company. A deletion must find its API key active. */
const callContext = ({ world, companyId, keyId }: Requester, key?: string): CallContext => ({
  ...world.callOf(companyId, key),
  requestedBy: { kind: 'key', id: keyId },
});
const create = async (requester: Requester, service: ProjectService, fields: JsonObject, key?: string) =>
  textOf(await service.create(requester.world.checked(fields), callContext(requester, key)));
const remove = async (requester: Requester, service: ProjectService, taskId?: string, key?: string) => {
  const scope = taskId === undefined ? ({ kind: 'project' } as const) : ({ kind: 'task', taskId } as const);
  const receipt = await service.delete({ customId: CUSTOM_ID }, scope, callContext(requester, key));
  if (receipt.outcome === 'pending') throw new Problem('outcome-unknown', { detail: 'It is not deleted yet.' });
  return JSON.stringify(receipt);
};

const put = async (requester: Requester, service: ProjectService, revision: number, key?: string) => {
  const request = { ref: { customId: CUSTOM_ID }, project: requester.world.checked(FIELDS), revision };
  const result = await service.put(request, callContext(requester, key));
  if (result.outcome === 'outdated') return JSON.stringify(result);
  const { document, ...rest } = result;
  return canonicalJson(rest) + textOf(await document());
};

const creating = (fields: JsonObject): Scenario['request'] => {
  return (requester, { service }) => create(requester, service, fields, KEY);
};
const existing = (fields: JsonObject): NonNullable<Scenario['before']> => {
  return (requester, { service }) => create(requester, service, fields);
};
const removing = (taskId?: string): Scenario['request'] => {
  return (requester, { service }) => remove(requester, service, taskId, KEY);
};

/** Requests about projects that fit into one item. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a creation': { request: creating(FIELDS) },
  'a creation under a name that a deleted project had': {
    before: async (requester, { service }) => {
      await create(requester, service, FIELDS);
      return remove(requester, service);
    },
    request: creating(FIELDS),
  },
  'the replay of a creation': {
    before: (requester, { service }) => create(requester, service, FIELDS, KEY),
    request: creating(FIELDS),
  },
  'a deletion': { before: existing(FIELDS), request: removing() },
  'the deletion of a task': { before: existing(FIELDS), request: removing('other') },
  'the deletion of the project’s own task': { before: existing(FIELDS), request: removing('own') },
};

/** Puts that create a project, or find it equal. */
export const PUT_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a put that creates a project': { request: (requester, { service }) => put(requester, service, 1, KEY) },
  'a put after a deletion': {
    before: async (requester, { service }) => {
      await put(requester, service, 1);
      return remove(requester, service);
    },
    request: (requester, { service }) => put(requester, service, 2, KEY),
  },
  'a creation under a name whose last revision is remembered': {
    before: async (requester, { service }) => {
      await put(requester, service, 1);
      return remove(requester, service);
    },
    request: creating(FIELDS),
  },
  'a put of an equal project': {
    before: (requester, { service }) => put(requester, service, 1),
    request: (requester, { service }) => put(requester, service, 2, KEY),
  },
  'a put of an equal project without a key': {
    before: (requester, { service }) => put(requester, service, 1),
    request: (requester, { service }) => put(requester, service, 2),
  },
  'a late put': {
    before: (requester, { service }) => put(requester, service, 2),
    request: (requester, { service }) => put(requester, service, 1, KEY),
  },
  'the deletion of a project that was put': {
    before: (requester, { service }) => put(requester, service, 1),
    request: removing(),
  },
};

const TRANSLATED = ['de', 'fr'].map((targetLanguageCode) => ({
  targetLanguageCode,
  serviceAutomaticTranslation: true,
}));
/** A text that the puts of these scenarios remove, and its translations by the engine of the world. */
const GONE = 'Gone';
const PUT_FIELDS: JsonObject = {
  ...FIELDS,
  targetLanguages: TRANSLATED,
  segments: [
    { customId: 'a', content: 'one' },
    { customId: 'b', content: `two ${GONE}` },
    { customId: 'c', content: `three ${GONE}`, taskId: 'other' },
    { customId: 'd', content: 'four', taskId: 'other' },
  ],
};
/** What a put makes of it: a segment is changed, one removed and one added, the order changes, and so do the languages. */
const NEXT_FIELDS: JsonObject = {
  ...PUT_FIELDS,
  name: 'The next version',
  targetLanguages: [{ targetLanguageCode: 'ja', serviceAutomaticTranslation: true }, ...TRANSLATED.slice(0, 1)],
  segments: [
    { customId: 'd', content: 'four', taskId: 'other' },
    { customId: 'a', content: 'one' },
    { customId: 'b', content: 'new two' },
    { customId: 'e', content: 'five', taskId: 'other' },
  ],
};
const TASK_FIELDS: JsonObject = {
  ...PUT_FIELDS,
  segments: [{ content: 'six' }, { customId: 'd', content: 'new four' }],
};

/** Makes a project whose segments have translations of machines, with and without edits that the worker has not moved. */
const translated = (fields: JsonObject): NonNullable<Scenario['before']> => {
  return async (requester, { service }) => {
    const { world } = requester;
    const document = await service.create(world.checked(fields), callContext(requester));
    await world.work();
    const entries = ['a', 'b', 'c'].map((segmentCustomId) => ({
      segmentCustomId,
      languageCode: 'de',
      // The draft of a changed segment stays.
      content: segmentCustomId === 'c' ? `by hand ${GONE}` : 'by hand',
      status: 'translated',
    }));
    const checked = checkTranslations(entries);
    await everyOperation(service).writeTranslations({ id: document.id }, checked, callContext(requester));
    return textOf(document);
  };
};

/** Puts a project. The answer of a put without a key leaves out its outcome, which is another one in a retry. */
const putting = (fields: JsonObject, others: Partial<PutRequest> = {}, key?: string): Scenario['request'] => {
  return async (requester, { service }) => {
    const request = { ref: { customId: CUSTOM_ID }, project: requester.world.checked(fields), ...others };
    const result = await service.put(request, callContext(requester, key));
    if (result.outcome === 'outdated') throw new Error('The put is not late');
    const { document, ...rest } = result;
    return (key === undefined ? '' : canonicalJson(rest)) + textOf(await document());
  };
};

/** Puts that change a project with translations. */
export const CHANGING_PUT_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a put that changes a project': {
    before: translated(PUT_FIELDS),
    request: putting(NEXT_FIELDS, {}, KEY),
    removes: GONE,
  },
  'a put that changes a project, with a revision and without a key': {
    before: translated(PUT_FIELDS),
    request: putting(NEXT_FIELDS, { revision: 7 }),
    removes: GONE,
  },
  'a put of a task': {
    before: translated(PUT_FIELDS),
    request: putting(TASK_FIELDS, { taskId: 'other' }, KEY),
    removes: 'three',
  },
  'a put that notes the first revision of an equal project': {
    before: translated(PUT_FIELDS),
    request: putting(PUT_FIELDS, { revision: 7 }, KEY),
  },
};

/** Puts of projects that are too large for a table. */
export const LARGE_PUT_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a put that changes a large project': {
    before: existing(LARGE),
    request: putting({ ...LARGE, segments: [{ content: 'small' }, { content: 'two' }] }, { revision: 7 }, KEY),
  },
};

/** Requests about projects that are too large for a table, and the sweep of their bytes. */
export const LARGE_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'the creation of a large project': { request: creating(LARGE) },
  'the deletion of a large project': { before: existing(LARGE), request: removing() },
  'the deletion of a task of a large project': { before: existing(LARGE), request: removing('other') },
  'a sweep': {
    before: async (requester, { service }) => {
      await create(requester, service, LARGE);
      return remove(requester, service);
    },
    request: async (_, { sweep }) => {
      if ((await sweep()) > 0) throw new Problem('unavailable', { detail: 'Something is left to be swept.' });
      return 'swept';
    },
  },
};

interface Came {
  readonly answer: string;
  readonly snapshot: string;
}

/** Sends a request with a key through a process whose calls fail, and repeats it until it succeeds. */
async function run(
  world: World,
  scenario: Scenario,
  wayOf: (call: number) => Way | undefined = () => undefined,
): Promise<Run<Came>> {
  const { companyId, keyId } = await world.newKey();
  const requester = { world, companyId, keyId };
  const before = (await scenario.before?.(requester, world.process(straight))) ?? '';
  world.nowMs += 1_000;
  const { ending, calls } = await repeating(world, (process) => scenario.request(requester, process, before), wayOf);
  if (ending.is === 'refused') throw ending.problem;
  const answer = comparable(ending.value, companyId);
  const snapshot = await snapshotOf(world, companyId);
  if (scenario.removes === undefined) return { calls, came: { answer, snapshot } };
  expect(answer).not.toContain(scenario.removes);
  await world.work();
  const worked = await snapshotOf(world, companyId);
  expect(worked.toLowerCase()).not.toContain(scenario.removes.toLowerCase());
  return { calls, came: { answer, snapshot: `${snapshot}\n${worked}` } };
}

interface CrashPoints {
  /** Creates a new world for each test. */
  readonly open: () => World | Promise<World>;
  readonly scenarios: Readonly<Record<string, Scenario>>;
  /** Returns the ways in which a call fails. Default: every way. */
  readonly waysAt?: (call: number) => readonly Way[];
  /** The number of runs in which random calls fail. */
  readonly atRandom: number;
}

/** Defines tests that each request has the same outcome, whichever of its calls fails. */
export function describeCrashPoints({ open, scenarios, waysAt = everyWay, atRandom }: CrashPoints): void {
  const within = async (test: (world: World) => Promise<void>) => {
    const world = await open();
    try {
      await test(world);
    } finally {
      world.close();
    }
  };
  const cases = Object.entries(scenarios);

  it.concurrent.each(cases)('%s has the same outcome, whichever call fails, and however it fails', (_, scenario) =>
    within(async (world) => {
      const { calls, came } = await expectSame(waysAt, (wayOf) => run(world, scenario, wayOf));
      expect(calls).toBeGreaterThan(0);
      expect(came.snapshot).toContain('"pending": []');
      expect(came.snapshot).not.toMatch(/"text": "(lost|orphan)"/);
    }),
  );

  it.concurrent.each(cases)('%s has the same outcome if further calls fail after that', (_, scenario) =>
    within(async (world) => {
      const { calls, came } = await run(world, scenario);
      const way = fc.option(fc.constantFrom(...WAYS), { nil: undefined });
      await fc.assert(
        fc.asyncProperty(fc.array(way, { maxLength: 2 * calls }), async (chosen) => {
          expect((await run(world, scenario, (call) => chosen[call - 1])).came).toEqual(came);
        }),
        { numRuns: atRandom },
      );
    }),
  );
}
