import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { idSource } from '../../../lib/hosted/deps.ts';
import type { Guard } from '../../../lib/idempotency/commit.ts';
import type { ProjectRef } from '../../../lib/service/port.ts';
import { SEGMENT_ID_STEP } from '../../../lib/service/project-from.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { storeWith } from '../../faults/faulty.ts';
import { asObjects, type JsonObject, member, segment, segments, target } from '../../support/projects.ts';
import { hosted, projectIn } from '../../support/world.ts';
import { openSqlite } from '../storage/folder.ts';
import { callContext, checked, expectProblem, heldNow, NOW_MS, problemOf } from '../support.ts';

const call = callContext();
const WHOLE = { kind: 'project' } as const;
const task = (taskId: string) => ({ kind: 'task', taskId }) as const;
const DAY_MS = 86_400_000;

describe('the eventUrl of a new project', () => {
  it.each([
    ['https://10.1.2.3/events'],
    ['https://[::1]/events'],
    ['https://user:secret@example.com/'],
    ['https://example.com:22/'],
  ])('is refused together with other faults if Segue sends nothing there: %s', async (eventUrl) => {
    const yesterday = { startDateUtc: utc(NOW_MS - DAY_MS), eventUrl };
    const { name, occurrence } = await problemOf(() => hosted().create(checked(yesterday), call));
    expect(name).toBe('invalid-project');
    expect(occurrence.errors?.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/startDateUtc', 'start-not-now'],
      ['/eventUrl', 'receiver-refused'],
    ]);
    expect(JSON.stringify(occurrence)).not.toContain('secret');
  });

  it('may be the host of any company', async () => {
    const created = await hosted().create(checked({ eventUrl: 'https://example.com:8443/events?a=b' }), call);
    expect(await projectIn(created)).toMatchObject({ eventUrl: 'https://example.com:8443/events?a=b' });
  });
});

describe('the ids of projects', () => {
  it('ascend, are unique and stay below 2^53, whatever the clock says', () => {
    const clock = fc.oneof(fc.constant(NOW_MS), fc.integer({ min: 0, max: Date.UTC(2059, 11, 31) }));
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const takes = fc.array(fc.tuple(clock, random, fc.integer({ min: 1, max: 50_151 })), { minLength: 1 });
    fc.assert(
      fc.property(takes, (list) => {
        const now = { ms: 0, random: 0 };
        const takeIds = idSource(
          () => now.ms,
          () => now.random,
        );
        let free = 1;
        for (const [ms, chance, count] of list) {
          Object.assign(now, { ms, random: chance });
          const first = takeIds(count);
          expect(first).toBeGreaterThanOrEqual(free);
          free = first + count;
          expect(Number.isSafeInteger(free)).toBe(true);
        }
      }),
    );
  });

  it('are followed by those of its target languages and segments', async () => {
    const project = await projectIn(await hosted().create(checked({ segments: segments(5) }), call));
    expect(project.targetLanguages.map(({ id }) => id)).toEqual([project.id + 1]);
    const first = project.id + 1 + project.targetLanguages.length;
    expect(project.segments.map(({ id }) => id)).toEqual(
      Array.from({ length: 5 }, (_, n) => first + n * SEGMENT_ID_STEP),
    );
  });

  it('are chosen again if another process has taken them', async () => {
    const same = { storage: openSqlite(heldNow), random: () => 0.25 };
    const [one, other] = [hosted(same), hosted(same)];
    const first = await one.create(checked({ customId: 'a' }), call);
    const second = await other.create(checked({ customId: 'b' }), call);
    expect(second.id).toBeGreaterThan(first.id);
    expect((await other.get({ customId: 'a' }, undefined, call)).id).toBe(first.id);
    expect((await one.get({ customId: 'b' }, undefined, call)).id).toBe(second.id);
  });

  it('are chosen again if an event of a deleted project has them', async () => {
    const same = { storage: openSqlite(heldNow), random: () => 0.25 };
    const first = await hosted(same).create(checked({ customId: 'a' }), call);
    await hosted(same).delete({ id: first.id }, WHOLE, call);
    const second = await hosted(same).create(checked({ customId: 'a' }), call);
    expect(second.id).toBeGreaterThan(first.id);
  });
});

