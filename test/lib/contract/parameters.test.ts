import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cursorAfter,
  PARAMETERS,
  type ParameterName,
  type Query,
  queryName,
  readQuery,
} from '../../../lib/contract/parameters.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { problemOf } from '../support.ts';

const read = (name: ParameterName, text: string) => readQuery([name], { [queryName(name)]: [text] })[name];

describe('a parameter', () => {
  it.each<[ParameterName, string, unknown]>([
    ['taskId', 'a', 'a'],
    ['taskId', '世'.repeat(1_000), '世'.repeat(1_000)],
    ['validateOnly', 'true', true],
    ['validateOnly', 'false', false],
    ['limit', '1', 1],
    ['limit', '100', 100],
    ['state', 'InPreparation', 'InPreparation'],
    ['customIdPrefix', ' a/', ' a/'],
    ['createdAfter', '1970-01-01T01:00:00.000000001+01:00', 1n],
    ['dueBefore', '1970-01-01T00:00:01', 1_000_000_000n],
    ['done', 'false', false],
    ['status', 'draft', 'draft'],
    ['languageCode', 'de_de', 'de_de'],
    ['segmentLimit', '1000', 1_000],
    ['segmentCursor', 's2s.5d-1', { position: 100, revision: '5d-1' }],
    ['cursor', cursorAfter(1), 1],
    ['cursor', cursorAfter(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ])('%s reads %j', (name, text, value) => {
    expect(read(name, text)).toEqual(value);
  });

  it.each<[ParameterName, string]>([
    ['taskId', ''],
    ['taskId', ' \u200b\u0000'],
    ['taskId', 'a'.repeat(1_001)],
    ['taskId', 'half \ud83d'],
    ['validateOnly', ''],
    ['validateOnly', 'True'],
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '05'],
    ['limit', '1e1'],
    ['limit', 'x'],
    ['state', 'Completed'],
    ['customIdPrefix', ' '],
    ['customIdPrefix', 'a'.repeat(256)],
    ['createdAfter', '2026-11-20'],
    ['createdAfter', '2026-11-20T12:00:00 01:00'],
    ['dueBefore', 'tomorrow'],
    ['done', '1'],
    ['status', 'Draft'],
    ['status', 'constructor'],
    ['languageCode', ' '],
    ['segmentLimit', '0'],
    ['segmentLimit', '1001'],
    ['segmentLimit', '10000'],
    ['segmentCursor', ''],
    ['segmentCursor', 'c1'],
    ['segmentCursor', 's1'],
    ['segmentCursor', 's1.'],
    ['segmentCursor', 's0.a'],
    ['segmentCursor', 's01.a'],
    ['segmentCursor', 'S1.a'],
    ['segmentCursor', 's1.a\n'],
    ['segmentCursor', `s1.${'a'.repeat(65)}`],
    ['cursor', ''],
    ['cursor', 'c0'],
    ['cursor', 'C1'],
    ['cursor', 'czzzzzzzzzzz'],
    ['cursor', 'c2gosa7pa2gw'],
  ])('%s refuses %j', async (name, text) => {
    const problem = await problemOf(() => read(name, text));
    expect(problem.name).toBe('invalid-parameter');
    expect(problem.occurrence.errors).toMatchObject([
      { pointer: `/query/${queryName(name)}`, code: 'invalid-parameter' },
    ]);
  });

  it('is refused if it is repeated, even with one value', async () => {
    const problem = await problemOf(() => readQuery(['taskId'], { taskId: ['a', 'a'] }));
    expect(problem.name).toBe('invalid-parameter');
    expect(problem.occurrence.errors).toMatchObject([{ pointer: '/query/taskId', code: 'repeated-parameter' }]);
  });

  it.each(['taskid', 'task_id', 'TaskId', 'taskId ', 'taskId[]', '__proto__', 'constructor', ''])(
    'is refused under the name %j',
    async (name) => {
      const problem = await problemOf(() => readQuery(['taskId'], Object.fromEntries([[name, ['a']]])));
      expect(problem.name).toBe('unknown-parameter');
      expect(problem.occurrence.errors).toMatchObject([{ code: 'unknown-parameter', allowed: ['taskId'] }]);
    },
  );

  it('is refused with the nearest known name, and without the name that was sent', async () => {
    const problem = await problemOf(() => readQuery(['taskId', 'limit'], { tskId: ['a'], canary: ['a'] }));
    const details = problem.occurrence.errors?.map(({ detail }) => detail).join();
    expect(details).toContain('Did you mean taskId?');
    expect(details).not.toContain('canary');
  });
});

describe('a query', () => {
  it('reports all faults: unknown names before malformed values', async () => {
    const problem = await problemOf(() => readQuery(['limit', 'cursor'], { limit: ['x'], cursor: ['y'], page: ['2'] }));
    expect(problem.name).toBe('unknown-parameter');
    expect(problem.occurrence.errors?.map(({ pointer }) => pointer)).toEqual([
      '/query/page',
      '/query/limit',
      '/query/cursor',
    ]);
  });

  it('may lack every parameter', () => {
    expect(readQuery(['limit', 'cursor'], {})).toEqual({});
    expect(readQuery([], {})).toEqual({});
    expect(readQuery(['limit', 'cursor'], { limit: ['5'] })).toEqual({ limit: 5 });
  });

  it('is read or refused, and no value of it is lost', () => {
    const names = Object.keys(PARAMETERS);
    const name = fc.oneof(fc.constantFrom(...names), fc.string(), fc.constantFrom('taskid', 'validateonly'));
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('true', '1', '50', cursorAfter(7), ''));
    const query: fc.Arbitrary<Query> = fc.dictionary(name, fc.array(value, { maxLength: 3 }));
    const known = fc.constantFrom(...ROUTES.map((route): readonly ParameterName[] => route.query));
    fc.assert(
      fc.property(known, query, (allowed, given) => {
        try {
          const values = readQuery(allowed, given);
          expect(
            allowed
              .filter((name) => name in values)
              .map(queryName)
              .sort(),
          ).toEqual(Object.keys(given).sort());
        } catch (error) {
          expect(error).toBeInstanceOf(Problem);
          expect(['unknown-parameter', 'invalid-parameter']).toContain(error instanceof Problem && error.name);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('cursorAfter', () => {
  it('can be read back', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat().map((n) => Math.max(1, n)),
        (id) => read('cursor', cursorAfter(id)) === id,
      ),
    );
  });
});
