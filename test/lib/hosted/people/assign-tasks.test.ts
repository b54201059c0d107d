import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assignTasks,
  type StaffedLanguage,
  type TaskAssignments,
  type TaskProgress,
} from '../../../../lib/hosted/people/assign-tasks.ts';
import type { TaskId } from '../../../../lib/hosted/work/segment-tasks.ts';

/** A member with its roles: t, p and r for translator, proofreader and in-country reviewer. */
function team(...members: readonly (readonly [id: number, roles: string])[]): StaffedLanguage['team'] {
  const rest = { translationRate: null, translationProductivity: null, proofreadedBy: null };
  const rates = { ...rest, proofreadingRate: null, proofreadingProductivity: null };
  return members.map(([id, roles]) => ({
    id,
    name: 'Example Person',
    username: `person.${id}@example.com`,
    isTranslator: roles.includes('t'),
    isProofreader: roles.includes('p'),
    isInCountryReviewer: roles.includes('r'),
    ...rates,
  }));
}

function task(taskId: TaskId, total: number, translated = 0, proofread = 0): TaskProgress {
  return { taskId, total, translated, proofread };
}

const TWO = { serviceTranslation: true, team: team([1, 't'], [2, 't']) };

type Assigned = ReadonlyMap<TaskId, TaskAssignments>;

/** Assigns tasks, at most some of them. */
function assigned(language: StaffedLanguage, tasks: TaskProgress[], before: Assigned = new Map(), maxTasks = 1_000) {
  const planned = [...assignTasks(language, tasks, before)].slice(0, maxTasks);
  return {
    changes: planned.flatMap((task) => task.changes.map(({ taskId, role, memberId }) => [taskId, role, memberId])),
    after: new Map([...before, ...planned.map(({ taskId, assignments }) => [taskId, assignments] as const)]),
    isComplete: planned.length < maxTasks,
  };
}

describe('translators', () => {
  it('get the tasks in turn, each the task after which it has the fewest open segments', () => {
    const { changes } = assigned(TWO, [task('a', 10), task(null, 3), task('c', 5), task('d', 4)]);
    expect(changes).toEqual([
      ['a', 'translator', 1],
      [null, 'translator', 2],
      ['c', 'translator', 2],
      ['d', 'translator', 2],
    ]);
  });

  it('count for later tasks only with what they have not done', () => {
    const { after } = assigned(TWO, [task('a', 10), task('b', 9)]);
    expect(assigned(TWO, [task('a', 10, 9), task('b', 9), task('c', 1)], after).changes).toEqual([
      ['c', 'translator', 1],
    ]);
  });

  it.each([
    [
      'a language that an engine translates',
      { ...TWO, serviceTranslation: false, serviceAutomaticTranslation: true },
      task('a', 1),
    ],
    ['a task that is translated already', TWO, task('a', 1, 1)],
    ['a task without segments', TWO, task('a', 0)],
  ])('are not needed for %s', (_, language, only) => {
    expect(assigned(language, [only]).changes).toEqual([]);
  });

  it('are needed for a language without any service, and missing without a team', () => {
    expect(assigned({}, [task('a', 1)]).changes).toEqual([['a', 'translator', null]]);
  });
});

describe('proofreaders and in-country reviewers', () => {
  const language = {
    serviceTranslation: true,
    serviceProofreading: true,
    team: team([1, 't'], [2, 'p'], [3, 'pr'], [4, 'r']),
  };

  it('get a task when its translation is final', () => {
    const first = assigned(language, [task('a', 2, 1), task('b', 2)]);
    expect(first.changes.map(([, role]) => role)).toEqual(['translator', 'translator']);
    const second = assigned(language, [task('a', 2, 2), task('b', 2, 1)], first.after);
    expect(second.changes).toEqual([
      ['a', 'proofreader', 2],
      ['a', 'inCountryReviewer', 3],
    ]);
    const third = assigned(language, [task('a', 2, 2), task('b', 2, 2)], second.after);
    expect(third.changes).toEqual([
      ['b', 'proofreader', 2],
      ['b', 'inCountryReviewer', 4],
    ]);
  });

  it('are missing if proofreading is ordered and the team has nobody; a reviewer is not ordered', () => {
    const nobody = { serviceAutomaticTranslation: true, serviceProofreading: true, team: team([1, 't']) };
    expect(assigned(nobody, [task('a', 1, 1)]).changes).toEqual([['a', 'proofreader', null]]);
  });
});

