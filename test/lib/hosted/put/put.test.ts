import { describe, expect, it } from 'vitest';
import { allLanguages } from '../../../../lib/contract/languages.ts';
import { checkTranslations } from '../../../../lib/contract/translations.ts';
import type { CallContext } from '../../../../lib/service/port.ts';
import type { PutRequest, PutResult } from '../../../../lib/service/put.ts';
import { putToken, readPutToken } from '../../../../lib/service/put-plan.ts';
import type { Batch } from '../../../../lib/storage/port.ts';
import { MAX_OPERATIONS, operationsOf } from '../../../../lib/storage/transaction-size.ts';
import { asObjects, type JsonObject, member, segment } from '../../../support/projects.ts';
import { contentOf } from '../../../support/world.ts';
import { problemOf } from '../../support.ts';
import { translated, WorkWorld } from '../work/world.ts';

const ref = { customId: 'page/1' };
const TEXTS = ['one', 'two', 'three', 'four'];
const GERMAN = { targetLanguageCode: 'de' };
const FRENCH = { targetLanguageCode: 'fr' };

/** Segments with the given contents, whose custom ids are their places. */
function page(...contents: string[]): JsonObject[] {
  return contents.map((content, n) => segment({ content, customId: `p${n}` }));
}

function requestOf(world: WorkWorld, fields: JsonObject = {}, others: Partial<PutRequest> = {}): PutRequest {
  const project = world.checked({ segments: page(...TEXTS), targetLanguages: [GERMAN], ...fields });
  return { ref, project, ...others };
}

async function put(
  world: WorkWorld,
  fields?: JsonObject,
  others?: Partial<PutRequest>,
  call: Partial<CallContext> = {},
): Promise<PutResult> {
  return world.service.put(requestOf(world, fields, others), world.call(call));
}

async function read(world: WorkWorld): Promise<JsonObject> {
  return contentOf(await world.service.get(ref, undefined, world.call()));
}

const contentsOf = (project: JsonObject) => asObjects(project['segments']).map(({ content }) => content);
const typesOf = (world: WorkWorld, id: number) => world.events(id).map(({ type }) => type);

async function translate(world: WorkWorld, ...entries: JsonObject[]): Promise<void> {
  await world.service.writeTranslations(ref, checkTranslations(entries), world.call());
}

async function plan(world: WorkWorld, fields?: JsonObject, others?: Partial<PutRequest>) {
  const planned = await world.service.planPut(requestOf(world, fields, others), world.call());
  if (planned.outcome === 'outdated') throw new Error('The put is late');
  return planned;
}

/** Reads the translations of the project, as lists of content, status, version and whether they are outdated. */
async function translations(world: WorkWorld) {
  const pages = await world.segments(Number((await read(world))['id']));
  return pages.map(({ translations: all }) =>
    all.map(({ content, status, version, ...others }) => [content, status, version, 'outdated' in others]),
  );
}

/** Counts the writes of each kind of item by some work. */
async function writesOf(world: WorkWorld, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const { storage } = world;
  const commit = storage.commit.bind(storage);
  storage.commit = (batch: Batch) => {
    for (const { key, kind } of batch.writes) {
      const name = key.sort.split('/')[0] ?? '';
      if (kind !== 'check') counts[name] = (counts[name] ?? 0) + 1;
    }
    return commit(batch);
  };
  await work();
  storage.commit = commit;
  return counts;
}

