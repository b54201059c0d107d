import { randomBytes } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { checkLanguageChange, checkTranslations } from '../../../../lib/contract/translations.ts';
import { pageKey, readAssignmentPage } from '../../../../lib/hosted/people/assignment-item.ts';
import { EngineFailure } from '../../../../lib/service/translation-engine.ts';
import type { Batch } from '../../../../lib/storage/port.ts';
import { type JsonObject, member, segment } from '../../../support/projects.ts';
import { callContext } from '../../support.ts';
import { beforeCommit, translated, WorkWorld } from '../work/world.ts';

const TEAM = [member({}, 1), member({}, 2), member({ isTranslator: false, isProofreader: true }, 3)];
const MANAGED = {
  targetLanguageCode: 'de',
  managedProject: true,
  serviceTranslation: true,
  serviceProofreading: true,
  team: TEAM,
};
const [ONE, TWO, PROOFREADER] = TEAM.map(({ id }) => id);

/** Creates a project of the tasks `a` and `b` and of a segment without a task, and runs the worker. */
async function created(world: WorkWorld, fields: JsonObject = {}, segments = TASKS): Promise<number> {
  const id = await world.create({ targetLanguages: [{ ...MANAGED, ...fields }], segments });
  await world.workUntilDone();
  return id;
}
const TASKS = ['a', 'a', 'b'].map((taskId) => segment({ taskId })).concat(segment());

async function assignees(world: WorkWorld, id: number, taskId?: string): Promise<unknown> {
  return (await world.service.progress({ id }, taskId, callContext()))['assignees'];
}

function de(taskId: string | null, role: string, memberId: unknown) {
  return { taskId, languageCode: 'de', role, memberId };
}

/** Gives all translations of a task a status. */
async function write(world: WorkWorld, id: number, taskId: string, status: string): Promise<void> {
  const shown = await world.segments(id, { taskId });
  const entries = shown.map(({ source }) => ({
    segmentId: source.id,
    languageCode: 'de',
    content: 'x',
    status,
    reopen: true,
  }));
  await world.service.writeTranslations({ id }, checkTranslations(entries), callContext());
  await world.workUntilDone();
}

async function changeState(world: WorkWorld, id: number, state: string): Promise<void> {
  await world.service.changeLanguage({ id }, 'de', checkLanguageChange({ state }), callContext());
  await world.workUntilDone();
}

/** Returns the tasks whose assignments are stored. */
async function storedTasks({ storage: memory }: WorkWorld, projectId: number): Promise<unknown[]> {
  const page = await readAssignmentPage(memory, pageKey({ companyId: 'acme', projectId, languageId: 1093, page: 0 }));
  return [...page.byTask.keys()];
}

function isAssignment({ writes }: Batch): boolean {
  return writes.some(({ key }) => key.sort.startsWith('assignment/'));
}

/** Assigns a number of tasks. Returns how many calls of the store it takes, and how many bytes they read and write. */
async function costOf(tasks: number) {
  const world = new WorkWorld();
  const segments = Array.from({ length: tasks }, (_, n) => segment({ taskId: `task ${n}` }));
  const id = await world.create({ targetLanguages: [MANAGED], segments });
  let [calls, bytes] = [0, 0];
  const size = (value: unknown) =>
    JSON.stringify(value, (_, part) => (part instanceof Uint8Array ? 'x'.repeat(part.length) : part))?.length ?? 0;
  const count = async <T>(result: Promise<T>, written: unknown = ''): Promise<T> => {
    calls++;
    bytes += size(written) + size(await result);
    return result;
  };
  const { storage: memory } = world;
  world.workerStorage = {
    read: (key) => count(memory.read(key)),
    readWithPayload: (key) => count(memory.readWithPayload(key)),
    readPayloadRange: (item, range) => count(memory.readPayloadRange(item, range)),
    list: (partition, range) => count(memory.list(partition, range)),
    commit: (batch) => count(memory.commit(batch), batch),
  };
  await world.workUntilDone();
  return { calls, bytes, events: assignments(world, id).length };
}

/** Returns the assignments among the events, as task, role and member. */
function assignments(world: WorkWorld, id: number): unknown[] {
  return world
    .events(id)
    .filter(({ type }) => type.startsWith('task.'))
    .map(({ type, data: { taskId = null, role, memberId } }) => [type, taskId, role, memberId]);
}