it('the start date may differ by the tolerance of the service', async () => {
  const late = checked({ startDateUtc: utc(NOW_MS - 300_001) });
  await expectProblem('invalid-project', () => hosted().create(late, call));
  await expectProblem('invalid-project', () => hosted().validate(late, call));
  await expect(hosted({ startDateToleranceMs: 300_001 }).create(late, call)).resolves.toBeDefined();
});

describe('a deleted project', () => {
  it('has tombstones without content for thirty days', async () => {
    const storage = openSqlite(heldNow);
    let now = NOW_MS;
    const service = hosted({ storage, now: () => now });
    const canary = checked({ customId: 'CANARY id', name: 'CANARY', segments: [segment({ content: 'CANARY' })] });
    const { id } = await service.create(canary, call);
    const requestedBy = { kind: 'key', id: 'key-9' } as const;
    await service.delete({ id }, WHOLE, { ...call, requestId: 'request-9', requestedBy });
    const { items: tombstones } = await storage.list('company/acme', { prefix: '', limit: 9, maxBytes: 1_000_000 });
    const { items: events } = await storage.list('company/acme/events', { prefix: '', limit: 9, maxBytes: 1_000_000 });
    expect(tombstones.map(({ sort }) => sort.split('/')[0])).toEqual(['tombstone', 'tombstone-of']);
    const data = { projectId: id, deletedAtUtc: utc(NOW_MS), requestId: 'request-9', requestedBy };
    expect(tombstones.map((item) => item.data)).toEqual([data, data]);
    expect(JSON.stringify([tombstones, events])).not.toContain('CANARY');

    const deletedAt = async (ref: ProjectRef, companyId = 'acme') =>
      (await problemOf(() => service.get(ref, undefined, callContext(companyId)))).occurrence.deletedAtUtc;
    now = NOW_MS + 30 * DAY_MS - 1;
    expect(await deletedAt({ id })).toBe(utc(NOW_MS));
    expect(await deletedAt({ customId: 'CANARY id' })).toBe(utc(NOW_MS));
    expect(await deletedAt({ id }, 'other')).toBeUndefined();
    now += 1;
    expect(await deletedAt({ id })).toBeUndefined();
  });

  it('has a receipt that says until when the project can be restored, if it can', async () => {
    const remove = async (service = hosted()) =>
      service.delete({ id: (await service.create(checked(), call)).id }, WHOLE, call);
    expect((await remove(hosted({ recoverableMs: 7 * DAY_MS }))).unrecoverableAfterUtc).toBe(utc(NOW_MS + 7 * DAY_MS));
    expect(await remove()).not.toHaveProperty('unrecoverableAfterUtc');
  });
});

it('two companies may have the same project id and custom id', async () => {
  const other = callContext('other');
  const same = { storage: openSqlite(heldNow), random: () => 0.25 };
  const [one, two] = [hosted(same), hosted(same)];
  const { id } = await one.create(checked({ customId: 'x' }), call);
  expect((await two.create(checked({ customId: 'x' }), other)).id).toBe(id);
  await one.delete({ id }, WHOLE, other);
  expect((await one.get({ customId: 'x' }, undefined, call)).id).toBe(id);
});