describe('reopened work', () => {
  it('is assigned again, to the member with the least work', () => {
    const before = assigned(TWO, [task('a', 5), task('b', 1)]).after;
    const done = assigned(TWO, [task('a', 5, 5), task('b', 1)], before);
    expect(done.changes).toEqual([]);
    const reopened = assigned(TWO, [task('a', 5, 4), task('b', 1)], done.after);
    expect(reopened.changes).toEqual([['a', 'translator', 1]]);
    const later = assigned(TWO, [task('a', 5, 5), task('b', 1), task('c', 9)], reopened.after);
    expect(later.changes).toEqual([['c', 'translator', 1]]);
    expect(assigned(TWO, [task('a', 5, 4), task('b', 1), task('c', 9)], later.after).changes).toEqual([
      ['a', 'translator', 2],
    ]);
  });

  it('stays with its member if it was never done', () => {
    const before = assigned(TWO, [task('a', 5)]).after;
    for (const translated of [3, 1, 4]) {
      expect(assigned(TWO, [task('a', 5, translated)], before).changes).toEqual([]);
    }
  });
});

describe('any team and any tasks', () => {
  const progress = fc
    .tuple(fc.nat(6), fc.nat(6), fc.nat(6))
    .map((counts) => counts.sort((one, other) => other - one))
    .map(([total = 0, translated = 0, proofread = 0]) => ({ total, translated, proofread }));
  const tasks = fc
    .array(progress, { maxLength: 12 })
    .map((list) => list.map((each, n) => ({ taskId: n === 3 ? null : `task ${n}`, ...each })));
  const language = fc.record({
    serviceTranslation: fc.boolean(),
    serviceProofreading: fc.boolean(),
    serviceAutomaticTranslation: fc.boolean(),
    team: fc
      .array(fc.constantFrom('t', 'p', 'r', 'tp', 'tpr', ''), { maxLength: 4 })
      .map((roles) => team(...roles.map((each, n) => [n + 1, each] as const))),
  });

  it('give the same assignments in one step or in many, and then nothing is left to assign', () => {
    fc.assert(
      fc.property(language, tasks, fc.integer({ min: 1, max: 3 }), (staffed, list, step) => {
        const whole = assigned(staffed, list);
        let before: Assigned = new Map();
        const changes = [];
        for (let isComplete = false; !isComplete; ) {
          const part = assigned(staffed, list, before, step);
          changes.push(...part.changes);
          [before, isComplete] = [part.after, part.isComplete];
        }
        expect([changes, before]).toEqual([whole.changes, whole.after]);
        expect(assigned(staffed, list, whole.after)).toEqual({ after: whole.after, changes: [], isComplete: true });
      }),
    );
  });

  it('give each task only to members with the role, and spread them evenly', () => {
    fc.assert(
      fc.property(language, fc.integer({ min: 1, max: 30 }), (staffed, count) => {
        const list = Array.from({ length: count }, (_, n) => task(`task ${n}`, 2));
        const { changes } = assigned({ ...staffed, serviceTranslation: true }, list);
        const translators = staffed.team?.filter(({ isTranslator }) => isTranslator) ?? [];
        expect(changes).toHaveLength(count);
        const counts = translators.map(({ id }) => changes.filter(([, , memberId]) => memberId === id).length);
        expect(counts.reduce((sum, each) => sum + each, 0)).toBe(translators.length === 0 ? 0 : count);
        if (counts.length > 0) expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
