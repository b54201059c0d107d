import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../../lib/contract/project-answer.ts';
import { callOf, checked, expectProblem } from '../support.ts';
import { hosted, projectIn, textOf } from './fixture.ts';

const call = callOf();
const task = (taskId: string) => ({ kind: 'task', taskId }) as const;

/** Few names, so that tasks have several segments, and names alike in all but a little. */
const taskId = fc.constantFrom('a', 'A', 'a ', '世', '__proto__', 'toString');
const text = fc.string({ unit: 'binary', minLength: 1 }).filter((value) => value.isWellFormed());
const segment = fc.record(
  {
    taskId,
    content: text,
    notes: text,
    customId: text,
    languageSpecificNotes: fc.array(
      fc.record({ languageId: fc.constant(53), note: text }, { requiredKeys: ['languageId'] }),
      {
        maxLength: 2,
      },
    ),
  },
  { requiredKeys: ['content'] },
);
const fields = fc.record(
  {
    taskId,
    customId: fc.constant('c'),
    referenceNumber: text,
    domainId: fc.constant(7),
    segments: fc.array(segment, { minLength: 1, maxLength: 12 }),
  },
  { requiredKeys: ['segments'] },
);

/** The ids of the segments that belong to a task. */
const idsOf = ({ segments, taskId: own }: Project, name: string) =>
  segments.filter((entry) => (entry.taskId ?? own) === name).map(({ id }) => id);

describe('deleting a task', () => {
  it('removes its segments and keeps every other byte of the project', async () => {
    const service = hosted();
    await fc.assert(
      fc.asyncProperty(fields, taskId, async (given, name) => {
        const created = await service.create(checked(given), call);
        const ref = { id: created.id };
        try {
          const before = await projectIn(created);
          const removed = idsOf(before, name);
          if (removed.length === 0 && before.taskId !== name) {
            await expectProblem('task-not-found', () => service.delete(ref, task(name), call));
            expect(await textOf(await service.get(ref, undefined, call))).toBe(await textOf(created));
            return;
          }
          const receipt = await service.delete(ref, task(name), call);
          expect(receipt.removed).toEqual({ targetLanguages: 0, segments: removed.length, tasks: 1 });
          const { taskId: own, ...rest } = before;
          const segments = before.segments.filter(({ id }) => !removed.includes(id));
          const expected = own === name || own === undefined ? { ...rest, segments } : { ...before, segments };
          const after = await service.get(ref, undefined, call);
          expect(after.segments).toBe(segments.length);
          expect(await textOf(after)).toBe(JSON.stringify(expected));
          await expectProblem('task-not-found', () => service.get(ref, name, call));
          await expectProblem('task-not-found', () => service.delete(ref, task(name), call));
        } finally {
          await service.delete(ref, { kind: 'project' }, call);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('of the project’s own clears its task id, in the list too', async () => {
    const service = hosted();
    const { id } = await service.create(checked({ taskId: 'own' }), call);
    await service.delete({ id }, task('own'), call);
    const left = await projectIn(await service.get({ id }, undefined, call));
    expect(left).not.toHaveProperty('taskId');
    expect(left.segments).toEqual([]);
    expect((await service.list({ limit: 1 }, call)).projects[0]).not.toHaveProperty('taskId');
  });

  it('of the project’s own works where no segment bears it', async () => {
    const service = hosted();
    const { id } = await service.create(checked({ taskId: 'own', segments: [{ content: 'x', taskId: 'a' }] }), call);
    expect((await service.delete({ id }, task('own'), call)).removed).toEqual({
      targetLanguages: 0,
      segments: 0,
      tasks: 1,
    });
    await expectProblem('task-not-found', () => service.delete({ id }, task('own'), call));
  });

  it('one after another leaves a project without segments, which can be read and deleted', async () => {
    const service = hosted();
    const { id } = await service.create(checked({ customId: 'x', segments: [{ content: 'x', taskId: 'a' }] }), call);
    await service.delete({ customId: 'x' }, task('a'), call);
    expect((await service.get({ customId: 'x' }, undefined, call)).segments).toBe(0);
    expect((await service.delete({ id }, { kind: 'project' }, call)).removed).toEqual({
      targetLanguages: 1,
      segments: 0,
      tasks: 0,
    });
  });
});
