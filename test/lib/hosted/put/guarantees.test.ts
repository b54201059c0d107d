import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../lib/contract/problem.ts';
import { retentionMsOf } from '../../../../lib/contract/retentions.ts';
import { checkTranslations } from '../../../../lib/contract/translations.ts';
import type { Guard } from '../../../../lib/idempotency/commit.ts';
import type { CallContext } from '../../../../lib/service/port.ts';
import type { PutRequest, PutResult } from '../../../../lib/service/put.ts';
import { putToken, readPutToken } from '../../../../lib/service/put-plan.ts';
import { storeWith } from '../../../faults/faulty.ts';
import { asObjects, type JsonObject, segment } from '../../../support/projects.ts';
import { contentOf } from '../../../support/world.ts';
import { problemOf } from '../../support.ts';
import { WorkWorld } from '../work/world.ts';

const ref = { customId: 'page' };
const GERMAN = { targetLanguageCode: 'de' };
const FRENCH = { targetLanguageCode: 'fr' };
const AUTOMATIC = { ...GERMAN, serviceAutomaticTranslation: true };
const whole = { kind: 'project' } as const;

function requestOf(world: WorkWorld, segments: JsonObject[], fields: JsonObject = {}): PutRequest {
  return { ref, project: world.checked({ targetLanguages: [GERMAN], ...fields, segments }) };
}

async function put(
  world: WorkWorld,
  segments: JsonObject[],
  fields: JsonObject = {},
  others: Partial<PutRequest> = {},
  call: Partial<CallContext> = {},
): Promise<PutResult> {
  return world.service.put({ ...requestOf(world, segments, fields), ...others }, world.call(call));
}

async function project(world: WorkWorld): Promise<JsonObject> {
  return contentOf(await world.service.get(ref, undefined, world.call()));
}

/** Returns the ids of the segments, in the order of the project. */
const idsOf = async (world: WorkWorld) => asObjects((await project(world))['segments']).map(({ id }) => id);

/** Writes a German translation of the segment with a content, which is that content in capital letters. */
async function translate(world: WorkWorld, content: string): Promise<void> {
  const one = asObjects((await project(world))['segments']).find((each) => each['content'] === content);
  const entry = { segmentId: one?.['id'], languageCode: 'de', content: content.toUpperCase(), status: 'translated' };
  await world.service.writeTranslations(ref, checkTranslations([entry]), world.call());
}

/** Returns the German translation of each segment, by the content of the segment. */
async function translations(world: WorkWorld) {
  const shown = await world.segments(Number((await project(world))['id']));
  return Object.fromEntries(shown.map(({ source, translations: [german] }) => [source.content, german]));
}

const menu = (content: string) => segment({ content, taskId: 'menu' });
const body = (content: string) => segment({ content, taskId: 'body' });

describe('a put matches', () => {
  it('equal contents in their task before those of other tasks', async () => {
    const world = new WorkWorld();
    await put(world, [menu('same'), body('same')]);
    const [ofMenu, ofBody] = await idsOf(world);
    await put(world, [body('same'), menu('same')]);
    expect(await idsOf(world)).toEqual([ofBody, ofMenu]);
  });

  it('equal contents in their order', async () => {
    const world = new WorkWorld();
    await put(
      world,
      ['same', 'other', 'same', 'last'].map((content) => segment({ content })),
    );
    const [first] = await idsOf(world);
    await put(
      world,
      ['new', 'same', 'end'].map((content) => segment({ content })),
    );
    expect((await idsOf(world))[1]).toBe(first);
  });

  it('no custom id that occurs twice', async () => {
    const world = new WorkWorld();
    await put(
      world,
      ['one', 'two'].map((content) => segment({ content, customId: 'a' })),
    );
    const result = await put(world, [segment({ content: 'new', customId: 'a' })]);
    expect(result).toMatchObject({ segments: { changed: 0, added: 1, removed: 2 } });
  });
});

