import { expect, it } from 'vitest';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { creation, DAY_MS, identity, worldWith } from './world.ts';

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
