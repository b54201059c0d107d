import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { Project } from '../../../lib/contract/project-answer.ts';
import type { Guard } from '../../../lib/idempotency/commit.ts';
import type { ProjectRef } from '../../../lib/service/port.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { member, realProject, segment, target } from '../../support/projects.ts';
import { openSqlite } from '../storage/folder.ts';
import { callOf, checked, expectProblem, heldNow, NOW_MS, problemOf, project } from '../support.ts';
import { hosted, projectIn, textOf } from './fixture.ts';

const call = callOf();
const whole = { kind: 'project' } as const;
const task = (taskId: string) => ({ kind: 'task', taskId }) as const;

describe('creating', () => {
  it('answers every field as it was sent, with the fields that the service adds', async () => {
    const service = hosted();
    const sent = project({
      customId: 'a/b %2F 世',
      description: null,
      segments: [
        segment({ content: ' <b>ä</b>\u0000😀 ', taskId: 't' }),
        segment({ languageSpecificNotes: [{ languageId: 53 }] }),
      ],
      targetLanguages: [
        target({
          team: [member(), member({ isTranslator: false, isProofreader: true }, 2)],
          targetLanguageCode: 'DE_de',
        }),
        { targetLanguageCode: 'fra', state: 'InPreparation', styleGuideId: 7 },
      ],
    });
    const { description: _, ...kept } = sent;
    const answer = await projectIn(await service.create(checked(sent), call));
    expect(answer).toMatchObject({ ...kept, creationDateUtc: utc(NOW_MS), domain: null, sourceLanguageId: 41 });
    expect(answer).not.toHaveProperty('description');
    expect(answer.targetLanguages).toMatchObject([
      { targetLanguageId: 53, state: 'InProgress', progress: 0, flag: null },
      { targetLanguageCode: 'fra', state: 'InPreparation', progress: 0, flag: null },
    ]);
    const none = {
      translationRate: null,
      translationProductivity: null,
      proofreadingRate: null,
      proofreadingProductivity: null,
    };
    expect(answer.targetLanguages[0]?.team).toMatchObject([
      { ...none, proofreadedBy: 7002 },
      { ...none, proofreadedBy: null },
    ]);
    expect(answer.segments[1]?.languageSpecificNotes).toEqual([{ languageId: 53, languageCode: 'de-DE', note: null }]);
    expect(Project.safeParse(answer).success).toBe(true);
  });

  it('refuses a start date that is not now, by its own tolerance', async () => {
    const late = checked({ startDateUtc: utc(NOW_MS - 300_001) });
    await expectProblem('invalid-project', () => hosted().create(late, call));
    await expectProblem('invalid-project', () => hosted().validate(late, call));
    await expect(hosted({ startDateToleranceMs: 300_001 }).create(late, call)).resolves.toBeDefined();
  });

  it('refuses a custom id in use, until its project is deleted', async () => {
    const service = hosted();
    const { id } = await service.create(checked({ customId: 'x' }), call);
    await expectProblem('custom-id-in-use', () => service.create(checked({ customId: 'x' }), call));
    await expectProblem('custom-id-in-use', () => service.validate(checked({ customId: 'x' }), call));
    await expect(service.create(checked({ customId: 'X' }), call)).resolves.toBeDefined();
    await service.delete({ id }, whole, call);
    await expect(service.create(checked({ customId: 'x' }), call)).resolves.toBeDefined();
  });

  it('is not what validating does', async () => {
    const service = hosted();
    await service.validate(checked({ customId: 'x' }), call);
    expect(await service.list({ limit: 9 }, call)).toEqual({ projects: [] });
  });
});