describe('a put shows', () => {
  it('no translation of a removed segment at a new one, which gets an id of its own', async () => {
    const world = new WorkWorld();
    await put(
      world,
      ['one', 'two'].map((content) => segment({ content })),
    );
    const before = await idsOf(world);
    await translate(world, 'one');
    await put(
      world,
      ['two', 'three', 'four'].map((content) => segment({ content })),
    );
    expect(await translations(world)).toMatchObject({ three: { content: null, version: 0 } });
    const after = await idsOf(world);
    expect(new Set([...before, ...after]).size).toBe(4);
  });

  it('no machine translation of a changed segment, and that of a person as an outdated draft', async () => {
    const world = new WorkWorld();
    const page = (...contents: string[]) => contents.map((content, n) => segment({ content, customId: `p${n}` }));
    await put(world, page('one', 'two'), { targetLanguages: [AUTOMATIC] });
    await world.workUntilDone();
    await translate(world, 'two');
    await put(world, page('new one', 'new two'), { targetLanguages: [AUTOMATIC] });
    expect(await translations(world)).toMatchObject({
      'new one': { content: null, status: 'untranslated' },
      'new two': { content: 'TWO', status: 'draft', outdated: true },
    });
  });

  it('no translation of a language that was removed and comes back', async () => {
    const world = new WorkWorld();
    const segments = [segment({ content: 'one' })];
    await put(world, segments, { targetLanguages: [GERMAN, FRENCH] });
    await translate(world, 'one');
    await put(world, segments, { targetLanguages: [FRENCH] });
    await put(world, segments, { targetLanguages: [GERMAN, FRENCH] });
    expect(await translations(world)).toMatchObject({ one: { content: null, version: 0 } });
  });

  it('nothing of a removed segment, and after the work the store has nothing of it', async () => {
    const world = new WorkWorld();
    const stored = () =>
      world.storage.all().map(({ data, bytes }) => JSON.stringify(data) + String(bytes && Buffer.from(bytes)));
    await put(
      world,
      ['one', 'gone'].map((content) => segment({ content })),
    );
    await translate(world, 'gone');
    await world.workUntilDone();
    expect(stored().filter((text) => text.includes('GONE'))).toHaveLength(1);
    await put(world, [segment({ content: 'one' })]);
    expect(JSON.stringify(await world.segments(Number((await project(world))['id'])))).not.toMatch(/gone/i);
    await world.workUntilDone();
    expect(stored().filter((text) => /gone/i.test(text))).toEqual([]);
  });
});

describe('a put of a task', () => {
  it('leaves the state of a language as it is', async () => {
    const world = new WorkWorld();
    const { projectId } = Object(await put(world, [menu('Home'), menu('About')], { targetLanguages: [AUTOMATIC] }));
    await world.service.changeLanguage(ref, 'de', { state: 'InPreparation' }, world.call());
    await put(
      world,
      [segment({ content: 'Start' })],
      { targetLanguages: [{ ...AUTOMATIC, state: 'InProgress' }] },
      { taskId: 'menu' },
    );
    expect(asObjects((await project(world))['targetLanguages'])).toMatchObject([{ state: 'InPreparation' }]);
    const types = world.events(projectId).map(({ type }) => type);
    expect(types).toEqual(['project.created', 'language.state-changed', 'project.updated']);
  });
});

