import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite, temporaryFolder } from '../lib/storage/folder.ts';
import { creation, DeliveryWorld, putSource } from '../lib/webhooks/world.ts';
import { segueHere } from '../support/segue.ts';

/** A data folder with a dead letter of each source. */
async function withLetters() {
  const folder = temporaryFolder();
  const store = openSqlite(Date.now, folder);
  const world = new DeliveryWorld(store);
  world.nowMs = Date.now();
  const sources = { cms: 'acme', shop: 'other' };
  for (const [name, companyId] of Object.entries(sources)) {
    await putSource(store, { name, companyId, mapping: 'body' });
    world.sources.set(name, { name, companyId, mapping: 'body' });
    const message = { source: name, companyId, id: `id-of-${name}`, headers: { 'x-topic': 'canary topic' } };
    await world.inbox.accept(world.message({ create: { name: 'canary name' } }, message));
  }
  await world.run();
  return { folder, world, letters: (...args: string[]) => segueHere(folder, 'dead-letters', ...args) };
}

it('lists them by company or source, without what they say', async () => {
  const { letters } = await withLetters();
  const all = await letters('list');
  expect(all.stdout.split('\n').filter(Boolean)).toHaveLength(2);
  expect(all.stdout).toMatch(/^cms {2}id-of-cms {2}acme {2}\S+Z {2}1 {2}invalid-project$/m);
  expect(all.stdout).not.toContain('canary');
  expect((await letters('list', '--company', 'other')).stdout).toMatch(/^shop [^\n]+\n$/);
  expect(JSON.parse((await letters('list', '--source', 'cms', '--json')).stdout)).toMatchObject({
    source: 'cms',
    problem: 'invalid-project',
    errors: expect.arrayContaining([expect.objectContaining({ pointer: '/segments', code: 'required' })]),
  });
});

it('shows one with every fault, and what it says only where that is asked for', async () => {
  const { letters } = await withLetters();
  const shown = await letters('show', 'cms', 'id-of-cms');
  expect(JSON.parse(shown.stdout)).toMatchObject({ source: 'cms', attempts: 1, problem: 'invalid-project' });
  expect(shown.stdout).not.toContain('canary');
  expect(JSON.parse((await letters('show', 'cms', 'id-of-cms', '--payload')).stdout)).toMatchObject({
    headers: { 'x-topic': 'canary topic' },
    body: '{"create":{"name":"canary name"}}',
  });
});

it('lets one, those of a source or all be worked on again', async () => {
  const { letters, world } = await withLetters();
  expect(await letters('redrive', 'cms', 'id-of-cms')).toEqual({
    code: 0,
    stdout: 'Open again: cms id-of-cms\n',
    stderr: '',
  });
  expect((await letters('list')).stdout).toMatch(/^shop [^\n]+\n$/);
  world.nowMs = Date.now() + 1;
  expect(await world.run()).toMatchObject({ dead: 1, letters: 2 });
  expect((await letters('redrive', '--source', 'shop')).stdout).toBe('Open again: shop id-of-shop\n');
  expect((await letters('redrive', '--all')).stdout).toBe('Open again: cms id-of-cms\n');
  expect((await letters('list')).stdout).toBe('');
});

it('drops one for ever', async () => {
  const { letters, world } = await withLetters();
  expect((await letters('drop', '--company', 'acme')).stdout).toBe('Dropped: cms id-of-cms\n');
  expect((await letters('list')).stdout).toMatch(/^shop [^\n]+\n$/);
  expect(await world.letters.message({ source: 'cms', id: 'id-of-cms' })).toBeUndefined();
});

it('says where none is meant', async () => {
  const { letters } = await withLetters();
  for (const args of [
    ['redrive', '--source', 'none'],
    ['drop', '--source', 'cms', '--company', 'other'],
  ]) {
    expect(await letters(...args)).toEqual({ code: 0, stdout: 'There is none.\n', stderr: '' });
  }
});

it.each([
  [['show', 'cms', 'none']],
  [['redrive']],
  [['redrive', 'cms']],
  [['drop', 'cms', 'id-of-cms', '--all']],
  [['drop', '--all', '--source', 'cms']],
])('%j is refused in one line, and changes nothing', async (args) => {
  const { letters } = await withLetters();
  const { code, stdout, stderr } = await letters(...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^segue: [^\n]+\n$/);
  expect((await letters('list')).stdout.split('\n')).toHaveLength(3);
});

it('source test prints the command that a sample would become, or every fault', async () => {
  const { folder } = await withLetters();
  const sample = join(folder, 'sample.json');
  const test = (...args: string[]) => segueHere(folder, 'source', 'test', 'cms', '--sample', sample, ...args);
  writeFileSync(sample, JSON.stringify(creation({ customId: 'page' })));
  const good = await test();
  expect([good.code, JSON.parse(good.stdout)]).toEqual([0, creation({ customId: 'page' })]);
  writeFileSync(sample, JSON.stringify(creation({ name: null, segments: [] })));
  const { code, stdout, stderr } = await test();
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^\/name {2}required {2}.+\n\/segments {2}too-few {2}.+\nsegue: [^\n]+\n$/);

  const mapping = join(folder, 'mapping.jsonata');
  writeFileSync(mapping, 'headers."x-topic" = "made" ? body.page');
  writeFileSync(sample, JSON.stringify({ headers: { 'X-Topic': 'none' }, body: {} }));
  expect((await test('--mapping', mapping)).stdout).toBe('It asks for nothing.\n');
  writeFileSync(mapping, 'body.page(');
  expect((await test('--mapping', mapping)).stderr).toBe(
    'segue: The mapping fails at line 1, column 11: expected `)`.\n',
  );
  const none = await segueHere(folder, 'source', 'test', 'none', '--sample', sample);
  expect(none).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/^segue: there is no source[^\n]+\n$/) });
});