describe('reading', () => {
  it('gives the very bytes that creating answered, by id and by custom id, after a new start too', async () => {
    const storage = openSqlite(heldNow);
    const created = await hosted({ storage }).create(checked({ customId: 'x' }), call);
    for (const ref of [{ id: created.id }, { customId: 'x' }]) {
      const read = await hosted({ storage }).get(ref, undefined, call);
      expect(read).toMatchObject({ id: created.id, segments: 1, targetLanguages: 1 });
      expect(await textOf(read)).toBe(await textOf(created));
    }
  });

  it('of a task gives its segments only', async () => {
    const service = hosted();
    const segments = [segment({ taskId: 'a' }), segment(), segment({ taskId: 'b' }), segment({ taskId: 'a' })];
    const { id } = await service.create(checked({ segments, taskId: 'b' }), call);
    const tasksOf = async (taskId: string) =>
      (await projectIn(await service.get({ id }, taskId, call))).segments.map((entry) => entry.taskId);
    expect(await tasksOf('a')).toEqual(['a', 'a']);
    expect(await tasksOf('b')).toEqual([undefined, 'b']);
    await expectProblem('task-not-found', () => service.get({ id }, 'A', call));
  });

  it.each([{ id: 1 }, { customId: 'y' }, { customId: '' }])('finds no project by %j', async (ref) => {
    const service = hosted();
    await service.create(checked({ customId: 'x' }), call);
    await expectProblem('project-not-found', () => service.get(ref, undefined, call));
  });
});

describe('deleting a project', () => {
  it('leaves no way to it, and no bytes of it', async () => {
    const storage = openSqlite(heldNow);
    const service = hosted({ storage });
    const { id } = await service.create(checked({ customId: 'x', taskId: 't' }), call);
    await service.delete({ customId: 'x' }, whole, call);
    for (const ref of [{ id }, { customId: 'x' }]) {
      await expectProblem('project-not-found', () => service.get(ref, undefined, call));
      await expectProblem('project-not-found', () => service.delete(ref, whole, call));
      await expectProblem('project-not-found', () => service.delete(ref, task('t'), call));
    }
    expect(await service.list({ limit: 9 }, call)).toEqual({ projects: [] });
    const { items } = await storage.list('company/acme', { prefix: '', limit: 9, maxBytes: 1_000_000 });
    expect(items.map(({ sort }) => sort.split('/')[0])).toEqual(['tombstone', 'tombstone-of']);
  });

  it('leaves a tombstone for thirty days, that holds ids and times alone', async () => {
    const storage = openSqlite(heldNow);
    let now = NOW_MS;
    const service = hosted({ storage, now: () => now });
    const canary = checked({ customId: 'CANARY id', name: 'CANARY', segments: [segment({ content: 'CANARY' })] });
    const { id } = await service.create(canary, call);
    const requestedBy = { kind: 'key', id: 'key-9' } as const;
    await service.delete({ id }, whole, { ...call, requestId: 'request-9', requestedBy });
    const { items } = await storage.list('company/acme', { prefix: 'tombstone', limit: 9, maxBytes: 1_000_000 });
    const data = { projectId: id, deletedAtUtc: utc(NOW_MS), requestId: 'request-9', requestedBy };
    expect(items.map((item) => item.data)).toEqual([data, data]);
    expect(JSON.stringify(items)).not.toContain('CANARY');

    const deletedAt = async (ref: ProjectRef, companyId = 'acme') =>
      (await problemOf(() => service.get(ref, undefined, callOf(companyId)))).occurrence.deletedAtUtc;
    now = NOW_MS + 30 * 86_400_000 - 1;
    expect(await deletedAt({ id })).toBe(utc(NOW_MS));
    expect(await deletedAt({ customId: 'CANARY id' })).toBe(utc(NOW_MS));
    expect(await deletedAt({ id }, 'other')).toBeUndefined();
    now += 1;
    expect(await deletedAt({ id })).toBeUndefined();
  });

  it('gives a receipt', async () => {
    const service = hosted();
    const segments = [segment({ taskId: 'a' }), segment({ taskId: 'b' }), segment(), segment({ taskId: 'a' })];
    const { id } = await service.create(checked({ customId: 'x', taskId: 'own', segments }), call);
    expect(await service.delete({ id }, whole, call)).toStrictEqual({
      scope: 'project',
      projectId: id,
      customId: 'x',
      taskId: null,
      outcome: 'deleted',
      deletedAtUtc: '2026-11-20T09:30:00.000Z',
      removed: { targetLanguages: 1, segments: 4, tasks: 3 },
      requestedBy: { kind: 'workflow', id: null },
    });
  });

  it('counts what a deleted task has left', async () => {
    const service = hosted();
    const segments = [segment({ taskId: 'a' }), segment({ taskId: 'b' }), segment({ taskId: 'a' })];
    const { id } = await service.create(checked({ segments }), call);
    expect(await service.delete({ id }, task('a'), call)).toStrictEqual({
      scope: 'task',
      projectId: id,
      customId: null,
      taskId: 'a',
      outcome: 'deleted',
      deletedAtUtc: '2026-11-20T09:30:00.000Z',
      removed: { targetLanguages: 0, segments: 2, tasks: 1 },
      requestedBy: { kind: 'workflow', id: null },
    });
    expect((await service.delete({ id }, whole, call)).removed).toEqual({ targetLanguages: 1, segments: 1, tasks: 1 });
  });
});

