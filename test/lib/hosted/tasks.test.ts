import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../support/projects.ts';
import { hosted, projectIn, textOf } from '../../support/world.ts';
import { callContext, checked } from '../support.ts';

const call = callContext();

/** Creates a project whose segments have these tasks and contents. `undefined` is a segment without a task. */
async function created(
  own: string | undefined,
  segments: readonly (readonly [task: string | undefined, text: string])[],
) {
  const service = hosted();
  const project: JsonObject = {
    ...(own !== undefined && { taskId: own }),
    segments: segments.map(([taskId, text], n) => ({
      content: `${n} ${text}`,
      ...(taskId !== undefined && { taskId }),
    })),
  };
  const { id, json } = await service.create(checked(project), call);
  const read = async (taskId?: string) => projectIn(await service.get({ id }, taskId, call));
  const remove = (taskId: string) => service.delete({ id }, { kind: 'task', taskId }, call);
  const whole = JSON.parse(textOf({ json }));
  return { whole, read, remove };
}

it('a task is read alone, and removed with all other bytes left as they were', async () => {
  const name = fc.constantFrom('a', 'A', 'a ', '世', '__proto__', 'toString', '","taskId":"a', '},{"id":1');
  const maybe = fc.option(name, { nil: undefined });
  // Long texts make more chunks, and more text makes the payload compressed.
  const text = fc.constantFrom('', '},{"id":7,"content":"x"', 'é'.repeat(400), 'x'.repeat(40_000));
  const segments = fc.array(fc.tuple(maybe, text), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(maybe, segments, async (own, list) => {
      const { whole, read, remove } = await created(own, list);
      expect(await read()).toEqual(whole);
      const taskOf = (n: number) => list[n]?.[0] ?? own;
      const names = new Set([own, ...list.map(([task]) => task)].filter((task) => task !== undefined));
      const left = new Set(list.keys());
      for (const task of names) {
        const inTask = [...left].filter((n) => taskOf(n) === task);
        const shown = await read(task);
        expect(shown.segments).toEqual(inTask.map((n) => whole.segments[n]));
        expect({ ...shown, segments: [] }).toEqual({ ...(await read()), segments: [] });
        await remove(task);
        for (const n of inTask) left.delete(n);
        const { taskId: _, ...fields } = whole;
        const isCleared = own === undefined || [...names].indexOf(own) <= [...names].indexOf(task);
        const progress = left.size === 0 ? 100 : 0;
        const targetLanguages = whole.targetLanguages.map((language: object) => ({ ...language, progress }));
        expect(await read()).toEqual({
          ...fields,
          ...(!isCleared && { taskId: own }),
          targetLanguages,
          segments: [...left].map((n) => whole.segments[n]),
        });
      }
    }),
    { numRuns: 25 },
  );
});
