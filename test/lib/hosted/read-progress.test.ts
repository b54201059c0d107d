import { describe, expect, it } from 'vitest';
import { allLanguages } from '../../../lib/contract/languages.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { checkTranslations } from '../../../lib/contract/translations.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { type JsonObject, segments } from '../../support/projects.ts';
import { hosted } from '../../support/world.ts';
import { callContext, checked, expectProblem } from '../support.ts';
import { prefixing, translated, WorkWorld } from './work/world.ts';

const call = callContext();

async function created(service: ProjectService, fields: JsonObject): Promise<{ id: number }> {
  const { id } = await service.create(checked(fields), call);
  return { id };
}

/** Returns languages other than that of the source. */
function languages(count: number): JsonObject[] {
  return allLanguages()
    .filter(({ id }) => id !== 41)
    .slice(0, count)
    .map(({ id }) => ({ targetLanguageId: id, serviceAutomaticTranslation: true }));
}

/** Counts the progress of the tasks from the segments that the service shows. */
async function countedProgress(world: WorkWorld, id: number): Promise<JsonObject[]> {
  const byTask = Map.groupBy(await world.segments(id), ({ source }) => source.taskId ?? '');
  byTask.delete('');
  return [...byTask].map(([taskId, entries]) => {
    const codes = entries[0]?.translations.map(({ languageCode }) => languageCode) ?? [];
    const targetLanguages = codes.map((languageCode, index) => {
      const final = entries.filter(({ translations }) => isFinal(translations[index]?.status)).length;
      return { languageCode, progress: Math.floor((final * 100) / entries.length) };
    });
    return { taskId, targetLanguages };
  });
}

const isFinal = (status = '') => ['automatic', 'translated', 'proofread'].includes(status);

describe('the progress of tasks', () => {
  it(`has at most ${LIMITS.progressEntries} entries`, async () => {
    const service = hosted();
    const targetLanguages = languages(100);
    const withTasks = (count: number) =>
      created(service, { targetLanguages, segments: segments(count).map((each, n) => ({ ...each, taskId: `${n}` })) });
    const most = await withTasks(LIMITS.progressEntries / 100);
    const { tasks } = await service.progress(most, undefined, call);
    expect(tasks).toHaveLength(1_000);
    const over = await withTasks(LIMITS.progressEntries / 100 + 1);
    await expectProblem('not-acceptable', () => service.progress(over, undefined, call));
    expect((await service.progress(over, '1000', call))['tasks']).toHaveLength(1);
  });

  it.each([
    ['few', 4, 3],
    ['many', 101, 10],
  ])('is counted right in a project of %s tasks', async (_, tasks, languageCount) => {
    const world = new WorkWorld();
    // The engine cannot translate a segment whose number ends in 7.
    world.translate = async (request) => ({
      ...(await prefixing(request)),
      results: request.texts.map((text) =>
        text.endsWith('7') ? { kind: 'failed', reason: 'implausible' } : translated(text),
      ),
    });
    const list = segments(1_200).map((each, n) => ({
      ...each,
      content: `text ${n}`,
      ...(n % 10 > 0 && { taskId: `task-${n % tasks}` }),
    }));
    const targetLanguages = languages(languageCount);
    const id = await world.create({ targetLanguages, segments: list });
    const expectCounted = async () =>
      expect(await world.progress(id)).toMatchObject({ tasks: await countedProgress(world, id) });
    await expectCounted();
    await world.work();
    await expectCounted();

    const shown = await world.segments(id);
    const entries = [7, 27, 1_107, 11].map((n, index) => ({
      segmentId: shown[n]?.source.id ?? 0,
      languageCode: shown[n]?.translations[index % languageCount]?.languageCode ?? '',
      content: 'x',
      status: n === 11 ? 'draft' : 'translated',
      ...(n === 11 && { reopen: true }),
    }));
    await world.service.writeTranslations({ id }, checkTranslations(entries), call);
    await expectCounted();
    await world.work();
    await world.service.delete({ id }, { kind: 'task', taskId: 'task-1' }, call);
    await expectCounted();
    await world.work();
    await expectCounted();
    const kept = (await world.segments(id)).length;
    expect(kept).toBe(list.filter((each) => !('taskId' in each) || each.taskId !== 'task-1').length);
    for (const task of await countedProgress(world, id)) {
      expect(await world.service.progress({ id }, String(task['taskId']), call)).toMatchObject({ tasks: [task] });
    }
  });
});
