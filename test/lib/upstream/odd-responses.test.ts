import { describe, expect, it } from 'vitest';
import { createProject } from '../../../lib/service/command.ts';
import { asObject, type Json, type JsonObject, member, segment, target } from '../../support/projects.ts';
import { OddWorld } from './odd-world.ts';
import { type Shown, silence } from './played-account.ts';

/** One change of a JSON value: what stands at a path is replaced, or removed. */
interface Mutation {
  readonly path: readonly string[];
  /** `undefined` removes it. */
  readonly value: Json | undefined;
}

/** Changes a JSON value at one place. */
function mutated(whole: Json, { path: [step, ...rest], value }: Mutation): Json {
  if (step === undefined) return value ?? null;
  if (Array.isArray(whole)) {
    return whole.flatMap((entry, n) => (String(n) === step ? change(entry, rest, value) : [entry]));
  }
  if (typeof whole !== 'object' || whole === null) return whole;
  return Object.fromEntries(
    Object.entries(whole).flatMap(([name, field]) =>
      name === step ? change(field, rest, value).map((changed) => [name, changed]) : [[name, field]],
    ),
  );
}

function change(place: Json, path: readonly string[], value: Json | undefined): Json[] {
  if (path.length === 0 && value === undefined) return [];
  return [mutated(place, { path, value })];
}

/** A project with every kind of field that a service may give another type. */
const FIELDS: JsonObject = {
  customId: 'a',
  taskId: 'own',
  description: 'Text',
  targetLanguages: [target({ team: [member({ isProofreader: true })] }), { targetLanguageCode: 'fr-FR' }],
  segments: [segment({ customId: 's1', notes: 'Note' }), segment({ taskId: 'other' })],
};

/** The responses that are odd: to a creation, or to every request. */
const ANSWERS: readonly (readonly Shown[])[] = [['create'], ['create', 'find', 'read', 'list']];

/** Changes what the service answers, where it does not say which project it is about. */
function showOddly(world: OddWorld, kinds: readonly Shown[], mutation: Mutation): void {
  world.account.shown = (value, kind) => {
    if (!kinds.includes(kind)) return value;
    const given: Json = JSON.parse(JSON.stringify(value));
    return Array.isArray(given) ? given.map((entry) => mutated(entry, mutation)) : mutated(given, mutation);
  };
}

/** What the service answers, with the custom id of whoever asks Segue. */
function passedOn(world: OddWorld, kind: Shown): JsonObject {
  const [project] = [...world.account.projects.values()];
  return { ...asObject(JSON.parse(JSON.stringify(world.account.shown(project, kind)))), customId: 'a' };
}

/** Creates, reads, lists and deletes a project, as if nothing were odd. */
async function goesWell(world: OddWorld): Promise<void> {
  const created = await world.create(world.project(FIELDS), 'key');
  expect(created).toMatchObject({ status: 201, headers: { Location: expect.stringMatching(/\/1000$/) } });
  expect(created.json).toEqual(passedOn(world, 'create'));

  const whole = passedOn(world, 'read');
  expect(await world.ask('getProject', { segment: '1000' })).toMatchObject({ status: 200, json: whole });
  expect(await world.ask('getProjectByCustomId', { segment: 'a' })).toMatchObject({ status: 200, json: whole });
  expect((await world.operation('key')).json).toMatchObject({ status: 'done', project: whole });
  expect((await world.create(world.project(FIELDS), 'key')).json).toEqual(whole);
  expect((await world.create(world.project({ ...FIELDS, name: 'Another' }), 'key')).status).toBe(422);
  expect(await world.list()).toMatchObject([{ id: 1_000, customId: 'a' }]);
  expect(await world.audit()).toMatchObject({ unowned: [], missing: [] });

  expect((await world.ask('deleteProject', { segment: '1000' })).status).toBe(204);
  expect((await world.ask('getProject', { segment: '1000' })).status).toBe(404);
  expect(await world.list()).toEqual([]);
  expect(world.account.projects.size).toBe(0);
}

