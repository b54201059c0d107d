import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import type { Batch, Commit } from '../../../lib/storage/port.ts';
import type { SourceAdmin, SourceIdentity } from '../../../lib/webhooks/source-admin.ts';
import { mappingKey, nameKey, sourceKey } from '../../../lib/webhooks/sources.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { senderOf } from '../../support/senders.ts';
import { NOW_MS } from '../support.ts';
import { sourceFor, sourceWorld } from './world.ts';

const sender = senderOf('standard-webhooks, v1');
const { secret, otherSecret } = sender;
const SOURCE = sourceFor(sender);
const THIRD = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';
const refusal = (text: RegExp) =>
  expect.objectContaining({ name: 'SourceRefusal', message: expect.stringMatching(text) });

/** A store whose next commit can be replaced by a function. */
class OddStorage extends MemoryStorage {
  next: ((batch: Batch) => Promise<Commit>) | undefined;

  override commit(batch: Batch): Promise<Commit> {
    const odd = this.next;
    this.next = undefined;
    return odd ? odd(batch) : super.commit(batch);
  }

  lose(isDone: boolean): void {
    this.next = async (batch) => {
      if (isDone) await super.commit(batch);
      throw new Problem('outcome-unknown', { detail: 'The answer was lost.' });
    };
  }
}

async function liveSecrets({ directory, secretsOf }: ReturnType<typeof sourceWorld>, name = 'cms') {
  const source = await directory.find(name);
  return source && secretsOf(source);
}

