import { describe, expect, it } from 'vitest';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import { decodeText } from '../../../lib/service/encoded-text.ts';
import type { SegmentsQuery } from '../../../lib/service/port.ts';
import { asObject, type Json, type JsonObject } from '../../support/projects.ts';
import { problemOf } from '../support.ts';
import { empty, json, type Play, playService, problem } from './server.ts';
import { answeredTo, World } from './world.ts';

const CUSTOM_ID = 'mine';
const FIELDS = {
  customId: CUSTOM_ID,
  taskId: 'own',
  targetLanguages: [{ targetLanguageCode: 'de_DE' }, { targetLanguageCode: 'fr' }],
  segments: [{ content: 'one' }, { content: 'two', taskId: 't' }],
};

const translation = (languageCode: Json, status: string) => ({
  id: 7,
  languageId: 1,
  languageCode,
  content: 'x',
  status,
});
const ENTRIES: JsonObject[] = [
  {
    source: { id: 'g-1', content: 'one', taskId: null },
    translations: [translation('de-DE', 'Done'), translation('fr', 'Open')],
  },
  { source: { content: 'two', taskId: 't' }, translations: [translation('FR', 'Done')], score: 1.5 },
];

/** Plays of a service with one project. Each read of results gets the next answer, and the last one stays. */
async function world(answers: readonly Play[], shown: JsonObject = {}) {
  const world = new World();
  const left = [...answers];
  let project: JsonObject = {};
  const played = await playService((request, response) => {
    if (request.method === 'POST') {
      project = { ...asObject(JSON.parse(JSON.stringify(answeredTo(request.body, 1_000)))), ...shown };
      json(201, project)(request, response);
    } else if (/\/(segments|progress)(\?|$)/.test(request.url.replace('/segments', ''))) {
      (left.length > 1 ? left.shift() : left[0])?.(request, response);
    } else json(200, project)(request, response);
  });
  const service = world.serviceAt(played.url);
  await service.create(world.checked(FIELDS), world.call());
  const query = { maxBytes: 1_000_000, isGzip: false };
  return {
    /** Reads segments, and returns the entries and the cursor of the next page. */
    async segments(selection: Partial<SegmentsQuery> = {}) {
      const page = await service.segments({ customId: CUSTOM_ID }, { ...query, ...selection }, world.call());
      return { entries: JSON.parse(Buffer.from(decodeText(page.json)).toString()), count: page.count, next: page.next };
    },
    progress: (taskId?: string, companyId = 'company') =>
      service.progress({ customId: CUSTOM_ID }, taskId, world.call({ companyId })),
    /** Returns the targets of the reads of results. */
    reads: () => played.received.map(({ url }) => url).filter((url) => /1000\/\w/.test(url)),
    received: played.received,
    clock: world,
  };
}