describe.each(ANSWERS.map((kinds) => ({ kinds })))('in the responses to $kinds', ({ kinds }) => {
  const LANGUAGE = ['targetLanguages', '0'];
  const MEMBER = [...LANGUAGE, 'team', '0'];
  const SEGMENT = ['segments', '0'];
  const NOTE = [...SEGMENT, 'languageSpecificNotes', '0'];
  const rows: readonly (readonly [path: readonly string[], ...values: readonly (Json | undefined)[]])[] = [
    [[...LANGUAGE, 'state'], 'Completed', null, 7, undefined],
    [[...LANGUAGE, 'progress'], -1, 101, null, 'half', undefined],
    [[...LANGUAGE, 'flag'], 3, true, { colour: 'red' }, undefined],
    [['domain'], 7, { id: 7 }, undefined],
    [[...MEMBER, 'translationRate'], '0.10 EUR', undefined],
    [[...MEMBER, 'proofreadingRate'], '0.05 EUR', undefined],
    [[...MEMBER, 'translationProductivity'], 'high', undefined],
    [[...MEMBER, 'proofreadingProductivity'], 'high', undefined],
    [[...MEMBER, 'proofreadedBy'], 'Example Person', undefined],
    [[...NOTE, 'languageId'], null, undefined],
    [[...SEGMENT, 'languageSpecificNotes'], 'Informal', null],
    [[...SEGMENT, 'id'], '7c9e6679-7425-40de-944b-e07fc1f90ae7', null, undefined],
    [['segments'], undefined, null, 'none', {}],
    [['targetLanguages'], undefined, null, {}],
    [['creationDateUtc'], undefined, null, 1_763_640_000_000, '20 November 2026'],
    [['taskId'], 5, '', null],
  ];
  const cases = rows.flatMap(([path, ...values]) => values.map((value) => ({ path: path.join('/'), value })));

  it.each(cases)('the value $value of $path breaks nothing', async ({ path, value }) => {
    const world = new OddWorld();
    showOddly(world, kinds, { path: path.split('/'), value });
    await goesWell(world);
  });
});

it.each([0, 2_000])('large and precise numbers keep their digits, beside %i characters', async (length) => {
  const numbers = ['9007199254740993', '12345678901234567890', '0.12345678901234567', '1e400'];
  const odd = { numbers: numbers.map((number) => JSON.rawJSON(number)), description: 'x'.repeat(length) };
  const world = new OddWorld();
  world.account.shown = (value) => ({ ...Object(value), ...odd });
  const answers = [
    await world.create(world.project(FIELDS), 'key'),
    await world.ask('getProject', { segment: '1000' }),
    await world.operation('key'),
    await world.ask('listProjects'),
  ];
  for (const { text } of answers) expect(text).toContain(`"numbers":[${numbers}]`);
});

it.each([
  ['segments', { projectId: 1_000, segments: null, targetLanguages: 2 }],
  ['targetLanguages', { projectId: 1_000, segments: 2, targetLanguages: null }],
])('a command succeeds without %s in the response, and their count is null', async (field, result) => {
  const odd = new OddWorld();
  showOddly(odd, ['create'], { path: [field], value: undefined });
  const { service, world } = odd;
  expect(await createProject(service, odd.project(FIELDS), world.call(), world.nowMs)).toEqual(result);
});