describe('one company', () => {
  it('sees nothing of another, neither project nor custom id, and cannot touch it', async () => {
    const service = hosted();
    const other = callOf('other');
    const { id } = await service.create(checked({ customId: 'x', taskId: 't' }), call);
    for (const ref of [{ id }, { customId: 'x' }]) {
      await expectProblem('project-not-found', () => service.get(ref, undefined, other));
      await expectProblem('project-not-found', () => service.get(ref, 't', other));
      await expectProblem('project-not-found', () => service.delete(ref, whole, other));
      await expectProblem('project-not-found', () => service.delete(ref, task('t'), other));
    }
    expect(await service.list({ limit: 9 }, other)).toEqual({ projects: [] });
    const own = await service.create(checked({ customId: 'x' }), other);
    await service.delete({ id: own.id }, whole, other);
    expect((await service.get({ customId: 'x' }, undefined, call)).id).toBe(id);
  });
});

describe('a large project', () => {
  it('comes back, loses one of its tasks, and is deleted', async () => {
    const service = hosted();
    const dates = { startDateUtc: utc(NOW_MS), endDateUtc: utc(NOW_MS + 1_000) };
    const request = checked({ ...realProject('cldr-large'), ...dates });
    const taskId = request.segments.find((entry) => entry.taskId !== undefined)?.taskId ?? '';
    const rest = request.segments.filter((entry) => entry.taskId !== taskId);
    const { id } = await service.create(request, call);
    const receipt = await service.delete({ id }, task(taskId), call);
    expect(receipt.removed.segments).toBe(request.segments.length - rest.length);
    const left = await projectIn(await service.get({ id }, undefined, call));
    expect(left.segments.map(({ content }) => content)).toEqual(rest.map(({ content }) => content));
    expect((await service.delete({ id }, whole, call)).removed.segments).toBe(rest.length);
  });
});

describe('a receipt', () => {
  it('says until when the store could be brought back, where it can', async () => {
    const recoverable = hosted({ recoverableMs: 7 * 86_400_000 });
    const { id } = await recoverable.create(checked(), call);
    const receipt = await recoverable.delete({ id }, whole, call);
    expect(receipt.unrecoverableAfterUtc).toBe(utc(NOW_MS + 7 * 86_400_000));
    const other = hosted();
    const made = await other.create(checked(), call);
    expect(await other.delete({ id: made.id }, whole, call)).not.toHaveProperty('unrecoverableAfterUtc');
  });
});

describe('a deletion whose commit may have been made', () => {
  it('is told as unknown, whatever has become of its key since', async () => {
    const storage = openSqlite(heldNow);
    const { id } = await hosted({ storage }).create(checked(), call);
    const unknown = new Problem('outcome-unknown', { detail: 'Planted.' });
    const revoked = new Problem('unauthenticated', { detail: 'Planted.' });
    const lost: Storage = {
      read: (key) => storage.read(key),
      readWithPayload: (key) => storage.readWithPayload(key),
      list: (partition, range) => storage.list(partition, range),
      commit: () => Promise.reject(unknown),
    };
    const key = { partition: 'p', sort: 'key' };
    const guard: Guard = {
      presume: () => ({ kind: 'check', key, version: 1 }),
      require: () => Promise.reject(revoked),
    };
    const service = hosted({ storage: lost, guard });
    await expectProblem('outcome-unknown', () => service.delete({ id }, whole, call));
    await expectProblem('unauthenticated', () => service.delete({ id: id + 1 }, whole, call));
  });
});