describe('segments of an upstream service', () => {
  it('are passed on as they are', async () => {
    const { segments, reads } = await world([json(200, ENTRIES)]);
    expect(await segments()).toEqual({ entries: ENTRIES, count: 2, next: undefined });
    expect(reads()).toEqual(['/segments/projects/1000/segments']);
  });

  it('are selected by status and task at the service, which gets nothing else', async () => {
    const { segments, reads } = await world([json(200, ENTRIES)]);
    await segments({ status: 'draft', taskId: 't', languageCode: 'de-DE', limit: 1 });
    expect(reads()).toEqual(['/segments/projects/1000/segments?status=draft&taskId=t']);
  });

  it('are selected by task if the service ignores taskId', async () => {
    const { segments } = await world([json(200, ENTRIES)]);
    expect((await segments({ taskId: 't' })).entries).toEqual([ENTRIES[1]]);
    expect((await segments({ taskId: 'own' })).entries).toEqual([ENTRIES[0]]);
    expect(await problemOf(segments({ taskId: 'none' }))).toMatchObject({ name: 'task-not-found' });
  });

  it.each(['de-DE', 'DE_de', 'deu-DE'])('are selected by language: %s', async (languageCode) => {
    const { segments } = await world([json(200, ENTRIES)]);
    const [first, second] = ENTRIES;
    const all = [
      { ...first, translations: [translation('de-DE', 'Done')] },
      { ...second, translations: [] },
    ];
    expect((await segments({ languageCode })).entries).toEqual(all);
    expect((await segments({ languageCode, status: 'translated' })).entries).toEqual(all.slice(0, 1));
  });

  it('are refused for a language that the project does not have', async () => {
    const { segments } = await world([json(200, ENTRIES)]);
    const { name, occurrence } = await problemOf(segments({ languageCode: 'es' }));
    expect({ name, errors: occurrence.errors }).toMatchObject({
      name: 'invalid-parameter',
      errors: [{ pointer: '/query/languageCode', allowed: ['de_DE', 'fr'] }],
    });
  });

  it('are selected by language even if the service does not show the languages, or their codes', async () => {
    const hidden = await world([json(200, ENTRIES)], { targetLanguages: null });
    expect((await hidden.segments({ languageCode: 'fr' })).entries[1]).toEqual(ENTRIES[1]);
    const ids = ENTRIES.map((entry) => ({ ...entry, translations: [{ languageId: 1172 }, { languageId: 53 }] }));
    const numbered = await world([json(200, ids)], { targetLanguages: [{ targetLanguageId: 1172 }] });
    expect((await numbered.segments({ languageCode: 'fr' })).entries[0].translations).toEqual([{ languageId: 1172 }]);
  });

  it('are paged, and a page after a change is refused', async () => {
    const changed = [{ ...ENTRIES[0], colour: 'blue' }, ENTRIES[1]];
    const { segments } = await world([json(200, ENTRIES), json(200, ENTRIES), json(200, changed)]);
    const first = await segments({ limit: 1 });
    expect(first).toMatchObject({ entries: [ENTRIES[0]], next: { position: 1 } });
    expect(await segments({ limit: 1, after: first.next })).toEqual({
      entries: [ENTRIES[1]],
      count: 1,
      next: undefined,
    });
    expect(await problemOf(segments({ limit: 1, after: first.next }))).toMatchObject({ name: 'page-outdated' });
  });

  it.each<[string, Json]>([
    ['entries that are no objects', ['x', null, 5, [], ENTRIES[1] ?? null]],
    ['no translations', [{ source: null }, ENTRIES[1] ?? null]],
    ['fields of other types', [{ source: 'x', translations: {} }, ENTRIES[1] ?? null]],
  ])('may have %s, which hide no other entry', async (_, answer) => {
    const { segments } = await world([json(200, answer)]);
    expect((await segments()).entries).toContainEqual(ENTRIES[1]);
    expect((await segments({ taskId: 't' })).entries).toContainEqual(ENTRIES[1]);
    expect((await segments({ languageCode: 'fr', status: 'draft' })).entries).toEqual([ENTRIES[1]]);
  });

  it.each<[string, ProblemType, Play]>([
    ['a text', 'upstream-invalid', json(200, 'text')],
    ['no JSON', 'upstream-invalid', (_, response) => response.writeHead(200).end('<html>')],
    ['a task that is not found', 'task-not-found', problem(404, 'task-not-found')],
    ['a refusal', 'upstream-refused', empty(400)],
    ['503', 'upstream-unavailable', empty(503)],
  ])('fail after %s: %s', async (_, type, play) => {
    const { segments, progress } = await world([play]);
    expect((await problemOf(segments())).name).toBe(type);
    expect((await problemOf(progress())).name).toBe(type);
  });
});

it('a 404 for the results of a project that is there is no missing project', async () => {
  const { segments, progress, clock } = await world([empty(404)]);
  expect((await problemOf(segments())).name).toBe('upstream-unavailable');
  clock.settle();
  for (const read of [segments(), progress()]) expect((await problemOf(read)).name).toBe('upstream-refused');
});

describe('progress of an upstream service', () => {
  const answer = { total: -1, tasks: 'none', languages: [{ languageCode: 'de', progress: '40 %' }], more: { x: 1 } };

  it('is passed on as it is, for the task that is asked for', async () => {
    const { progress, reads } = await world([json(200, answer)]);
    expect(await progress()).toEqual(answer);
    expect(await progress('t')).toEqual(answer);
    expect((await problemOf(progress('none'))).name).toBe('task-not-found');
    expect(reads()).toEqual(['/segments/projects/1000/progress', '/segments/projects/1000/progress?taskId=t']);
  });

  it('has the custom id that the company knows', async () => {
    const { progress } = await world([json(200, { ...answer, customId: 'segue.company.n.mine' })]);
    expect(await progress()).toEqual({ ...answer, customId: CUSTOM_ID });
  });

  it('is never read for another company', async () => {
    const { progress, received } = await world([json(200, answer)]);
    const before = received.length;
    expect((await problemOf(progress(undefined, 'another'))).name).toBe('project-not-found');
    expect(received).toHaveLength(before);
  });
});