describe('a managed project', () => {
  it('has a translator for each task, in the progress and in events', async () => {
    const world = new WorkWorld();
    const id = await created(world);
    expect(await assignees(world, id)).toEqual([
      de('a', 'translator', ONE),
      de('b', 'translator', TWO),
      de(null, 'translator', TWO),
    ]);
    expect(await assignees(world, id, 'b')).toEqual([de('b', 'translator', TWO)]);
    expect(assignments(world, id)).toEqual([
      ['task.assigned', 'a', 'translator', ONE],
      ['task.assigned', 'b', 'translator', TWO],
      ['task.assigned', null, 'translator', TWO],
    ]);
    expect(world.events(id).at(-1)?.data).toEqual({
      languageId: 1093,
      languageCode: 'de',
      role: 'translator',
      memberId: TWO,
    });
  });

  it('gets a proofreader for a translated task, and a translator again for a reopened one', async () => {
    const world = new WorkWorld();
    const id = await created(world);
    await write(world, id, 'a', 'translated');
    expect(assignments(world, id).slice(3)).toEqual([['task.assigned', 'a', 'proofreader', PROOFREADER]]);
    await write(world, id, 'a', 'proofread');
    await write(world, id, 'a', 'draft');
    expect(assignments(world, id).slice(4)).toEqual([['task.assigned', 'a', 'translator', ONE]]);
    await write(world, id, 'a', 'translated');
    expect(assignments(world, id).slice(5)).toEqual([['task.assigned', 'a', 'proofreader', PROOFREADER]]);
    expect(await assignees(world, id, 'a')).toEqual([de('a', 'translator', ONE), de('a', 'proofreader', PROOFREADER)]);
  });

  it('without a team has no assignees, and says so once', async () => {
    const world = new WorkWorld();
    const id = await created(world, { team: null });
    await write(world, id, 'a', 'draft');
    expect(await assignees(world, id)).toEqual([]);
    expect(assignments(world, id)).toEqual([
      ['task.unassigned', 'a', 'translator', undefined],
      ['task.unassigned', 'b', 'translator', undefined],
      ['task.unassigned', null, 'translator', undefined],
    ]);
  });

  it('assigns nothing in preparation, and starts with InProgress', async () => {
    const world = new WorkWorld();
    const id = await created(world, { state: 'InPreparation' });
    expect(await assignees(world, id)).toEqual([]);
    await changeState(world, id, 'InProgress');
    expect(assignments(world, id)).toHaveLength(3);
    await changeState(world, id, 'InPreparation');
    await write(world, id, 'a', 'translated');
    expect(assignments(world, id)).toHaveLength(3);
    await changeState(world, id, 'InProgress');
    expect(assignments(world, id)).toHaveLength(4);
  });

  it('that has hundreds of tasks has them all assigned, evenly and with an event each', async () => {
    const world = new WorkWorld();
    const id = await created(
      world,
      {},
      Array.from({ length: 130 }, (_, n) => segment({ taskId: `task ${n}` })),
    );
    const members = assignments(world, id).map((event) => JSON.stringify(event).match(/700\d/)?.[0]);
    expect(members).toHaveLength(130);
    expect(members.filter((each) => each === String(ONE))).toHaveLength(65);
    expect(world.events(id).map(({ sequence }) => sequence)).toEqual(Array.from({ length: 131 }, (_, n) => n + 1));
  });

  it('costs twice as much to assign with twice as many tasks', async () => {
    const [once, twice] = [await costOf(1_000), await costOf(2_000)];
    expect([once.events, twice.events]).toEqual([1_000, 2_000]);
    for (const name of ['calls', 'bytes'] as const) expect(twice[name] / once[name]).toBeLessThan(2.3);
    // A commit assigns up to 95 tasks. The rest are reads and writes of the pages between two commits, and of the project.
    expect(twice.calls).toBeLessThan(200);
  });

  it('is assigned although its translations change all the time, and then looks at the changes', async () => {
    const world = new WorkWorld();
    const id = await world.create({
      targetLanguages: [MANAGED],
      segments: Array.from({ length: 400 }, (_, n) => segment({ taskId: `task ${n}` })),
    });
    const [first] = await world.segments(id, { taskId: 'task 0' });
    const entry = { segmentId: first?.source.id, languageCode: 'de', content: 'x', reopen: true };
    let commits = 0;
    beforeCommit(world, async (batch) => {
      if (!isAssignment(batch) || commits++ >= 6) return;
      const status = commits === 6 ? 'translated' : 'draft';
      await world.service.writeTranslations({ id }, checkTranslations([{ ...entry, status }]), callContext());
    });
    await world.workUntilDone();
    const told = assignments(world, id).map((event) => JSON.stringify(event));
    expect(told.filter((event) => event.includes('"translator"'))).toHaveLength(400);
    expect(told.at(-1)).toBe(JSON.stringify(['task.assigned', 'task 0', 'proofreader', PROOFREADER]));
    // Five changes hit each a commit before it was made. After the sixth one, a second look needs one more commit.
    expect(commits).toBeLessThan(16);
  });

  it('with large pages is assigned in transactions that DynamoDB accepts', async () => {
    const world = new WorkWorld();
    // The pages have more than 32 KiB of JSON that does not compress, so each takes four operations of the 100.
    const name = () => randomBytes(187).toString('base64');
    const segments = Array.from({ length: 2_000 }, () => segment({ taskId: name() }));
    const id = await created(world, {}, segments);
    const chosen = (await world.segments(id)).filter((_, n) => n % 25 === 0);
    const done = { languageCode: 'de', content: 'x', status: 'translated', reopen: true };
    const entries = chosen.map(({ source }) => ({ ...done, segmentId: source.id }));
    await world.service.writeTranslations({ id }, checkTranslations(entries), callContext());
    await world.workUntilDone();
    expect(world.failures).toEqual([]);
    expect(assignments(world, id)).toHaveLength(2_000 + chosen.length);
  });

  it('stops when the time is over, and another run assigns the rest', async () => {
    const world = new WorkWorld();
    const id = await world.create({
      targetLanguages: [MANAGED],
      segments: Array.from({ length: 400 }, (_, n) => segment({ taskId: `task ${n}` })),
    });
    beforeCommit(world, (batch) => {
      if (isAssignment(batch)) world.nowMs += 30_000;
    });
    await world.work();
    const some = assignments(world, id).length;
    expect(some).toBeGreaterThan(0);
    expect(some).toBeLessThan(400);
    await world.workUntilDone();
    expect(assignments(world, id)).toHaveLength(400);
  });

  it('gets a proofreader for what the engine has translated before it fails', async () => {
    const world = new WorkWorld();
    world.translate = async ({ texts }) => ({
      results: texts.map((text, n) => (n < 2 ? translated(text) : { kind: 'pending' })),
      usedCharacters: 2,
      failure: new EngineFailure('busy', 600_000),
    });
    const fields = { ...MANAGED, serviceTranslation: false, serviceAutomaticTranslation: true };
    const id = await world.create({ targetLanguages: [fields], segments: TASKS });
    await world.work();
    expect(assignments(world, id)).toEqual([['task.assigned', 'a', 'proofreader', PROOFREADER]]);
    expect(world.jobs()).toEqual([world.nowMs + 600_000]);
  });

  it('looks only at languages that have changed', async () => {
    const world = new WorkWorld();
    const codes = ['de', 'fr', 'es', 'it', 'nl', 'pl', 'sv', 'da', 'fi', 'cs', 'pt', 'hu'];
    const fields = { ...MANAGED, serviceAutomaticTranslation: true };
    const commits = vi.spyOn(world.storage, 'commit');
    await world.create({
      targetLanguages: codes.map((targetLanguageCode) => ({ ...fields, targetLanguageCode })),
      segments: TASKS,
    });
    await world.workUntilDone();
    // In each language: the assignment, a batch of the engine, its end, and a second look at the assignments. Jobs take some more.
    expect(commits.mock.calls.length).toBeLessThan(codes.length * 5);
  });

  it('keeps the pages of its segments valid while it is assigned', async () => {
    const world = new WorkWorld();
    const id = await world.create({ targetLanguages: [MANAGED], segments: TASKS });
    const query = { maxBytes: 100_000, isGzip: false, limit: 1 };
    const { next } = await world.service.segments({ id }, query, callContext());
    await world.workUntilDone();
    expect(await assignees(world, id)).toHaveLength(3);
    await expect(world.service.segments({ id }, { ...query, after: next }, callContext())).resolves.toBeDefined();
  });

  it.each(['InProgress', 'InPreparation'])(
    'keeps nothing of a deleted task in its pages while it is %s',
    async (state) => {
      const world = new WorkWorld();
      const id = await created(world);
      await changeState(world, id, state);
      expect(await storedTasks(world, id)).toEqual(['a', 'b', null]);
      await world.service.delete({ id }, { kind: 'task', taskId: 'a' }, callContext());
      await world.workUntilDone();
      expect(await storedTasks(world, id)).toEqual(['b', null]);
    },
  );

  it('loses the assignees of a deleted task, and all of them when it is deleted', async () => {
    const world = new WorkWorld();
    const id = await created(world);
    await world.service.delete({ id }, { kind: 'task', taskId: 'a' }, callContext());
    const rest = [de('b', 'translator', TWO), de(null, 'translator', TWO)];
    expect(await assignees(world, id)).toEqual(rest);
    await world.workUntilDone();
    expect(await assignees(world, id)).toEqual(rest);
    await world.service.delete({ id }, { kind: 'project' }, callContext());
    await world.workUntilDone();
    const left = world.storage.all().map(({ sort }) => sort);
    expect(left.filter((sort) => sort.startsWith('assignment/'))).toEqual([]);
  });
});

it('a project that the company manages itself has no assignees', async () => {
  const world = new WorkWorld();
  const id = await created(world, { managedProject: false });
  expect([await assignees(world, id), assignments(world, id)]).toEqual([[], []]);
});