describe('a deletion', () => {
  it('of one of many tasks does not disturb the others at the same time', async () => {
    const service = hosted();
    const names = Array.from({ length: 30 }, (_, index) => `t${index}`);
    const { id } = await service.create(checked({ segments: names.map((taskId) => segment({ taskId })) }), call);
    const deletions = names.map((taskId) => service.delete({ id }, task(taskId), callContext()));
    expect((await Promise.all(deletions)).map(({ removed }) => removed.segments)).toEqual(names.map(() => 1));
    expect((await service.get({ id }, undefined, call)).segments).toBe(0);
  });

  it('with an unknown outcome says so, even if the key was revoked meanwhile', async () => {
    const storage = openSqlite(heldNow);
    const { id } = await hosted({ storage }).create(checked(), call);
    const fail = (type: 'outcome-unknown' | 'unauthenticated') =>
      Promise.reject(new Problem(type, { detail: 'Planted.' }));
    const lost: Storage = storeWith(storage, { commit: () => fail('outcome-unknown') });
    const guard: Guard = {
      presume: () => ({ kind: 'check', key: { partition: 'p', sort: 'key' }, version: 1 }),
      require: () => fail('unauthenticated'),
    };
    const service = hosted({ storage: lost, guard });
    await expectProblem('outcome-unknown', () => service.delete({ id }, WHOLE, call));
    await expectProblem('unauthenticated', () => service.delete({ id: id + 1 }, WHOLE, call));
  });

  it('whose commits are all refused ends with its deadline', async () => {
    const storage = openSqlite(heldNow);
    const { id } = await hosted({ storage }).create(checked(), call);
    let leftMs = 5;
    const refusing: Storage = storeWith(storage, {
      commit: async () => ({ ok: false, refused: 0 }),
    });
    const hurried = callContext('acme', () => leftMs--);
    await expectProblem('unavailable', () => hosted({ storage: refusing }).delete({ id }, WHOLE, hurried));
    expect((await hosted({ storage }).list({ limit: 9 }, call)).projects).toHaveLength(1);
  });
});

describe('a list', () => {
  const languages = (fields: () => JsonObject) =>
    ['de', 'fr', 'it', 'es', 'pl', 'pt', 'nl', 'sv', 'da', 'fi'].map((targetLanguageCode) =>
      target({ targetLanguageId: null, targetLanguageCode, ...fields() }),
    );

  it('reads few bytes of a project with large teams', async () => {
    const storage = openSqlite(heldNow);
    const service = hosted({ storage });
    const team = Array.from({ length: 40 }, (_, n) => member({ name: `Example Person ${n}` }, n + 1));
    const created = await service.create(checked({ targetLanguages: languages(() => ({ team })) }), call);
    const { segments: _, ...head } = await projectIn(created);
    expect(JSON.stringify(head).length).toBeGreaterThan(65_536);
    const { items } = await storage.list('company/acme', { prefix: 'project/', limit: 1, maxBytes: 1 });
    expect(
      items.reduce((sum, { data, bytes }) => sum + JSON.stringify(data).length + (bytes?.length ?? 0), 0),
    ).toBeLessThan(8_192);
    expect(await service.list({ limit: 1 }, call)).toEqual({ projects: [head] });
  });

  it('reads few bytes of a project with many tasks', async () => {
    const storage = openSqlite(heldNow);
    const service = hosted({ storage });
    const taskIds = Array.from({ length: 2_000 }, () => randomBytes(12).toString('hex'));
    const { id } = await service.create(checked({ segments: taskIds.map((taskId) => segment({ taskId })) }), call);
    const stored = async (prefix: string) =>
      (await storage.list('company/acme', { prefix, limit: 9, maxBytes: 1_000_000 })).items;
    const shownTasks = async () =>
      asObjects((await service.progress({ id }, undefined, call))['tasks']).map(({ taskId }) => taskId);
    expect(JSON.stringify(await stored('project/')).length).toBeLessThan(4_096);
    expect(await shownTasks()).toEqual(taskIds);
    await service.delete({ id }, task(taskIds[7] ?? ''), call);
    expect(JSON.stringify(await stored('project/')).length).toBeLessThan(4_096);
    expect(await shownTasks()).toEqual(taskIds.toSpliced(7, 1));
    await service.delete({ id }, WHOLE, call);
    expect([...(await stored('project/')), ...(await stored('work/'))]).toEqual([]);
  });

  it('reads few bytes of the work on a project with many languages', async () => {
    const storage = openSqlite(heldNow);
    const service = hosted({ storage });
    const { id } = await service.create(checked({ targetLanguages: languages(() => ({})) }), call);
    const work = async () => {
      const [item] = (await storage.list('company/acme', { prefix: 'work/', limit: 1, maxBytes: 1 })).items;
      return JSON.stringify(item?.data);
    };
    await service.changeLanguage({ id }, 'it', { state: 'InPreparation' }, call);
    expect((await work()).length).toBeLessThan(800);
    const states = async () =>
      (await projectIn(await service.get({ id }, undefined, call))).targetLanguages.map(({ state }) => state);
    expect((await states()).filter((state) => state === 'InPreparation')).toHaveLength(1);
  });

  it('shows projects whose tasks are deleted while their large heads are read', async () => {
    const storage = openSqlite(heldNow);
    const targetLanguages = languages(() => ({ additionalInfo: randomBytes(1_500).toString('base64') }));
    const create = async (name: string) => {
      const segments = [segment({ taskId: 'a' }), segment()];
      return (await hosted({ storage }).create(checked({ name, targetLanguages, segments }), call)).id;
    };
    const ids = [await create('one'), await create('two')];
    const [first = 0, second = 0] = ids;
    let isFirst = true;
    const changing = storeWith(storage, {
      async readPayloadRange(item, range) {
        if (isFirst) {
          isFirst = false;
          await hosted({ storage }).delete({ id: second }, task('a'), call);
          await hosted({ storage }).delete({ id: first }, WHOLE, call);
        }
        return storage.readPayloadRange(item, range);
      },
    });
    const { projects } = await hosted({ storage: changing }).list({ limit: 9 }, call);
    expect(projects.map(({ id }) => id)).toEqual([second]);
    expect(isFirst).toBe(false);
  });

  it('shows a head that is too large for the project’s item', async () => {
    const service = hosted();
    const targetLanguages = languages(() => ({ additionalInfo: randomBytes(7_500).toString('base64') }));
    const { segments: _, ...head } = await projectIn(await service.create(checked({ targetLanguages }), call));
    expect(await service.list({ limit: 1 }, call)).toEqual({ projects: [head] });
  });
});

