import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import { runCreation } from '../../../lib/service/command.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { NOW_MS, project } from '../support.ts';
import { creation, DAY_MS, DeliveryWorld, identity, worldWith } from './world.ts';

async function deadLetter(body: unknown = { create: {} }) {
  const { world, message } = await worldWith(body);
  await world.run();
  return { world, message, letter: await world.deadLetter() };
}

it('redrives a dead letter as new, with the mapping of that time', async () => {
  const { world, message, letter } = await deadLetter();
  world.nowMs += DAY_MS;
  expect(await world.letters.redrive(letter)).toBe(true);
  expect(await world.dead()).toEqual([]);
  expect(await world.stateOf(message)).toMatchObject({ kind: 'open', attempts: 0 });
  expect(await world.inbox.accept(message)).toBe('repeated');
  const apply = async () => creation({ customId: 'page' });
  expect(await world.run({ mapper: { ...identity, apply } })).toMatchObject({ done: 1, dead: 0, letters: 0 });
  expect(await world.made()).toEqual(['page']);
});

describe('a dead letter whose project changed after its message came', () => {
  /** Makes a dead letter whose commands name two custom ids, on the store of the projects. */
  async function world(commands: unknown = [{ create: { customId: 'page' } }, remove('other')]) {
    const store = new MemoryStorage();
    const world = new DeliveryWorld(store);
    const service = world.hosted({ storage: store });
    const message = world.message(commands);
    await world.inbox.accept(message);
    await world.run({ service });
    const changed = async () => world.letters.changedSince(await world.deadLetter());
    return {
      world,
      store,
      changed,
      make: async (customId: string) => runCreation(service, project({ customId }), world.call(), world.nowMs),
      remove: (customId: string) => service.delete({ customId }, { kind: 'project' }, world.call()),
    };
  }
  const remove = (customId: string) => ({ delete: { scope: 'project', customId } });

  it('is unmarked before that', async () => {
    const { changed } = await world();
    expect(await changed()).toBeUndefined();
  });

  it('has the times of the deletion and of the new creation', async () => {
    const { world: deliveries, changed, make, remove } = await world();
    const at = (seconds: number) => utc(NOW_MS + seconds * 1_000);
    deliveries.nowMs += 1_000;
    await make('page');
    expect(await changed()).toEqual({ createdAtUtc: at(1) });
    deliveries.nowMs += 1_000;
    await remove('page');
    expect(await changed()).toEqual({ deletedAtUtc: at(2) });
    deliveries.nowMs += 1_000;
    await make('page');
    expect(await changed()).toEqual({ deletedAtUtc: at(2), createdAtUtc: at(3) });
  });

  it('is unmarked for what the message itself has done', async () => {
    const created = await world([{ create: project({ customId: 'page' }) }, { create: { customId: 'refused' } }]);
    expect(await created.changed()).toBeUndefined();
    const replaced = await world([remove('page'), { create: { customId: 'page' } }]);
    replaced.world.nowMs += 1_000;
    await replaced.make('page');
    expect(await replaced.changed()).toBeUndefined();
  });

  it('is unmarked if its commands have revisions, which protect newer projects', async () => {
    const deletion = { delete: { scope: 'task', taskId: 't', revision: 1, customId: 'other' } };
    const { world: deliveries, changed, make } = await world([{ put: { customId: 'page' }, revision: 1 }, deletion]);
    deliveries.nowMs += 1_000;
    await make('page');
    await make('other');
    expect(await changed()).toBeUndefined();
    const unprotected = await world([{ put: { customId: 'page' } }]);
    unprotected.world.nowMs += 1_000;
    await unprotected.make('page');
    expect(await unprotected.changed()).toMatchObject({ createdAtUtc: expect.any(String) });
  });

  it('keeps no custom id itself', async () => {
    const { store } = await world([{ create: { customId: 'canary-id' } }]);
    const states = store.all().filter(({ sort }) => sort === 'state');
    expect(states).toHaveLength(1);
    expect(JSON.stringify(states)).not.toContain('canary-id');
  });

  it('is unmarked if the project is older than the message, or belongs to another company', async () => {
    const store = new MemoryStorage();
    const deliveries = new DeliveryWorld(store);
    const service = deliveries.hosted({ storage: store });
    await runCreation(service, project({ customId: 'page' }), deliveries.call(), deliveries.nowMs);
    deliveries.nowMs += 1_000;
    await deliveries.inbox.accept(deliveries.message({ create: { customId: 'page' } }));
    await deliveries.run({ service });
    deliveries.nowMs += 1_000;
    await runCreation(
      service,
      project({ customId: 'page' }),
      deliveries.call({ companyId: 'other' }),
      deliveries.nowMs,
    );
    expect(await deliveries.letters.changedSince(await deliveries.deadLetter())).toBeUndefined();
  });
});

it('says of one value in place of a list how a mapping keeps the list', async () => {
  const { letter } = await deadLetter({ create: project({ segments: { content: 'x' } }) });
  expect(letter.failure.errors).toMatchObject([
    { pointer: '/segments', detail: expect.stringMatching(/write \[\] after the path/) },
  ]);
});

it('drops everything of a dead letter but its id', async () => {
  const { world, message, letter } = await deadLetter({ create: { name: 'canary' } });
  await world.letters.drop(letter);
  expect(await world.dead()).toEqual([]);
  expect(await world.letters.message(message)).toBeUndefined();
  const stored = JSON.stringify(world.store instanceof MemoryStorage ? world.store.all() : undefined);
  expect(stored).not.toContain(Buffer.from(message.body).toString('base64').slice(0, 20));
  expect(await world.inbox.accept(message)).toBe('repeated');
  expect(await world.letters.redrive(letter)).toBe(false);
  expect(await world.run()).toMatchObject({ dead: 0, letters: 0, done: 0 });
});

it('keeps the message for two weeks from its receipt, and the dead letter for two weeks from its end', async () => {
  const { world, message, letter } = await deadLetter();
  world.nowMs += 14 * DAY_MS - 1;
  expect(await world.letters.message(message)).toBeDefined();
  expect(await world.dead()).toHaveLength(1);
  world.nowMs++;
  expect(await world.letters.message(message)).toBeUndefined();
  expect(await world.letters.redrive(letter)).toBe(false);
  expect(await world.dead()).toEqual([]);
  expect(await world.run()).toMatchObject({ letters: 0 });
});
