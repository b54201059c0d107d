import { expect, it } from 'vitest';
import type { SignedSource } from '../../../lib/webhooks/sources.ts';
import { rememberUnknown } from '../../../lib/webhooks/unknown-sources.ts';
import { TestClock } from '../../support/world.ts';
import { NOW_MS } from '../support.ts';

/** Returns a directory with a cache, its reads, and what they find. */
function world() {
  const clock = new TestClock();
  const reads: string[] = [];
  const stored = new Map<string, SignedSource>();
  const find = async (name: string) => {
    reads.push(name);
    return stored.get(name);
  };
  return { clock, reads, stored, ...rememberUnknown({ find }, clock.now) };
}

const source: SignedSource = {
  name: 'cms',
  companyId: 'acme',
  scheme: { name: 'standard-webhooks' },
  secretsAt: 'nowhere',
};

it('reads an unknown name once in five seconds, and then finds a new source', async () => {
  const { clock, reads, stored, find } = world();
  expect([await find('cms'), await find('cms')]).toEqual([undefined, undefined]);
  stored.set('cms', source);
  clock.nowMs += 4_999;
  expect([await find('cms'), reads]).toEqual([undefined, ['cms']]);
  clock.nowMs += 1;
  expect([await find('cms'), reads]).toEqual([source, ['cms', 'cms']]);
});

it('reads a known source each time, so that its removal takes effect at once', async () => {
  const { reads, stored, find } = world();
  stored.set('cms', source);
  expect([await find('cms'), await find('cms')]).toEqual([source, source]);
  stored.delete('cms');
  expect([await find('cms'), reads.length]).toEqual([undefined, 3]);
});

it('reads again if the clock was set back', async () => {
  const { clock, reads, find } = world();
  await find('cms');
  clock.nowMs -= 3_600_000;
  await find('cms');
  expect(reads).toHaveLength(2);
});

it('does not remember a failed read', async () => {
  const find = () => Promise.reject(new Error('unavailable'));
  const cached = rememberUnknown({ find }, () => NOW_MS);
  for (const _ of [1, 2]) await expect(cached.find('cms')).rejects.toThrow('unavailable');
});

it('forgets the oldest of more than a thousand names, and never keeps an invalid one', async () => {
  const { reads, find } = world();
  for (let number = 0; number <= 1_000; number++) await find(`name-${number}`);
  for (let number = 0; number < 2_000; number++) await find(`x/${'x'.repeat(number)}`);
  expect(reads).toHaveLength(1_001);
  await find('name-1000');
  await find('name-1');
  expect(reads).toHaveLength(1_001);
  await find('name-0');
  expect(reads).toHaveLength(1_002);
});
