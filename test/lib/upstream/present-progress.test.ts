import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import type { ProjectFilter } from '../../../lib/service/port.ts';
import type { ServiceProject } from '../../../lib/service/project-document.ts';
import { asObjects, type JsonObject } from '../../support/projects.ts';
import { problemOf } from '../support.ts';
import { answers, changed, every, type Fate, HostedUpstream, old } from './world.ts';

const at = (state: string, progress: number) => (project: JsonObject) => ({
  ...project,
  targetLanguages: asObjects(project['targetLanguages']).map((each) => ({ ...each, state, progress })),
});
const empty: Fate = async (reach) => ({ ...(await reach()), body: Buffer.from('[]') });
const languageOf = ({ targetLanguages }: ServiceProject) =>
  asObjects(JSON.parse(JSON.stringify(targetLanguages)))[0] ?? {};

/** Returns Segue with some projects at a service whose pages have one project. */
async function several(count: number) {
  const upstream = new HostedUpstream();
  const { world } = upstream;
  const segue = upstream.segue();
  const ids: number[] = [];
  for (let n = 0; n < count; n++) {
    ids.unshift((await segue.create(world.checked({ customId: `${n}` }), world.call())).id);
    world.nowMs += 1_000;
  }
  upstream.pageSize = 1;
  upstream.asked.splice(0);
  const list = (query: ProjectFilter & { limit: number; after?: number }) => segue.list(query, world.call());
  return { upstream, ids, list };
}

describe('the state and progress of listed projects', () => {
  it('are those that the service shows now', async () => {
    const { upstream, list } = await old();
    upstream.next('list', changed(at('Completed', 40)));
    const [project] = await list();
    expect(project && languageOf(project)).toMatchObject({
      targetLanguageCode: 'de-DE',
      state: 'Completed',
      progress: 40,
    });
  });

  it.each([
    ['the service fails', answers(500)],
    ['the service refuses the list', answers(400)],
    ['the service shows no project', empty],
    ['another project has the id', changed((project) => ({ ...project, customId: 'another' }))],
    ['the project has no languages', changed((project) => ({ ...project, targetLanguages: null }))],
    [
      'the languages have no state',
      changed((project) => ({ ...project, targetLanguages: [{ targetLanguageId: 53 }] })),
    ],
  ])('are null with the last known values if %s', async (_, fate) => {
    const { upstream, list, world } = await old();
    const createdMs = world.nowMs;
    world.nowMs += 5_000;
    upstream.next('list', fate);
    const [project] = await list();
    const { lastKnown, ...language } = (project && languageOf(project)) ?? {};
    expect(language).toMatchObject({ targetLanguageCode: 'de-DE', state: null, progress: null });
    expect(lastKnown).toMatchObject({ state: 'InProgress', progress: 0 });
    expect(String(Object(lastKnown).atUtc) <= utc(createdMs)).toBe(true);
    expect(upstream.asked).toEqual(['list']);
  });

  it('are last known at the deletion of a task', async () => {
    const { upstream, list, remove, world } = await old();
    await remove({ kind: 'task', taskId: 't' });
    const deletedMs = world.nowMs;
    upstream.next('list', answers(500));
    const [project] = await list();
    const { lastKnown } = (project && languageOf(project)) ?? {};
    expect(Date.parse(Object(lastKnown).atUtc)).toBeGreaterThan(deletedMs - 60_000);
  });

  it('are read in at most three pages of the service, which start with the newest listed project', async () => {
    const { upstream, ids, list } = await several(5);
    const { projects } = await list({ limit: 9 });
    expect(projects.map(({ id }) => id)).toEqual(ids);
    expect(projects.map((project) => languageOf(project)['state'])).toEqual([
      'InProgress',
      'InProgress',
      'InProgress',
      null,
      null,
    ]);
    expect(upstream.asked).toEqual(['list', 'list', 'list']);
    upstream.asked.splice(0);
    const last = await list({ limit: 2, after: ids[2] ?? 0 });
    expect(last.projects.map((project) => languageOf(project)['state'])).toEqual(['InProgress', 'InProgress']);
    expect(upstream.asked).toEqual(['list', 'list']);
  });
});

describe('a list by state or progress', () => {
  const done = new Set<number>();
  const odd = changed((project) => (done.has(Number(project['id'])) ? at('InProgress', 100)(project) : project));

  it('selects by the present values', async () => {
    const { upstream, ids, list } = await several(3);
    upstream.pageSize = 100;
    upstream.way = (_, reach) => odd(reach);
    done.add(ids[1] ?? 0);
    const idsOf = async (query: ProjectFilter) => (await list({ limit: 9, ...query })).projects.map(({ id }) => id);
    expect(await idsOf({ done: true })).toEqual([ids[1]]);
    expect(await idsOf({ done: false })).toEqual([ids[0], ids[2]]);
    expect(await idsOf({ done: false, customIdPrefix: '0' })).toEqual([ids[2]]);
    expect(await idsOf({ state: 'InPreparation' })).toEqual([]);
    const first = await list({ limit: 1, done: false });
    expect(first).toMatchObject({ projects: [{ id: ids[0] }], next: ids[0] });
    expect((await list({ limit: 1, done: false, after: first.next ?? 0 })).projects).toMatchObject([{ id: ids[2] }]);
  });

  it('fails if the service does not show them', async () => {
    const { upstream, list } = await several(1);
    upstream.way = every(answers(503));
    expect((await problemOf(list({ limit: 9, state: 'InProgress' }))).name).toBe('upstream-unavailable');
    expect((await list({ limit: 9, customIdPrefix: '0' })).projects).toHaveLength(1);
  });
});
