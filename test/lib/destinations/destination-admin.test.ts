import { describe, expect, it } from 'vitest';
import { destinationAdmin } from '../../../lib/destinations/destination-admin.ts';
import { MAX_DESTINATIONS } from '../../../lib/destinations/destinations.ts';
import { feedEndKey, readFeedEnd } from '../../../lib/records/feed-record.ts';
import { FEWER_WAYS, faulty, storeFailure } from '../../faults/faulty.ts';
import { itemsThrough } from '../webhooks/world.ts';
import { DestinationWorld } from './world.ts';

const SECRET = { header: 'Authorization', secret: 'Bearer CANARY' };

async function feedOf(world: DestinationWorld, companyId = 'acme') {
  const item = await world.storage.read(feedEndKey(companyId));
  return item && readFeedEnd(item.data).destinations;
}

describe('destinations', () => {
  it('are listed by company, and known to whoever moves events', async () => {
    const world = new DestinationWorld();
    const { destinationId: id } = await world.add();
    await world.add({ name: 'shop', companyId: 'other' });
    expect((await Array.fromAsync(world.admin.list('acme'))).map(({ name }) => name)).toEqual(['cms']);
    expect(await Array.fromAsync(world.admin.list())).toHaveLength(2);
    expect(await feedOf(world)).toEqual([{ id, name: 'cms', on: ['language.completed'] }]);
    await world.admin.change('cms', { on: ['project.created', 'project.created'] });
    expect(await feedOf(world)).toEqual([{ id, name: 'cms', on: ['project.created'] }]);
    await world.admin.remove('cms');
    expect(await feedOf(world)).toEqual([]);
    expect(await Array.fromAsync(world.admin.list('acme'))).toEqual([]);
  });

  it('keep the positions of the feed', async () => {
    const world = new DestinationWorld();
    await world.page({ a: 'one' });
    await world.move();
    const before = await world.storage.read(feedEndKey('acme'));
    await world.add();
    expect(Object(await world.storage.read(feedEndKey('acme'))).data).toMatchObject(Object(before?.data));
  });

  it.each([
    ['a wrong name', { name: '-a' }, 'the name'],
    ['a wrong company', { companyId: 'a b' }, 'a company id'],
    ['no event', { on: [] }, 'the events'],
    ['an unknown event', { on: ['language.done'] }, 'the events'],
    ['no host', { hosts: [] }, 'hosts'],
    ['a URL as host', { hosts: ['https://a.example'] }, 'hosts'],
    ['a long mapping', { mapping: 'x'.repeat(65_537) }, 'the mapping'],
  ])('are refused with %s', async (_, fields, text) => {
    const world = new DestinationWorld();
    await expect(world.add(fields)).rejects.toThrow(text);
    expect(world.storage.all()).toEqual([]);
  });

  it.each(['', ' a', 'a\nb', 'ä', 'x'.repeat(4_097)])('are refused with the secret %j', async (secret) => {
    const world = new DestinationWorld();
    await expect(world.add({}, { header: 'X-Token', secret })).rejects.toThrow('the secret of a destination must');
    expect(world.secrets.texts.size).toBe(0);
  });

  it('are refused with a header of Segue for the secret', async () => {
    await expect(new DestinationWorld().add({}, { header: 'Host', secret: 'a' })).rejects.toThrow('the header');
  });

  it('have unique names, and a company has a limited number', async () => {
    const world = new DestinationWorld();
    await world.add({}, SECRET);
    await expect(world.add({ companyId: 'other' }, SECRET)).rejects.toThrow('already has this name');
    for (let n = 1; n < MAX_DESTINATIONS; n++) await world.add({ name: `d${n}` });
    await expect(world.add({ name: 'more' })).rejects.toThrow('which is the most');
    expect(world.secrets.texts.size).toBe(1);
  });

  it('are added in spite of events that are moved meanwhile', async () => {
    const world = new DestinationWorld();
    await world.page({ a: 'one' });
    await world.move();
    let isMoved = false;
    const store = itemsThrough(world.storage, async (call) => {
      const result = await call();
      if (!isMoved) {
        isMoved = true;
        await world.page({ b: 'two' });
        await world.move();
      }
      return result;
    });
    const { secretStore } = world.secrets;
    const admin = destinationAdmin({ store, secretStore, isCompany: async () => true, now: world.now });
    const fields = { name: 'cms', companyId: 'acme', mapping: 'null', on: ['project.created'], hosts: ['a.example'] };
    await admin.add(fields, SECRET);
    expect(world.secrets.texts.size).toBe(1);
    expect(await feedOf(world)).toHaveLength(1);
  });

  it('need the hosted service', async () => {
    const { storage: store, secrets, now } = new DestinationWorld();
    const { secretStore } = secrets;
    const isHosted = async () => false;
    const admin = destinationAdmin({ store, secretStore, isCompany: async () => true, isHosted, now });
    const fields = { name: 'cms', companyId: 'acme', mapping: 'null', on: ['project.created'], hosts: ['a.example'] };
    await expect(admin.add(fields)).rejects.toThrow('only the hosted service sends results');
  });

  it.each(FEWER_WAYS)('are whole or absent if the store %s', async (way) => {
    for (let call = 1; ; call++) {
      const world = new DestinationWorld();
      const broken = faulty((n) => (n === call ? way : undefined), storeFailure);
      const store = itemsThrough(world.storage, broken.through);
      const { secretStore } = world.secrets;
      const admin = destinationAdmin({ store, secretStore, isCompany: async () => true, now: world.now });
      const fields = { name: 'cms', companyId: 'acme', mapping: 'null', on: ['project.created'], hosts: ['a.example'] };
      await Promise.race([admin.add(fields, SECRET).catch(() => {}), broken.stopped]);
      const known = await world.admin.find('cms');
      expect(((await feedOf(world)) ?? []).map(({ id }) => id)).toEqual(known ? [known.destinationId] : []);
      if (known) expect(await world.admin.secret(known)).toBe(SECRET.secret);
      if (broken.calls() < call) return;
    }
  });
});