describe('a put by custom id', () => {
  it('creates a project that does not exist', async () => {
    const world = new WorkWorld();
    expect(await put(world)).toMatchObject({ outcome: 'create', customId: 'page/1', segments: { added: 4 } });
    expect(await read(world)).toMatchObject({ customId: 'page/1' });
  });

  it('changes nothing, and writes nothing, if the project is equal already', async () => {
    const world = new WorkWorld();
    await put(world);
    expect(
      await writesOf(world, async () => {
        expect(await put(world)).toMatchObject({ outcome: 'unchanged', segments: { kept: 4, changed: 0, added: 0 } });
      }),
    ).toEqual({});
  });

  it('does not mind the order of fields, the start date, or a state that it leaves out', async () => {
    const world = new WorkWorld();
    await put(world, { segments: [{ content: 'one', customId: 'a', notes: 'n' }] });
    await world.service.changeLanguage(ref, 'de', { state: 'InPreparation' }, world.call());
    world.nowMs += 3_600_000;
    const other = { segments: [{ notes: 'n', customId: 'a', content: 'one' }] };
    expect(await put(world, other)).toMatchObject({ outcome: 'unchanged' });
    expect(asObjects((await read(world))['targetLanguages'])[0]).toMatchObject({ state: 'InPreparation' });
  });

  it.each<[string, JsonObject]>([
    ['the name', { name: 'Another name' }],
    [
      'a note',
      { segments: page(...TEXTS).with(2, segment({ content: 'three', customId: 'p2', notes: 'Mind the gap' })) },
    ],
    ['the deadline', { endDateUtc: '2059-02-01T00:00:00Z' }],
    ['a task', { segments: page(...TEXTS).with(1, segment({ content: 'two', customId: 'p1', taskId: 'menu' })) }],
    ['the order', { segments: page(...TEXTS).toReversed() }],
    ['a team', { targetLanguages: [{ ...GERMAN, team: [member()] }] }],
    ['a state', { targetLanguages: [{ ...GERMAN, state: 'InPreparation' }] }],
  ])('is an update if it changes %s, and keeps every translation', async (_, fields) => {
    const world = new WorkWorld();
    await put(world);
    await translate(world, { segmentCustomId: 'p0', languageCode: 'de', content: 'eins', status: 'translated' });
    await world.workUntilDone();
    const before = await world.segments(Number((await read(world))['id']));
    expect(await put(world, fields)).toMatchObject({ outcome: 'update', segments: { kept: 4, changed: 0 } });
    const after = await world.segments(Number((await read(world))['id']));
    const byId = (all: typeof before) => new Map(all.map(({ source: { id }, translations }) => [id, translations]));
    expect(byId(after)).toEqual(byId(before));
  });
});

describe('the translations of a segment whose content changes', () => {
  const automatic = { ...GERMAN, serviceAutomaticTranslation: true };

  it('are made again by machines, and only those', async () => {
    const world = new WorkWorld();
    await put(world, { targetLanguages: [automatic] });
    await world.workUntilDone();
    const sent: string[] = [];
    const { translate: engine } = world;
    world.translate = (request) => {
      sent.push(...request.texts);
      return engine(request);
    };
    const segments = page('one', 'TWO', 'three', 'four');
    expect(await put(world, { targetLanguages: [automatic], segments })).toMatchObject({
      segments: { kept: 3, changed: 1, added: 0, removed: 0 },
      automaticCharacters: 3,
    });
    await world.workUntilDone();
    expect(sent).toEqual(['TWO']);
    expect(await translations(world)).toEqual([
      [['de: one', 'automatic', 1, false]],
      [['de: TWO', 'automatic', 3, false]],
      [['de: three', 'automatic', 1, false]],
      [['de: four', 'automatic', 1, false]],
    ]);
  });

  it('stay as outdated drafts if people made them, until somebody writes them again', async () => {
    const world = new WorkWorld();
    await put(world);
    const entry = { segmentCustomId: 'p1', languageCode: 'de', content: 'zwei', status: 'proofread' };
    await translate(world, entry);
    await put(world, { segments: page('one', 'TWO', 'three', 'four') });
    expect((await translations(world))[1]).toEqual([['zwei', 'draft', 2, true]]);
    await world.workUntilDone();
    expect((await translations(world))[1]).toEqual([['zwei', 'draft', 2, true]]);
    await translate(world, { ...entry, content: 'ZWEI' });
    expect((await translations(world))[1]).toEqual([['ZWEI', 'proofread', 3, false]]);
  });

  it('complete the language again', async () => {
    const world = new WorkWorld();
    const { projectId } = (await put(world, { targetLanguages: [automatic] })) as { projectId: number };
    await world.workUntilDone();
    await put(world, { targetLanguages: [automatic], segments: page('one', 'TWO', 'three', 'four') });
    expect(asObjects((await read(world))['targetLanguages'])).toMatchObject([{ progress: 75 }]);
    await world.workUntilDone();
    expect(typesOf(world, projectId)).toEqual([
      'project.created',
      'language.completed',
      'project.updated',
      'language.completed',
    ]);
    expect(world.events(projectId)[2]?.data).toEqual({ kept: 3, changed: 1, added: 0, removed: 0 });
  });
});

