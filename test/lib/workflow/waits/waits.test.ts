import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../../../lib/storage/sqlite/storage.ts';
import { isFulfilled } from '../../../../lib/workflow/waits/wait-condition.ts';
import { MemoryStorage } from '../../../support/memory-storage.ts';
import { temporaryFolder } from '../../storage/folder.ts';
import { heldNow } from '../../support.ts';
import { describeWaits } from './waits-suite.ts';
import { waitWorld } from './world.ts';

describeWaits('memory', () => new MemoryStorage());
describeWaits('SQLite', () => new SqliteStorage(openDatabase(temporaryFolder()), heldNow));

const MINUTE_MS = 60_000;
const SEVEN_DAYS = 604_800;

/** A step of a random life of waits. */
type Step =
  | { readonly kind: 'wait' | 'progress' | 'delete'; readonly project: number; readonly value: number }
  | { readonly kind: 'cancel'; readonly value: number }
  | { readonly kind: 'work' | 'down' | 'lossy' | 'up' };

const project = fc.integer({ min: 1, max: 3 });
const value = fc.integer({ min: 0, max: 100 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('wait' as const, 'progress' as const, 'delete' as const), project, value }),
  fc.record({ kind: fc.constant('cancel' as const), value }),
  fc.record({
    kind: fc.constantFrom('work' as const, 'work' as const, 'down' as const, 'lossy' as const, 'up' as const),
  }),
);

/** Does one step. */
async function take(world: ReturnType<typeof waitWorld>, taken: Step, n: number): Promise<void> {
  const { stepFunctions, progress } = world;
  switch (taken.kind) {
    case 'wait':
      await world.wait(`token ${n}`, { projectId: taken.project }).catch(() => stepFunctions.cancel(`token ${n}`));
      break;
    case 'progress':
      progress.set(taken.project, taken.value);
      break;
    case 'delete':
      progress.delete(taken.project);
      break;
    case 'cancel': {
      const tokens = [...stepFunctions.waiting];
      stepFunctions.cancel(tokens[taken.value % Math.max(1, tokens.length)] ?? '');
      break;
    }
    case 'work':
      world.pass(MINUTE_MS);
      await world.work();
      break;
    default:
      stepFunctions.isDown = taken.kind === 'down';
      stepFunctions.losesAnswers = taken.kind === 'lossy';
  }
}

it('whatever happens, each wait ends once, and nothing is left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const world = waitWorld(new MemoryStorage());
      for (const [n, taken] of steps.entries()) await take(world, taken, n);
      world.stepFunctions.isDown = false;
      world.stepFunctions.losesAnswers = false;
      for (const id of [1, 2, 3]) if (world.progress.has(id)) world.progress.set(id, 100);
      world.pass(SEVEN_DAYS);
      await world.work();
      expect([...world.stepFunctions.waiting]).toEqual([]);
      expect(await world.kept()).toEqual([0, 0]);
    }),
    { numRuns: 60 },
  );
});

describe('the task that waits', () => {
  const languages = [{ languageId: 53, languageCode: 'de-DE', progress: 60 }];

  it.each([
    ['a lower progress', { progress: 60 }, { total: 60, languages }],
    ['a language', { languages: ['de-DE'], progress: 50 }, { total: 60, languages }],
  ])('without a token, returns the progress for %s', async (_, command, output) => {
    const world = waitWorld(new MemoryStorage());
    world.progress.set(5, 60);
    expect(await world.call({ projectId: 5, ...command })).toEqual(output);
    expect(await world.kept()).toEqual([0, 0]);
  });

  it.each([
    ['the project is not done', {}, 'Segue.Waiting'],
    ['a language is not done', { languages: ['de-DE'] }, 'Segue.Waiting'],
    ['the project has no such language', { languages: ['fr-FR'] }, 'Segue.Terminal.language-not-found'],
    ['the wait is over', { since: '2026-11-20T09:20:00Z', timeoutSeconds: 600 }, 'Segue.WaitTimedOut'],
    ['the project is unknown', { projectId: 6 }, 'Segue.Terminal.project-not-found'],
    ['a time is none', { since: 'yesterday' }, 'Segue.Terminal.invalid-parameter'],
    ['a timeout is too long', { timeoutSeconds: 2_592_001 }, 'Segue.Terminal.invalid-parameter'],
  ])('without a token, fails if %s', async (_, command, name) => {
    const world = waitWorld(new MemoryStorage());
    world.progress.set(5, 60);
    await expect(world.call({ projectId: 5, ...command })).rejects.toMatchObject({ name });
    await expect(world.call({ projectId: 5, ...command })).rejects.toThrow(/./);
  });

  it('refuses to register a wait that is over, or for a language that the project does not have', async () => {
    const world = waitWorld(new MemoryStorage());
    world.progress.set(5, 60);
    const late = { projectId: 5, since: '2026-11-20T09:00:00Z', timeoutSeconds: 60 };
    await expect(world.wait('a', late)).rejects.toMatchObject({ name: 'Segue.WaitTimedOut' });
    const unknown = { projectId: 5, languages: ['fr-FR'] };
    await expect(world.wait('b', unknown)).rejects.toMatchObject({ name: 'Segue.Terminal.language-not-found' });
    expect(await world.kept()).toEqual([0, 0]);
  });

  it('counts the timeout from the beginning, not from each registration', async () => {
    const world = waitWorld(new MemoryStorage());
    world.progress.set(5, 60);
    const command = { projectId: 5, since: new Date(world.now()).toISOString(), timeoutSeconds: 3_600 };
    await world.wait('first', command);
    world.pass(50 * MINUTE_MS);
    await world.wait('second', command);
    world.pass(10 * MINUTE_MS);
    await world.work();
    expect(world.stepFunctions.ends.get('second')).toBe('Segue.WaitTimedOut');
  });

  it('reads percentages of an upstream service, and waits while one is missing', () => {
    const exact = JSON.rawJSON('60.0');
    expect(isFulfilled({ progress: 60 }, { total: exact })).toBe(true);
    expect(isFulfilled({ progress: 61 }, { total: exact })).toBe(false);
    for (const total of [null, undefined, '100', true]) expect(isFulfilled({}, { total })).toBe(false);
    expect(isFulfilled({ languages: ['de-DE'] }, { languages: null })).toBe(false);
  });

  it('logs no token', async () => {
    const world = waitWorld(new MemoryStorage());
    world.progress.set(5, 40);
    await world.wait('secret-token', { projectId: 5 });
    await world.work();
    world.stepFunctions.isDown = true;
    world.pass(MINUTE_MS);
    await world.work();
    await world.wait('secret-token', { projectId: 7 }).catch(() => {});
    expect(world.lines.length).toBeGreaterThan(2);
    expect(JSON.stringify(world.lines)).not.toContain('secret-token');
  });
});