describe('a source', () => {
  it('keeps the two newest secrets after rotations, and one after the old ones are dropped', async () => {
    const world = sourceWorld();
    await world.sources.add(SOURCE, secret);
    await world.sources.rotate('cms', otherSecret);
    expect(await liveSecrets(world)).toEqual([otherSecret, secret]);
    await world.sources.rotate('cms', THIRD);
    expect(await liveSecrets(world)).toEqual([THIRD, otherSecret]);
    await world.sources.dropOld('cms');
    expect(await liveSecrets(world)).toEqual([THIRD]);
    await world.sources.dropOld('cms');
    expect(await liveSecrets(world)).toEqual([THIRD]);
    expect([...world.texts.values()]).toEqual([JSON.stringify([THIRD])]);
  });

  it('is gone at once when it is removed, with its secrets, and its name is free', async () => {
    const world = sourceWorld();
    await world.sources.add(SOURCE, secret);
    expect(await liveSecrets(world)).toEqual([secret]);
    await world.sources.remove('cms');
    expect([await world.directory.find('cms'), world.texts.size]).toEqual([undefined, 0]);
    await world.sources.add({ ...SOURCE, companyId: 'other' }, otherSecret);
    expect(await liveSecrets(world)).toEqual([otherSecret]);
  });

  it('is refused with an invalid name, company, mapping or secret, or if it exists', async () => {
    const { sources, texts } = sourceWorld();
    for (const name of ['', 'A', 'a/b', '-a', 'a_b', 'a'.repeat(64), 'ä'])
      await expect(sources.add({ ...SOURCE, name }, secret)).rejects.toEqual(refusal(/name/));
    await expect(sources.add({ ...SOURCE, companyId: 'a/b' }, secret)).rejects.toEqual(refusal(/company id/));
    await expect(sources.add({ ...SOURCE, companyId: 'nobody' }, secret)).rejects.toEqual(refusal(/no company/));
    await expect(sources.add({ ...SOURCE, mapping: 'é'.repeat(32_769) }, secret)).rejects.toEqual(refusal(/65536/));
    await expect(sources.add(SOURCE, 'CANARY')).rejects.toEqual(refusal(/^(?!.*CANARY).*whsec_/));
    await sources.add(SOURCE, secret);
    await expect(sources.add({ ...SOURCE, companyId: 'other' }, otherSecret)).rejects.toEqual(refusal(/already/));
    await expect(sources.rotate('cms', secret)).rejects.toEqual(refusal(/has this secret/));
    for (const work of [
      sources.rotate('none', secret),
      sources.dropOld('none'),
      sources.change('none', { mapping: 'null' }),
      sources.remove('none'),
      sources.get('a b'),
    ])
      await expect(work).rejects.toEqual(refusal(/no webhook source/));
    await expect(sources.change('cms', { mapping: 'é'.repeat(32_769) })).rejects.toEqual(refusal(/65536/));
    expect([...texts.values()]).toEqual([JSON.stringify([secret])]);
  });

  it('is listed with its mapping, for its company and for all', async () => {
    const { sources } = sourceWorld();
    await sources.add(SOURCE, secret);
    await sources.add({ ...SOURCE, name: 'shop', companyId: 'other', mapping: '"shop"' }, secret);
    await sources.add({ ...SOURCE, name: 'removed' }, secret);
    await sources.remove('removed');
    const listed = (companyId?: string) =>
      Array.fromAsync(sources.list(companyId), ({ name, mapping }) => [name, mapping]);
    expect(await listed()).toEqual([
      ['shop', '"shop"'],
      ['cms', SOURCE.mapping],
    ]);
    expect(await listed('acme')).toEqual([['cms', SOURCE.mapping]]);
    expect(await listed('nobody')).toEqual([]);
  });

  it('leaves no record in the store when it is removed', async () => {
    const { sources, store } = sourceWorld();
    await sources.add(SOURCE, secret);
    const source = await sources.get('cms');
    await sources.change('cms', { mapping: 'null' });
    await sources.rotate('cms', otherSecret);
    const keys = [sourceKey('cms'), mappingKey('cms', source), nameKey('cms')];
    expect((await Promise.all(keys.map((key) => store.read(key)))).map(Boolean)).toEqual([true, true, true]);
    await sources.remove('cms');
    expect(await Promise.all(keys.map((key) => store.read(key)))).toEqual([undefined, undefined, undefined]);
  });

  it('is read again if it is replaced while it is read', async () => {
    const world = sourceWorld();
    await world.sources.add(SOURCE, secret);
    let calls = 0;
    const sources = world.sourcesThrough(async (call) => {
      if (++calls === 2) {
        await world.sources.remove('cms');
        await world.sources.add({ ...SOURCE, companyId: 'other', mapping: '"other"' }, otherSecret);
      }
      return call();
    });
    expect(await sources.get('cms')).toMatchObject({ companyId: 'other', mapping: '"other"' });
  });

  it('gets another mapping, and keeps a secret that was added meanwhile', async () => {
    const store = new OddStorage();
    const world = sourceWorld(store);
    await world.sources.add(SOURCE, secret);
    store.next = async (batch) => {
      await world.sources.rotate('cms', otherSecret);
      return store.commit(batch);
    };
    await world.sources.change('cms', { mapping: 'null' });
    expect(await world.sources.get('cms')).toMatchObject({
      ...SOURCE,
      mapping: 'null',
      liveSecrets: 2,
      rotatedAtUtc: new Date(NOW_MS).toISOString(),
    });
    expect(await liveSecrets(world)).toEqual([otherSecret, secret]);
  });

  it('gets other scopes, with or without another mapping, and keeps everything else', async () => {
    const { sources } = sourceWorld();
    await sources.add(SOURCE, secret);
    const before = await sources.get('cms');
    await sources.change('cms', { scopes: ['create'] });
    expect(await sources.get('cms')).toEqual({ ...before, scopes: ['create'] });
    await sources.change('cms', { scopes: ['update', 'delete'], mapping: 'null' });
    const changed = { ...before, scopes: ['update', 'delete'], mapping: 'null' };
    expect(await sources.get('cms')).toEqual(changed);
    await sources.change('cms', { mapping: SOURCE.mapping });
    expect(await sources.get('cms')).toEqual({ ...changed, mapping: SOURCE.mapping });
    await sources.remove('cms');
    expect(await sources.find('cms')).toBeUndefined();
  });

  it('gets other scopes, and keeps a secret and a mapping that came meanwhile', async () => {
    const store = new OddStorage();
    const world = sourceWorld(store);
    await world.sources.add(SOURCE, secret);
    store.next = async (batch) => {
      await world.sources.rotate('cms', otherSecret);
      await world.sources.change('cms', { mapping: 'null' });
      return store.commit(batch);
    };
    await world.sources.change('cms', { scopes: ['create'] });
    expect(await world.sources.get('cms')).toMatchObject({ mapping: 'null', scopes: ['create'], liveSecrets: 2 });
    expect(await liveSecrets(world)).toEqual([otherSecret, secret]);
  });

  it('has the secrets of two concurrent rotations, and no other is stored', async () => {
    const world = sourceWorld();
    await world.sources.add(SOURCE, secret);
    await Promise.all([world.sources.rotate('cms', otherSecret), world.sources.rotate('cms', THIRD)]);
    const live = await liveSecrets(world);
    expect([...(live ?? [])].sort()).toEqual([otherSecret, THIRD].sort());
    expect([...world.texts.values()]).toEqual([JSON.stringify(live)]);
  });

  it.each([true, false])('stays usable if the answer to a rotation is lost, committed or not: %s', async (isDone) => {
    const store = new OddStorage();
    const world = sourceWorld(store);
    await world.sources.add(SOURCE, secret);
    store.lose(isDone);
    const rotation = world.sources.rotate('cms', otherSecret);
    if (isDone) await rotation;
    else await expect(rotation).rejects.toMatchObject({ name: 'outcome-unknown' });
    expect(await liveSecrets(world)).toEqual(isDone ? [otherSecret, secret] : [secret]);
  });

  it('leaves no secret if it cannot be added', async () => {
    const store = new OddStorage();
    store.next = async () => {
      throw new Problem('unavailable', {
        detail: 'Segue’s database is unavailable. Nothing was stored. Send the request again later.',
      });
    };
    const { sources, texts } = sourceWorld(store);
    await expect(sources.add(SOURCE, secret)).rejects.toMatchObject({ name: 'unavailable' });
    expect(texts.size).toBe(0);
  });
});

