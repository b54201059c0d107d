import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../../lib/service/port.ts';
import type { PutRequest } from '../../../../lib/service/put.ts';
import { asObjects, type JsonObject, segment } from '../../../support/projects.ts';
import { contentOf } from '../../../support/world.ts';
import { problemOf } from '../../support.ts';
import { WorkWorld } from '../work/world.ts';

const ref = { customId: 'page' };
const GERMAN = { targetLanguageCode: 'de', serviceAutomaticTranslation: true };
const MENU = [segment({ content: 'Home', taskId: 'menu' }), segment({ content: 'About', taskId: 'menu' })];

/** Puts a project, which is that of `before` unless `fields` say otherwise. */
async function put(
  world: WorkWorld,
  fields: JsonObject,
  others: Partial<PutRequest> = {},
  call: Partial<CallContext> = {},
) {
  const project = world.checked({ targetLanguages: [GERMAN], ...fields });
  const result = await world.service.put({ ref, project, ...others }, world.call(call));
  if (result.outcome === 'outdated') throw new Error('The put is outdated');
  return { ...result, project: contentOf(await result.document()) };
}

describe('a put of a task', () => {
  it('leaves the state of a language as it is', async () => {
    const world = new WorkWorld();
    await put(world, { segments: MENU });
    await world.service.changeLanguage(ref, 'de', { state: 'InPreparation' }, world.call());
    const { project, projectId } = await put(world, { segments: [segment({ content: 'Start' })] }, { taskId: 'menu' });
    expect(asObjects(project['targetLanguages'])).toMatchObject([{ state: 'InPreparation' }]);
    expect(world.events(projectId).map(({ type }) => type)).toEqual([
      'project.created',
      'language.state-changed',
      'project.updated',
    ]);
  });
});

describe('the deletion of an absent project with a revision', () => {
  it('is not remembered if its key was used for another request', async () => {
    const world = new WorkWorld();
    const idempotency = { key: 'used', replayed: () => {} };
    await world.service.create(world.checked({}), world.call({ idempotency }));
    const deletion = world.service.delete(ref, { kind: 'project', revision: 3 }, world.call({ idempotency }));
    expect((await problemOf(deletion)).name).toBe('idempotency-key-reused');
    expect(await put(world, { segments: MENU }, { revision: 1 })).toMatchObject({ outcome: 'create' });
  });
});