describe('a revision', () => {
  const segments = [segment({ content: 'one' })];

  it('that is not higher than that of a deletion brings nothing back', async () => {
    const world = new WorkWorld();
    await put(world, segments, {}, { revision: 2 });
    await world.service.delete(ref, { ...whole, revision: 2 }, world.call());
    expect(await put(world, segments, {}, { revision: 2 })).toMatchObject({ outcome: 'outdated', revision: 2 });
    expect(await put(world, segments, {}, { revision: 3 })).toMatchObject({ outcome: 'create' });
  });

  it('of a put that finds an equal project is remembered after a deletion without one', async () => {
    const world = new WorkWorld();
    await put(world, segments);
    expect(await put(world, segments, {}, { revision: 2 })).toMatchObject({ outcome: 'unchanged' });
    await world.service.delete(ref, whole, world.call());
    expect(await put(world, segments, {}, { revision: 2 })).toMatchObject({ outcome: 'outdated', revision: 2 });
  });

  it('is compared with one that comes between the read and the commit', async () => {
    const world = new WorkWorld();
    await put(world, segments, {}, { revision: 2 });
    let isFirst = true;
    const service = world.hosted({
      storage: storeWith(world.storage, {
        async commit(batch) {
          if (isFirst) {
            isFirst = false;
            await put(world, segments, {}, { revision: 3 });
          }
          return world.storage.commit(batch);
        },
      }),
    });
    const late = { ...requestOf(world, [segment({ content: 'late' })]), revision: 2 };
    expect(await service.put(late, world.call())).toMatchObject({ outcome: 'outdated', revision: 3 });
  });

  const DELETIONS = {
    'the deletion of a project': async (world: WorkWorld) => {
      await put(world, segments, {}, { revision: 7 });
      await world.service.delete(ref, whole, world.call());
    },
    'a deletion that found no project': async (world: WorkWorld) => {
      await problemOf(world.service.delete(ref, { ...whole, revision: 7 }, world.call()));
    },
    'two deletions': async (world: WorkWorld) => {
      await put(world, segments, {}, { revision: 6 });
      await world.service.delete(ref, whole, world.call());
      world.nowMs += retentionMsOf('tombstone') - 1;
      await problemOf(world.service.delete(ref, { ...whole, revision: 7 }, world.call()));
    },
  };
  const CREATIONS = {
    'a creation': (world: WorkWorld) => world.service.create(world.checked(ref), world.call()),
    'a creation with a key': (world: WorkWorld) => world.service.create(world.checked(ref), world.once('k')),
    'a put': (world: WorkWorld) => put(world, segments),
  };
  const AGAIN = Object.keys(DELETIONS).flatMap((deleted) => Object.keys(CREATIONS).map((made) => [deleted, made]));

  it.each(AGAIN)('of %s is kept by %s without one, and renewed by the next deletion', async (deleted, made) => {
    const world = new WorkWorld();
    const late = () => put(world, segments, {}, { revision: 7 });
    const outdated = { outcome: 'outdated', revision: 7 };
    await Object(DELETIONS)[deleted](world);
    for (let times = 0; times < 2; times++) {
      world.nowMs += retentionMsOf('tombstone') - 1;
      await Object(CREATIONS)[made](world);
      world.nowMs += 2 * retentionMsOf('tombstone');
      expect(await late()).toMatchObject(outdated);
      const lower = world.service.delete(ref, { ...whole, revision: 6 }, world.call());
      expect((await problemOf(lower)).name).toBe('revision-outdated');
      await world.service.delete(ref, whole, world.call());
    }
    world.nowMs += retentionMsOf('tombstone') - 1;
    expect(await late()).toMatchObject(outdated);
    world.nowMs += 1;
    expect(await late()).toMatchObject({ outcome: 'create' });
  });

  it('that is remembered after a deletion lets one project have the custom id', async () => {
    const world = new WorkWorld();
    await DELETIONS['the deletion of a project'](world);
    const create = () => world.service.create(world.checked(ref), world.call());
    expect((await problemOf(world.service.get(ref, undefined, world.call()))).name).toBe('project-not-found');
    await world.service.validate(world.checked(ref), world.call());
    await create();
    expect((await problemOf(create())).name).toBe('custom-id-in-use');
    expect((await problemOf(world.service.validate(world.checked(ref), world.call()))).name).toBe('custom-id-in-use');
  });

  it('that is too low names the project, without another read, and no deleted one', async () => {
    const world = new WorkWorld();
    const { projectId } = Object(await put(world, segments, {}, { revision: 7 }));
    const reads: string[] = [];
    const storage = storeWith(world.storage, {
      read: ({ sort }) => {
        reads.push(sort);
        return world.storage.read({ partition: 'company/acme', sort });
      },
    });
    const service = world.hosted({ storage });
    const late = { ...requestOf(world, segments), revision: 6 };
    const outdated = { outcome: 'outdated', revision: 7 };
    const named = { ...outdated, project: { projectId, customId: 'page' } };
    expect(await service.put(late, world.call())).toEqual(named);
    expect(reads.map((sort) => sort.split('/')[0])).toEqual(['revision', 'custom-id', 'project']);
    const once = () => world.service.put(late, world.once('k'));
    expect(await once()).toEqual(named);
    await world.service.delete(ref, whole, world.call());
    // A retry of an outdated put is so after the deletion, too.
    expect(await once()).toEqual(named);
    expect(await put(world, segments, {}, { revision: 6 })).toEqual(outdated);
  });

  it('costs a creation nothing whose custom id never had one', async () => {
    const world = new WorkWorld();
    const calls: string[] = [];
    const storage = storeWith(world.storage, {
      read: (key) => {
        calls.push('read');
        return world.storage.read(key);
      },
      commit: (batch) => {
        calls.push(`commit ${batch.writes.length}`);
        return world.storage.commit(batch);
      },
    });
    const service = world.hosted({ storage });
    await service.create(world.checked({}), world.call());
    const [plain] = calls.splice(0);
    await service.create(world.checked(ref), world.call());
    expect(calls.splice(0)).toEqual(['commit 3']);
    expect(plain).toBe('commit 2');
    await service.delete(ref, whole, world.call());
    await service.create(world.checked(ref), world.call());
    expect(calls.at(-1)).toBe('commit 3');
  });

  it('of a deletion that finds no project is not taken for one of a project that comes between', async () => {
    const world = new WorkWorld();
    let isFirst = true;
    const service = world.hosted({
      storage: storeWith(world.storage, {
        async commit(batch) {
          if (isFirst) {
            isFirst = false;
            await world.service.create(world.checked(ref), world.call());
          }
          return world.storage.commit(batch);
        },
      }),
    });
    expect(await service.delete(ref, { ...whole, revision: 3 }, world.call())).toMatchObject({ outcome: 'deleted' });
    expect(await put(world, segments, {}, { revision: 3 })).toMatchObject({ outcome: 'outdated', revision: 3 });
  });

  it('of the deletion of an absent project is not remembered if its key was used for another request', async () => {
    const world = new WorkWorld();
    await world.service.create(world.checked({}), world.once('used'));
    const deletion = world.service.delete(ref, { ...whole, revision: 3 }, world.once('used'));
    expect((await problemOf(deletion)).name).toBe('idempotency-key-reused');
    expect(await put(world, segments, {}, { revision: 1 })).toMatchObject({ outcome: 'create' });
  });
});