describe('a result of the engine that comes after several puts', () => {
  it('is not taken for a translation of a newer content', async () => {
    const world = new WorkWorld();
    const targetLanguages = [{ ...GERMAN, serviceAutomaticTranslation: true }];
    await put(world, { targetLanguages, segments: page('one', 'two') });
    let isFirst = true;
    world.translate = async ({ texts }) => {
      if (isFirst) {
        isFirst = false;
        await put(world, { targetLanguages, segments: page('one', 'TWO') });
        // Another worker takes over, removes what is stale, and gets nothing from the engine.
        world.nowMs += 3_600_000;
        await world.work();
        await put(world, { targetLanguages, segments: page('one', 'TWO', 'three') });
        return { results: texts.map((text) => translated(`de: ${text}`)), usedCharacters: 6 };
      }
      return { results: texts.map(() => ({ kind: 'pending' as const })), usedCharacters: 0 };
    };
    await world.work();
    const all = (await translations(world)).flat();
    expect(all.map(([content]) => content)).not.toContain('de: two');
  });
});

describe('the characters that a put gives to the engine', () => {
  const automatic = { ...GERMAN, serviceAutomaticTranslation: true };

  it.each<[string, JsonObject, JsonObject, number]>([
    ['all, if a language becomes automatic', GERMAN, automatic, 15],
    ['all, if a language starts', { ...automatic, state: 'InPreparation' }, { ...automatic, state: 'InProgress' }, 15],
    ['none, while it is in preparation', GERMAN, { ...automatic, state: 'InPreparation' }, 0],
    ['none, if nothing changes for it', automatic, { ...automatic, customField1: 'x' }, 0],
  ])('are %s', async (_, before, after, characters) => {
    const world = new WorkWorld();
    await put(world, { targetLanguages: [before] });
    expect(await plan(world, { targetLanguages: [after] })).toMatchObject({ automaticCharacters: characters });
  });
});

