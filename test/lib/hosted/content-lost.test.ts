import { expect, it } from 'vitest';
import { contentLost } from '../../../lib/contract/failures.ts';
import { storeWith } from '../../faults/faulty.ts';
import { segment, target } from '../../support/projects.ts';
import { callContext, checked, expectProblem } from '../support.ts';
import { WorkWorld } from './work/world.ts';

const AUTOMATIC = { targetLanguages: [target({ serviceAutomaticTranslation: true, team: null })] };

/** Returns a project, and the store of its world after the bucket has lost every object. */
async function lostProject(fields = {}) {
  const world = new WorkWorld();
  // The bucket has large payloads only.
  const segments = [segment({ taskId: 'task', content: noise(99) })];
  const id = await world.create({ customId: 'lost', segments, ...fields });
  const lose = () => Promise.reject(contentLost());
  const storage = storeWith(world.storage, {
    readWithPayload: lose,
    readPayloadRange: (item, range) => (item.bytes ? world.storage.readPayloadRange(item, range) : lose()),
  });
  return { world, id, storage, service: world.hosted({ storage }) };
}

it('is a problem of its own for reads of the project and deletions of a task', async () => {
  const { id, service } = await lostProject();
  const query = { maxBytes: 1_000, isGzip: false };
  await expectProblem('content-lost', () => service.get({ id }, undefined, callContext()));
  await expectProblem('content-lost', () => service.segments({ id }, query, callContext()));
  await expectProblem('content-lost', () => service.delete({ id }, { kind: 'task', taskId: 'task' }, callContext()));
});

it('leaves the project in lists, and lets it be deleted', async () => {
  const { id, service } = await lostProject();
  const listed = async () => (await service.list({ limit: 10 }, callContext())).projects.map((project) => project.id);
  expect(await listed()).toEqual([id]);
  expect(await service.delete({ id }, { kind: 'project' }, callContext())).toMatchObject({ outcome: 'deleted' });
  expect(await listed()).toEqual([]);
  expect((await service.create(checked({ customId: 'lost' }), callContext())).id).not.toBe(id);
});

/** Returns a text that compression makes hardly smaller. Each seed makes another one. */
function noise(seed: number): string {
  let state = seed;
  const next = () => {
    state = (state * 48_271) % 0x7fffffff;
    return 0x4e00 + (state % 20_000);
  };
  return String.fromCodePoint(...Array.from({ length: 10_000 }, next));
}

it('leaves a project out of lists if its head is too large for the record, and shows the others', async () => {
  const codes = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'cs', 'sv', 'da'];
  const large = codes.map((targetLanguageCode, index) =>
    target({ targetLanguageCode, targetLanguageId: null, additionalInfo: noise(index + 1) }),
  );
  const { world, service } = await lostProject({ targetLanguages: large });
  const other = await world.create({});
  const { projects } = await service.list({ limit: 10 }, callContext());
  expect(projects.map((project) => project.id)).toEqual([other]);
});

it('ends the jobs of the project, and reports it once', async () => {
  const { world, storage } = await lostProject(AUTOMATIC);
  world.workerStorage = storage;
  await world.work();
  expect(world.failures).toEqual([expect.objectContaining({ name: 'content-lost' })]);
  expect(world.jobs()).toEqual([]);
});