describe('a source whose name was given to another source meanwhile', () => {
  const NEW = { ...SOURCE, companyId: 'other', mapping: '"other"' };
  type World = ReturnType<typeof sourceWorld>;
  async function replaceSource({ sources }: World): Promise<void> {
    if (await sources.find('cms')) await sources.remove('cms');
    await sources.add({ ...NEW, mapping: 'null' }, THIRD);
    // Give it as many changes as the first source had.
    await sources.change('cms', { mapping: NEW.mapping });
  }

  async function expectNewSource(world: World): Promise<void> {
    expect(await world.sources.get('cms')).toMatchObject({ ...NEW, liveSecrets: 1 });
    expect(await liveSecrets(world)).toEqual([THIRD]);
    expect([...world.texts.values()]).toEqual([JSON.stringify([THIRD])]);
  }

  const changes: [string, (sources: SourceAdmin, source?: SourceIdentity) => Promise<void>][] = [
    ['rotate', (sources, source) => sources.rotate('cms', otherSecret, source)],
    ['dropOld', (sources, source) => sources.dropOld('cms', source)],
    ['change', (sources, source) => sources.change('cms', { mapping: 'null', scopes: ['create'] }, source)],
    ['remove', (sources, source) => sources.remove('cms', source)],
  ];

  it.each(changes.flatMap(([name, change]) => [true, false].map((isNamed) => [name, isNamed, change] as const)))(
    'keeps them at whichever call of %s it happens, with the source id: %s',
    async (_, isNamed, change) => {
      // Without the source id, the first call decides which source is changed.
      let replaceAt = isNamed ? 1 : 2;
      for (; ; replaceAt++) {
        let calls = 0;
        const world = sourceWorld();
        await world.sources.add(SOURCE, THIRD);
        await world.sources.rotate('cms', secret);
        const source = isNamed ? await world.sources.get('cms') : undefined;
        const sources = world.sourcesThrough(async (call) => {
          if (++calls === replaceAt) await replaceSource(world);
          return call();
        });
        const ended = await change(sources, source).catch((error: unknown) => error);
        if (calls < replaceAt) break;
        if (ended !== undefined) expect(ended).toEqual(refusal(/removed and added again/));
        await expectNewSource(world);
      }
      expect(replaceAt).toBeGreaterThan(2);
    },
  );

  it('has its secrets read again if a rotation deletes them meanwhile', async () => {
    const world = sourceWorld();
    await world.sources.add(SOURCE, secret);
    let isFirst = true;
    const sources = world.sourcesThrough(async (call, name) => {
      if (name === 'secrets.read' && isFirst) {
        isFirst = false;
        await world.sources.rotate('cms', THIRD);
      }
      return call();
    });
    await sources.rotate('cms', otherSecret);
    expect(await liveSecrets(world)).toEqual([otherSecret, THIRD]);
    expect(world.texts.size).toBe(1);
  });
});

describe('the secrets of a source', () => {
  it('are read once, until a rotation changes them', async () => {
    const world = sourceWorld();
    await world.sources.add(SOURCE, secret);
    await Promise.all(Array.from({ length: 20 }, () => liveSecrets(world)));
    world.clock.nowMs += 86_400_000;
    await liveSecrets(world);
    expect(world.reads).toHaveLength(1);
    await world.sources.rotate('cms', otherSecret);
    world.reads.length = 0;
    expect(await liveSecrets(world)).toEqual([otherSecret, secret]);
    expect(world.reads).toHaveLength(1);
  });

  it('are unavailable if they cannot be read, without the cause, and read again', async () => {
    const world = sourceWorld();
    await world.sources.add(SOURCE, secret);
    const kept = [...world.texts];
    world.texts.clear();
    const failed = await liveSecrets(world).catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: 'unavailable', occurrence: { retryAfterSeconds: 5 } });
    expect(String(Object(failed).cause)).not.toContain('CANARY');
    for (const [name, text] of kept) world.texts.set(name, text);
    expect(await liveSecrets(world)).toEqual([secret]);
  });
});
