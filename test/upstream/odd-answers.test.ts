import { describe, expect, test } from 'vitest';
import { asObject, type Json, type JsonObject, member, segment, target } from '../support/projects.ts';
import type { Shown } from './account.ts';
import { type Mutation, mutated, mutationsOf, placesIn } from './mutations.ts';
import { OddWorld } from './odd-world.ts';
import { answered, checked, START_MS } from './world.ts';

/** A project with every kind of field that a service may give another type. */
const FIELDS: JsonObject = {
  customId: 'a',
  taskId: 'own',
  description: 'Text',
  targetLanguages: [target({ team: [member({ isProofreader: true })] }), { targetLanguageCode: 'fr-FR' }],
  segments: [segment({ customId: 's1', notes: 'Note' }), segment({ taskId: 'other' })],
};

/** The answer to a creation, to a reading, and an entry of a list. */
const ANSWERS: readonly (readonly Shown[])[] = [
  ['create'],
  ['find', 'read'],
  ['list'],
  ['create', 'find', 'read', 'list'],
];

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

describe.each(ANSWERS.map((kinds) => ({ kinds })))('in the answers to $kinds', ({ kinds }) => {
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

  test.each(cases)('the value $value of $path loses no project', async ({ path, value }) => {
    const world = new OddWorld();
    showOddly(world, kinds, { path: path.split('/'), value });
    await goesWell(world);
  });

  // Whose project it is stays as it is.
  const places = placesIn(asObject(JSON.parse(JSON.stringify(answered(checked(FIELDS)))))).filter(
    ([field, ...rest]) => rest.length > 0 || (field !== 'id' && field !== 'customId'),
  );
  const drawn = mutationsOf(places, 50, START_MS % 1_000_003);
  test.each(drawn.map(({ path, value }) => ({ path: path.join('/'), value })))(
    'a value drawn at random loses no project: $value of $path',
    async ({ path, value }) => {
      const world = new OddWorld();
      showOddly(world, kinds, { path: path.split('/'), value });
      await goesWell(world);
    },
  );

  test('an id in a string is the id', async () => {
    const world = new OddWorld();
    showOddly(world, kinds, { path: ['id'], value: '1000' });
    await world.create(world.project(FIELDS), 'key');
    expect((await world.ask('getProject', { segment: '1000' })).json).toMatchObject({ id: 1_000, customId: 'a' });
    expect(await world.audit()).toMatchObject({ unowned: [], missing: [] });
    expect((await world.ask('deleteProject', { segment: '1000' })).status).toBe(204);
  });
});