describe.each<{ kinds: readonly Shown[] }>([
  { kinds: ['create'] },
  { kinds: ['read'] },
  { kinds: ['create', 'find'] },
  { kinds: ['create', 'find', 'read'] },
])('an odd id or custom id in the responses to $kinds', ({ kinds }) => {
  const GUID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  const odd: readonly (readonly [field: string, value: Json | undefined])[] = [
    ...[undefined, null, 0, -1, 1.5, 2 ** 53, GUID, '01000', true, [1_002], {}].map((id) => ['id', id] as const),
    // A project of the same company.
    ['id', 1_000],
    ...[undefined, null, 5, '', 'a', 'segue.acme.n.b', ['segue.acme.n.a'], 'segue.beta.n.a'].map(
      (customId) => ['customId', customId] as const,
    ),
  ];

  it.each(odd)('loses no project and adopts no other: %s %o', async (field, value) => {
    const world = new OddWorld();
    const mine = await world.create(world.project({ customId: 'mine' }), 'mine');
    const others = await world.create(world.project({ customId: 'a' }), 'a', 'beta');
    expect([mine.status, others.status]).toEqual([201, 201]);

    const { shown } = world.account;
    showOddly(world, kinds, { path: [field], value });
    const created = await world.create(world.project(FIELDS), 'key');
    expect([201, 202, 504]).toContain(created.status);
    expect((await world.operation('key')).json).not.toMatchObject({ status: 'failed' });
    if (created.status === 201) expect(created.json).toMatchObject({ id: 1_002, customId: 'a' });
    await world.ask('deleteProjectByCustomId', { segment: 'mine', query: { taskId: ['none'] } });
    expect(world.account.projects.size).toBe(3);

    world.account.shown = shown;
    world.world.settle();
    await world.reconcile();
    expect((await world.operation('key')).json).toMatchObject({ status: 'done', project: { id: 1_002 } });
    expect(await world.audit()).toMatchObject({ unowned: [], missing: [] });

    showOddly(world, kinds, { path: [field], value });
    await world.ask('deleteProjectByCustomId', { segment: 'a' });
    world.account.shown = shown;
    world.world.settle();
    await world.reconcile();
    // It is deleted, or it is as it was.
    const { status } = await world.ask('deleteProjectByCustomId', { segment: 'a' });
    expect([204, 404]).toContain(status);
    expect([...world.account.projects.keys()]).toEqual([1_000, 1_001]);
  });
});

it.each([
  // Local time of a service west of Greenwich, without its offset.
  '2026-11-20T05:00:00',
  // The day alone, as a date type writes it.
  '2026-11-20T00:00:00',
  '2026-11-20',
  // The default value of a date type.
  '0001-01-01T00:00:00',
  '0001-01-01T00:00:00Z',
])('a creation whose response is lost finds its project with the creation date %s', async (creationDateUtc) => {
  const world = new OddWorld();
  showOddly(world, ['find', 'read'], { path: ['creationDateUtc'], value: creationDateUtc });
  world.account.after = ({ method }) => {
    if (method === 'POST') silence();
  };
  expect(await world.create(world.project(FIELDS), 'key')).toMatchObject({ status: 201, json: { creationDateUtc } });
  expect([...world.account.projects.keys()]).toEqual([1_000]);
});

it('a creation that gets only ids of other projects of the company is looked up once', async () => {
  const world = new OddWorld();
  for (const customId of ['b', 'c']) await world.create(world.project({ customId }), customId);
  const { shown } = world.account;
  // The first project’s id in the answer, and another one at each lookup.
  let looks = 0;
  world.account.shown = (value, kind) =>
    kind === 'list' ? value : { ...Object(value), id: kind === 'create' ? 1_000 : 1_000 + (++looks % 2) };
  world.account.asked.length = 0;
  expect((await world.create(world.project(FIELDS), 'key')).status).toBe(504);
  expect(world.account.asked.map((line) => line.split(' ')[0])).toEqual(['POST', 'GET']);

  world.account.shown = shown;
  await world.reconcile();
  expect((await world.operation('key')).json).toMatchObject({ status: 'done', project: { id: 1_002 } });
});

it.each([
  ['another company’s project', 1_001],
  ['no project', 5_000],
])('a creation that gets the id of %s touches no other project, and its owner can reach it', async (_, id) => {
  const world = new OddWorld();
  await world.create(world.project({ customId: 'mine' }), 'mine');
  await world.create(world.project({ customId: 'a' }), 'a', 'beta');
  showOddly(world, ['create'], { path: ['id'], value: id });
  expect((await world.create(world.project(FIELDS), 'key')).json).toMatchObject({ id });
  const custom = encodeURIComponent(String(FIELDS['customId']));
  for (const [operation, segment] of [
    ['getProject', `${id}`],
    ['getProjectByCustomId', custom],
  ] as const) {
    expect((await world.ask(operation, { segment })).json).toMatchObject({ id, customId: FIELDS['customId'] });
  }
  expect((await world.ask('deleteProject', { segment: `${id}` })).status).toBe(204);
  expect([...world.account.projects.keys()]).toEqual([1_000, 1_001]);
  expect((await world.ask('getProjectByCustomId', { segment: custom })).status).toBe(404);
  expect(await world.audit()).toMatchObject({ unowned: [], missing: [] });
});
