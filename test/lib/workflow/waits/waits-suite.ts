import { describe, expect, it } from 'vitest';
import { Problem } from '../../../../lib/contract/problem.ts';
import type { ListedStore } from '../../../../lib/storage/port.ts';
import { waitWorld } from './world.ts';

const MINUTE_MS = 60_000;

/**
 * Tests the waits in a store.
 * @param open opens an empty store for one test
 */
export function describeWaits(name: string, open: () => ListedStore | Promise<ListedStore>): void {
  describe(`waits in ${name}`, () => {
    it('report the progress when the project is done, and leave nothing', async () => {
      const world = waitWorld(await open());
      world.progress.set(5, 40);
      expect(await world.wait('token', { projectId: 5 })).toEqual({ registered: true });
      expect(await world.work()).toMatchObject({ postponed: 1, done: 0 });
      expect(world.stepFunctions.heartbeats).toEqual(['token']);
      world.progress.set(5, 100);
      // It is not due yet.
      expect(await world.work()).toMatchObject({ postponed: 0, done: 0 });
      world.pass(MINUTE_MS);
      expect(await world.work()).toMatchObject({ done: 1 });
      const languages = [{ languageId: 53, languageCode: 'de-DE', progress: 100 }];
      expect(world.stepFunctions.ends).toEqual(new Map([['token', { total: 100, languages }]]));
      expect(await world.kept()).toEqual([0, 0]);
    });

    it('are looked at less often the longer they take, and at least every five minutes', async () => {
      const world = waitWorld(await open());
      world.progress.set(5, 40);
      await world.wait('token', { projectId: 5 });
      let looks = 0;
      for (let minute = 0; minute < 60; minute++) {
        looks += (await world.work()).postponed;
        world.pass(MINUTE_MS);
      }
      expect(looks).toBeLessThan(30);
      expect(looks).toBeGreaterThanOrEqual(12);
    });

    it('of two executions for one project both end', async () => {
      const world = waitWorld(await open());
      world.progress.set(5, 100);
      await world.wait('one', { projectId: 5 });
      await world.wait('two', { projectId: 5, progress: 50 });
      await world.work();
      expect([...world.stepFunctions.ends.keys()].sort()).toEqual(['one', 'two']);
      expect(await world.kept()).toEqual([0, 0]);
    });

    it('are registered once, however often the state repeats its call', async () => {
      const world = waitWorld(await open());
      world.progress.set(5, 40);
      for (let time = 0; time < 3; time++) await world.wait('token', { projectId: 5 });
      expect(await world.kept()).toEqual([1, 1]);
      await world.work();
      await world.wait('token', { projectId: 5 });
      expect((await world.kept())[0]).toBe(1);
    });

    it('of an execution that was stopped are removed', async () => {
      const world = waitWorld(await open());
      world.progress.set(5, 40);
      await world.wait('token', { projectId: 5 });
      world.stepFunctions.cancel('token');
      expect(await world.work()).toMatchObject({ done: 1 });
      expect(await world.kept()).toEqual([0, 0]);
      expect(world.stepFunctions.ends.size).toBe(0);
    });

    it('of a deleted project fail with its name', async () => {
      const world = waitWorld(await open());
      world.progress.set(5, 40);
      await world.wait('token', { projectId: 5 });
      world.progress.delete(5);
      await world.work();
      expect(world.stepFunctions.ends.get('token')).toBe('Segue.Terminal.project-not-found');
      expect(await world.kept()).toEqual([0, 0]);
    });

    it('of a suspended company fail', async () => {
      const world = waitWorld(await open());
      world.progress.set(5, 40);
      await world.wait('token', { projectId: 5 });
      world.failing.set('company', new Problem('company-suspended', { detail: 'No.' }));
      await world.work();
      expect(world.stepFunctions.ends.get('token')).toBe('Segue.Terminal.company-suspended');
    });

    it('go on while the service fails, and time out in the end', async () => {
      const world = waitWorld(await open());
      world.progress.set(5, 40);
      await world.wait('token', { projectId: 5, timeoutSeconds: 600 });
      world.failing.set('progress', new Problem('unavailable', { detail: 'Not now.' }));
      await world.work();
      expect(world.stepFunctions.heartbeats).toEqual(['token']);
      world.pass(10 * MINUTE_MS);
      await world.work();
      expect(world.stepFunctions.ends.get('token')).toBe('Segue.WaitTimedOut');
      expect(await world.kept()).toEqual([0, 0]);
    });

    it('stay if Step Functions does not answer, and end once after lost answers', async () => {
      const world = waitWorld(await open());
      world.progress.set(5, 100);
      await world.wait('token', { projectId: 5 });
      world.stepFunctions.isDown = true;
      await world.work();
      expect(await world.kept()).toEqual([1, 1]);
      world.stepFunctions.isDown = false;
      world.stepFunctions.losesAnswers = true;
      await world.work();
      expect(await world.kept()).toEqual([1, 1]);
      world.stepFunctions.losesAnswers = false;
      await world.work();
      expect(await world.kept()).toEqual([0, 0]);
      expect(world.stepFunctions.ends.size).toBe(1);
    });

    it('are limited for each project and company, and ended ones make room', async () => {
      const world = waitWorld(await open());
      for (let id = 1; id <= 11; id++) world.progress.set(id, 40);
      for (let id = 1; id <= 10; id++) {
        for (let n = 0; n < 10; n++) await world.wait(`${id} ${n}`, { projectId: id });
        if (id > 1) continue;
        await expect(world.wait('more', { projectId: 1 })).rejects.toThrow('At most 10 executions can wait');
      }
      const more = world.wait('more', { projectId: 11 });
      await expect(more).rejects.toMatchObject({ name: 'Segue.Retryable.rate-limited' });
      world.stepFunctions.cancel('1 0');
      // One run may have no time for all.
      for (let run = 0; run < 20 && (await world.kept())[0] === 100; run++) await world.work();
      expect(await world.wait('more', { projectId: 11 })).toEqual({ registered: true });
    });
  });
}
