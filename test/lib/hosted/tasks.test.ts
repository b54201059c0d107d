import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Project, SegmentAnswer } from '../../../lib/contract/project-answer.ts';
import { onlyTask, withoutTask } from '../../../lib/hosted/tasks.ts';
import { taskRunsOf, tasksIn } from '../../../lib/hosted/work/segment-tasks.ts';
import { projectFrom } from '../../../lib/service/project-from.ts';
import { checked, NOW_MS } from '../support.ts';

const { taskId: _, ...made } = projectFrom(checked(), 1, NOW_MS);

/** Returns a project whose segments have these tasks. `undefined` is a segment without a task. */
function projectWith(own: string | undefined, tasks: readonly (string | undefined)[]): Project {
  const segments = tasks.map((taskId, index): SegmentAnswer => {
    const segment = { id: index + 10, content: 'x' };
    return taskId === undefined ? segment : { ...segment, taskId };
  });
  return own === undefined ? { ...made, segments } : { ...made, taskId: own, segments };
}

const idsOf = (project: Project | undefined) => project?.segments.map(({ id }) => id - 10);

describe('a task', () => {
  it.each<[string, own: string | undefined, inside: number[] | undefined]>([
    ['a', undefined, [0, 3]],
    ['a', 'a', [0, 2, 3]],
    ['own', 'own', [2]],
    ['A', 'own', undefined],
    ['none', undefined, undefined],
  ])('%s of a project with the task %s has the segments %j', (taskId, own, inside) => {
    const project = projectWith(own, ['a', 'b', undefined, 'a']);
    expect(idsOf(onlyTask(project, taskId))).toEqual(inside);
    expect(idsOf(withoutTask(project, taskId))).toEqual(inside && [0, 1, 2, 3].filter((n) => !inside.includes(n)));
  });

  it('removes the project’s task id if it is the project’s own task', () => {
    expect(withoutTask(projectWith('own', ['a']), 'own')).not.toHaveProperty('taskId');
    expect(withoutTask(projectWith('own', ['a']), 'a')).toHaveProperty('taskId', 'own');
    expect(onlyTask(projectWith('own', ['a']), 'a')).toHaveProperty('taskId', 'own');
  });

  it('removes its own segments and leaves all others unchanged', () => {
    const name = fc.constantFrom('a', 'A', 'a ', '世', '__proto__', 'toString');
    const maybe = fc.option(name, { nil: undefined });
    fc.assert(
      fc.property(maybe, fc.array(maybe), (own, tasks) => {
        const project = projectWith(own, tasks);
        const copy = structuredClone(project);
        const names = new Set([own, ...tasks].filter((task) => task !== undefined));
        expect(tasksIn(taskRunsOf(project, [tasks.length])).size).toBe(names.size);
        for (const task of names) {
          const both = [...(onlyTask(project, task)?.segments ?? []), ...(withoutTask(project, task)?.segments ?? [])];
          expect(both.sort((a, b) => a.id - b.id)).toEqual(project.segments);
        }
        expect(project).toEqual(copy);
      }),
    );
  });
});