describe('a put without the scope delete', () => {
  const mayChange = { scopes: ['create', 'update'] } as const;
  const segments = ['one', 'two'].map((content) => segment({ content }));

  it.each([
    ['a segment', segments.slice(1), [GERMAN, FRENCH]],
    ['a target language', segments, [GERMAN]],
  ])('does not remove %s', async (_, left, targetLanguages) => {
    const world = new WorkWorld();
    await put(world, segments, { targetLanguages: [GERMAN, FRENCH] });
    const before = await project(world);
    const refused = put(world, left, { targetLanguages }, {}, mayChange);
    expect((await problemOf(refused)).name).toBe('scope-missing');
    expect(await project(world)).toEqual(before);
  });

  it('changes nothing with the scopes of old keys', async () => {
    const world = new WorkWorld();
    await put(world, segments);
    const added = put(
      world,
      [...segments, segment({ content: 'three' })],
      {},
      {},
      { scopes: ['create', 'read', 'delete'] },
    );
    expect((await problemOf(added)).name).toBe('scope-missing');
  });
});

it('a put that removes something is refused if the key of the caller was revoked meanwhile', async () => {
  const world = new WorkWorld();
  await put(
    world,
    ['one', 'two'].map((content) => segment({ content })),
  );
  const key = { partition: 'keys', sort: 'revoked' };
  const guard: Guard = {
    presume: () => ({ kind: 'check', key, version: 1 }),
    require: async () => {
      throw new Problem('unauthenticated', { detail: 'The key was revoked.' });
    },
  };
  const removal = world.hosted({ guard }).put(requestOf(world, [segment({ content: 'one' })]), world.call());
  expect((await problemOf(removal)).name).toBe('unauthenticated');
  expect(await idsOf(world)).toHaveLength(2);
});

it('a put with a key that finds an equal project does not say so if that was deleted meanwhile', async () => {
  const world = new WorkWorld();
  const segments = [segment({ content: 'one' })];
  await put(world, segments);
  let isFirst = true;
  const service = world.hosted({
    storage: storeWith(world.storage, {
      async commit(batch) {
        if (isFirst) {
          isFirst = false;
          await world.service.delete(ref, whole, world.call());
        }
        return world.storage.commit(batch);
      },
    }),
  });
  expect(await service.put(requestOf(world, segments), world.once('k'))).toMatchObject({ outcome: 'create' });
});

it('a put with a plan does nothing if a person has translated what it would remove', async () => {
  const world = new WorkWorld();
  await put(
    world,
    ['one', 'two'].map((content) => segment({ content })),
  );
  const request = requestOf(world, [segment({ content: 'one' })]);
  const plan = await world.service.planPut(request, world.call());
  if (plan.outcome === 'outdated') throw new Error('The put has no revision');
  const planned = readPutToken(putToken(plan));
  await translate(world, 'two');
  const refused = world.service.put({ ...request, planned }, world.call());
  expect((await problemOf(refused)).name).toBe('plan-outdated');
  expect(await idsOf(world)).toHaveLength(2);
});