describe('the target languages of a put', () => {
  it('come with all their work, and go with their translations', async () => {
    const world = new WorkWorld();
    await put(world);
    await translate(world, { segmentCustomId: 'p0', languageCode: 'de', content: 'eins', status: 'translated' });
    const french = { ...FRENCH, serviceAutomaticTranslation: true };
    expect(await put(world, { targetLanguages: [french, GERMAN] })).toMatchObject({
      targetLanguages: { kept: 1, added: 1, removed: 0 },
      automaticCharacters: TEXTS.join('').length,
    });
    await world.workUntilDone();
    expect((await translations(world))[0]).toEqual([
      ['fr: one', 'automatic', 1, false],
      ['eins', 'translated', 1, false],
    ]);
    await put(world, { targetLanguages: [french] });
    await put(world, { targetLanguages: [french, GERMAN] });
    expect((await translations(world))[0]).toEqual([
      ['fr: one', 'automatic', 1, false],
      [null, 'untranslated', 0, false],
    ]);
    await world.workUntilDone();
    const left = world.storage.all().filter(({ sort }) => /^(translation|edit)\//.test(sort));
    expect(left.every(({ sort }) => sort.includes('/0'))).toBe(true);
    expect(JSON.stringify(left)).not.toContain('eins');
  });

  it('have their work assigned anew if the assignee has left the team', async () => {
    const world = new WorkWorld();
    const [one, two] = [member({ isTranslator: true }, 1), member({ isTranslator: true }, 2)];
    const managed = { ...GERMAN, managedProject: true, serviceTranslation: true };
    const { projectId } = (await put(world, { targetLanguages: [{ ...managed, team: [one] }] })) as {
      projectId: number;
    };
    await world.workUntilDone();
    await put(world, { targetLanguages: [{ ...managed, team: [two] }] });
    await world.workUntilDone();
    const assigned = world.events(projectId).filter(({ type }) => type === 'task.assigned');
    expect(assigned.map(({ data }) => data.memberId)).toEqual([one['id'], two['id']]);
  });
});

describe('a put without the scopes that it needs', () => {
  const scopes = ['create', 'read', 'delete'] as const;

  it.each<[string, CallContext['scopes'], JsonObject]>([
    ['update', scopes, { name: 'Another name' }],
    ['delete', ['create', 'update'], { segments: page('one', 'two', 'three') }],
    ['delete', ['create', 'update'], { targetLanguages: [FRENCH] }],
  ])('is refused without %s, and changes nothing', async (scope, held, fields) => {
    const world = new WorkWorld();
    await put(world);
    const before = await read(world);
    const problem = await problemOf(put(world, fields, {}, { scopes: held }));
    expect(problem.name).toBe('scope-missing');
    expect(problem.occurrence.detail).toContain(scope);
    expect(await read(world)).toEqual(before);
  });

  it('remembers no new revision without update', async () => {
    const world = new WorkWorld();
    await put(world, {}, { revision: 5 });
    const late = put(world, {}, { revision: 9_007_199_254_740_991 }, { scopes });
    expect((await problemOf(late)).name).toBe('scope-missing');
    expect(await put(world, {}, { revision: 5 }, { scopes })).toMatchObject({ outcome: 'unchanged' });
    expect(await put(world, { name: 'Six' }, { revision: 6 })).toMatchObject({ outcome: 'update' });
  });

  it('creates nothing without create', async () => {
    const world = new WorkWorld();
    expect((await problemOf(put(world, {}, {}, { scopes: ['update', 'delete'] }))).name).toBe('scope-missing');
    expect((await problemOf(read(world))).name).toBe('project-not-found');
  });

  it('needs none to find that nothing changes, and none for its plan', async () => {
    const world = new WorkWorld();
    await put(world);
    expect(await put(world, {}, {}, { scopes })).toMatchObject({ outcome: 'unchanged' });
    const request = requestOf(world, { segments: page('one') });
    expect(await world.service.planPut(request, world.call({ scopes }))).toMatchObject({ segments: { removed: 3 } });
  });
});

describe('the plan of a put', () => {
  it('says what the put would do, and does nothing', async () => {
    const world = new WorkWorld();
    expect(await plan(world)).toMatchObject({ outcome: 'create', projectId: null, segments: { added: 4 } });
    expect((await problemOf(read(world))).name).toBe('project-not-found');
    await put(world);
    expect(await plan(world, { segments: page('one', 'TWO'), targetLanguages: [FRENCH] })).toMatchObject({
      outcome: 'update',
      segments: { kept: 1, changed: 1, added: 0, removed: 2 },
      targetLanguages: { kept: 0, added: 1, removed: 1 },
    });
    expect(contentsOf(await read(world))).toEqual(TEXTS);
  });

  const shorter = { segments: page('one', 'two', 'three') };

  it.each<[string, (world: WorkWorld) => Promise<unknown>, JsonObject]>([
    ['the request is another', async () => {}, { ...shorter, name: 'Another name' }],
    ['another put came between', (world) => put(world, { segments: page('one', 'two') }), shorter],
    [
      'a person has translated what would be lost once more',
      async (world) => {
        const entry = { segmentCustomId: 'p3', languageCode: 'de', content: 'vier', status: 'draft' };
        await translate(world, entry);
        const planned = await plan(world, shorter);
        await translate(world, { ...entry, content: 'VIER' });
        expect((await plan(world, shorter)).digest).not.toBe(planned.digest);
      },
      shorter,
    ],
    [
      'a person has translated what would go',
      (world) => translate(world, { segmentCustomId: 'p3', languageCode: 'de', content: 'vier', status: 'draft' }),
      shorter,
    ],
  ])('is outdated if %s', async (_, meanwhile, fields) => {
    const world = new WorkWorld();
    await put(world);
    const planned = readPutToken(putToken(await plan(world, shorter)));
    await meanwhile(world);
    const before = await read(world);
    expect((await problemOf(put(world, fields, { planned }))).name).toBe('plan-outdated');
    expect(await read(world)).toEqual(before);
  });

  it('is not outdated by what machines do, nor by a translation that stays', async () => {
    const world = new WorkWorld();
    const automatic = { targetLanguages: [{ ...GERMAN, serviceAutomaticTranslation: true }] };
    await put(world, automatic);
    const planned = readPutToken(putToken(await plan(world, { ...automatic, ...shorter })));
    await world.workUntilDone();
    await translate(world, { segmentCustomId: 'p0', languageCode: 'de', content: 'eins', status: 'translated' });
    expect(await put(world, { ...automatic, ...shorter }, { planned })).toMatchObject({ outcome: 'update' });
  });
});

describe('the revision of a put', () => {
  it('never goes back', async () => {
    const world = new WorkWorld();
    await put(world, {}, { revision: 5 });
    await put(world, { name: 'Six' }, { revision: 6 });
    expect(await put(world, { name: 'Late' }, { revision: 5 })).toMatchObject({ outcome: 'outdated', revision: 6 });
    expect(await read(world)).toMatchObject({ name: 'Six' });
    expect(await put(world, { name: 'Again' }, { revision: 6 })).toMatchObject({ outcome: 'update' });
    expect(await put(world, { name: 'Without' })).toMatchObject({ outcome: 'update' });
    expect(await put(world, { name: 'Late' }, { revision: 5 })).toMatchObject({ outcome: 'outdated', revision: 6 });
  });

  it('is remembered by an equal put, without an event', async () => {
    const world = new WorkWorld();
    const { projectId } = (await put(world)) as { projectId: number };
    expect(await put(world, {}, { revision: 9 })).toMatchObject({ outcome: 'unchanged' });
    expect(await put(world, { name: 'Late' }, { revision: 8 })).toMatchObject({ outcome: 'outdated', revision: 9 });
    expect(typesOf(world, projectId)).toEqual(['project.created']);
  });

  it.each<[string, number | undefined]>([
    ['a deletion with it', 7],
    ['a deletion without one', undefined],
  ])('keeps what is deleted deleted, after %s', async (_, revision) => {
    const world = new WorkWorld();
    await put(world, {}, { revision: 7 });
    await world.service.delete(ref, { kind: 'project', revision }, world.call());
    expect(await put(world, {}, { revision: 7 })).toMatchObject({ outcome: 'outdated', revision: 7 });
    expect((await problemOf(read(world))).name).toBe('project-not-found');
    expect(await put(world, {}, { revision: 8 })).toMatchObject({ outcome: 'create' });
  });

  it('of a deletion that found nothing holds back late puts', async () => {
    const world = new WorkWorld();
    const remove = (revision: number) => world.service.delete(ref, { kind: 'project', revision }, world.call());
    expect((await problemOf(remove(7))).name).toBe('project-not-found');
    expect(await put(world, {}, { revision: 7 })).toMatchObject({ outcome: 'outdated', revision: 7 });
    expect((await problemOf(remove(6))).name).toBe('revision-outdated');
  });

  it('refuses a late deletion', async () => {
    const world = new WorkWorld();
    await put(world, {}, { revision: 7 });
    const late = world.service.delete(ref, { kind: 'project', revision: 6 }, world.call());
    expect((await problemOf(late)).name).toBe('revision-outdated');
    expect(await read(world)).toMatchObject({ customId: 'page/1' });
  });
});

describe('a put of one task', () => {
  const tasks = (first: string[], second: string[]) => [
    ...first.map((content) => segment({ content, taskId: 'menu' })),
    ...second.map((content) => segment({ content, taskId: 'footer' })),
  ];

  it('changes only its segments, in the place of the first', async () => {
    const world = new WorkWorld();
    await put(world, { segments: tasks(['one', 'two'], ['three']), name: 'Before' });
    const fields = { segments: [segment({ content: 'TWO' }), segment({ content: 'one' })], name: 'After' };
    expect(await put(world, fields, { taskId: 'menu' })).toMatchObject({
      outcome: 'update',
      segments: { kept: 2, changed: 0, added: 1, removed: 1 },
    });
    const project = await read(world);
    expect(project).toMatchObject({ name: 'Before' });
    expect(asObjects(project['segments']).map(({ content, taskId }) => [content, taskId])).toEqual([
      ['TWO', 'menu'],
      ['one', 'menu'],
      ['three', 'footer'],
    ]);
    expect(await put(world, fields, { taskId: 'menu' })).toMatchObject({ outcome: 'unchanged' });
  });

  it('comes last if it is new', async () => {
    const world = new WorkWorld();
    await put(world, { segments: tasks(['one'], ['two']) });
    await put(world, { segments: [segment({ content: 'three' })] }, { taskId: 'new' });
    expect(contentsOf(await read(world))).toEqual(['one', 'two', 'three']);
  });

  it('takes no segment of another task', async () => {
    const world = new WorkWorld();
    await put(world, { segments: tasks(['one'], ['two']) });
    const problem = await problemOf(put(world, { segments: tasks(['one'], ['two']) }, { taskId: 'menu' }));
    expect(problem.occurrence.errors).toMatchObject([{ pointer: '/segments/1/taskId', code: 'not-the-same' }]);
  });

  it('needs its project', async () => {
    const world = new WorkWorld();
    expect((await problemOf(put(world, {}, { taskId: 'menu' }))).name).toBe('project-not-found');
  });
});

describe('a put under an idempotency key', () => {
  it('takes effect once, and tells its first result to a retry', async () => {
    const world = new WorkWorld();
    await put(world);
    const [first, retry] = [
      await put(world, { name: 'Two' }, {}, world.once('key')),
      await put(world, { name: 'Two' }, {}, world.once('key')),
    ];
    expect(retry).toMatchObject({ outcome: 'update', segments: first.outcome === 'outdated' ? {} : first.segments });
    await put(world, { name: 'Three' });
    expect(await put(world, { name: 'Two' }, {}, world.once('key'))).toMatchObject({ outcome: 'update' });
    expect(await read(world)).toMatchObject({ name: 'Three' });
    expect((await problemOf(put(world, { name: 'Four' }, {}, world.once('key')))).name).toBe('idempotency-key-reused');
    await world.service.delete(ref, { kind: 'project' }, world.call());
    expect((await problemOf(put(world, { name: 'Two' }, {}, world.once('key')))).name).toBe('project-deleted');
  });

  it('that changed nothing still changes nothing when it is sent again', async () => {
    const world = new WorkWorld();
    await put(world);
    expect(await put(world, {}, {}, world.once('key'))).toMatchObject({ outcome: 'unchanged' });
    await put(world, { name: 'Two' });
    expect(await put(world, {}, {}, world.once('key'))).toMatchObject({ outcome: 'unchanged' });
    expect(await read(world)).toMatchObject({ name: 'Two' });
  });
});

describe('a put of a large project', () => {
  const large = (changed?: number) =>
    Array.from({ length: 2_000 }, (_, n) =>
      segment({ content: n === changed ? 'x' : `Segment ${n}`, customId: `${n}` }),
    );

  it('writes no chunk of translations itself, and few of them later', async () => {
    const world = new WorkWorld();
    const automatic = { targetLanguages: [{ ...GERMAN, serviceAutomaticTranslation: true }] };
    await put(world, { ...automatic, segments: large() });
    await world.workUntilDone();
    const changes = { ...automatic, segments: large(1_234) };
    expect(await writesOf(world, () => put(world, changes))).toEqual({
      project: 1,
      work: 1,
      outbox: 1,
      [jobName(world)]: 1,
    });
    const counts = await writesOf(world, () => world.workUntilDone());
    // What is stale goes first, and then comes the new translation.
    expect(counts['translation']).toBe(2);
    const all = (await translations(world)).flat();
    expect(all.filter(([, status]) => status === 'automatic')).toHaveLength(2_000);
    expect(all[1_234]).toEqual(['de: x', 'automatic', 3, false]);
  });
});

/** Returns the beginning of the sort key of a job. */
function jobName(world: WorkWorld): string {
  const job = world.storage.all().find(({ partition }) => partition.startsWith('jobs/'));
  return job?.sort.split('/')[0] ?? 'acme';
}

describe('a put of a project with many target languages', () => {
  const codes = allLanguages()
    .filter(({ id }) => id !== 41)
    .slice(0, 150)
    .map(({ langCode }) => langCode);

  it('reports all that become complete, in commits that the store on AWS accepts', async () => {
    const world = new WorkWorld();
    const targetLanguages = codes.map((targetLanguageCode) => ({ targetLanguageCode }));
    const { projectId } = (await put(world, { targetLanguages })) as { projectId: number };
    const all = ['p0', 'p1', 'p2'].flatMap((segmentCustomId) =>
      codes.map((languageCode) => ({ segmentCustomId, languageCode, content: 'x', status: 'translated' })),
    );
    await translate(world, ...all);
    await world.workUntilDone();
    let most = 0;
    const commit = world.storage.commit.bind(world.storage);
    world.storage.commit = (batch: Batch) => {
      most = Math.max(most, operationsOf(batch.writes));
      return commit(batch);
    };
    await put(world, { targetLanguages, segments: page('one', 'two', 'three') });
    await world.workUntilDone();
    expect(most).toBeLessThanOrEqual(MAX_OPERATIONS);
    const completed = world.events(projectId).filter(({ type }) => type === 'language.completed');
    expect(new Set(completed.map(({ data }) => data.languageId)).size).toBe(codes.length);
    expect(completed).toHaveLength(codes.length);
  });

  it('is refused if it changes more states than one commit can report', async () => {
    const world = new WorkWorld();
    const inState = (state: string) => codes.map((targetLanguageCode) => ({ targetLanguageCode, state }));
    await put(world, { targetLanguages: inState('InProgress') });
    const problem = await problemOf(put(world, { targetLanguages: inState('InPreparation') }));
    expect(problem.occurrence.errors).toMatchObject([{ pointer: '/targetLanguages', code: 'too-many' }]);
  });
});