describe('a request after its commit', () => {
  it('reads nothing, also for a language of a project with a large head', async () => {
    const storage = openSqlite(heldNow);
    let isMade = false;
    const store = storeWith(storage, {
      commit: async (batch) => {
        const commit = await storage.commit(batch);
        isMade ||= commit.ok;
        return commit;
      },
      readPayloadRange: (item, range) =>
        isMade
          ? Promise.reject(new Problem('unavailable', { detail: 'Planted.' }))
          : storage.readPayloadRange(item, range),
    });
    const targetLanguages = [target({ additionalInfo: randomBytes(7_400).toString('base64') })];
    const { id } = await hosted({ storage }).create(checked({ targetLanguages }), call);
    const changed = hosted({ storage: store }).changeLanguage({ id }, 'de-DE', { state: 'InPreparation' }, call);
    expect(await changed).toMatchObject({ state: 'InPreparation' });
  });

  it('has an unknown outcome if the answer of the store is lost, and the result cannot be read', async () => {
    const storage = openSqlite(heldNow);
    let isMade = false;
    const fail = (type: 'outcome-unknown' | 'unavailable') => Promise.reject(new Problem(type, { detail: 'Planted.' }));
    const losing = storeWith(storage, {
      commit: async (batch) => {
        const commit = await storage.commit(batch);
        isMade ||= commit.ok;
        return commit.ok ? fail('outcome-unknown') : commit;
      },
      readWithPayload: () => fail('unavailable'),
    });
    const keyed = { ...call, idempotency: { key: 'k', replayed: () => {} } };
    await expectProblem('outcome-unknown', () => hosted({ storage: losing }).create(checked(), keyed));
    expect(isMade).toBe(true);
    expect((await hosted({ storage }).list({ limit: 2 }, call)).projects).toHaveLength(1);
  });
});
