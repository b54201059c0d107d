import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { runCreation } from '../../../lib/service/command.ts';
import { openSqlite, temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { DeliveryWorld, failingService, putSource } from '../../../test/lib/webhooks/world.ts';
import { smallProject } from '../../../test/support/projects.ts';
import { rowsIn, segueHere } from '../../../test/support/segue.ts';

/** Creates a data folder with one dead letter of each of two sources. */
async function world() {
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
  return {
    world,
    store,
    folder,
    letters: (...args: string[]) => segueHere(folder, 'dead-letters', ...args),
    source: (...args: string[]) => segueHere(folder, 'source', ...args),
  };
}

describe('segue dead-letters', () => {
  it('list shows them by company or source, without content', async () => {
    const { letters } = await world();
    const all = rowsIn((await letters('list')).stdout);
    expect(all.split('\n').filter(Boolean)).toHaveLength(2);
    expect(all).toMatch(/^cms {2}id-of-cms {2}acme {2}\S+Z {2}1 {2}invalid-project$/m);
    expect(all).not.toContain('canary');
    expect(rowsIn((await letters('list', '--company', 'other')).stdout)).toMatch(/^shop [^\n]+\n$/);
    expect(JSON.parse((await letters('list', '--source', 'cms', '--json')).stdout)).toMatchObject({
      source: 'cms',
      problem: 'invalid-project',
      errors: expect.arrayContaining([expect.objectContaining({ pointer: '/segments', code: 'required' })]),
    });
  });

  it('list explains its column CHANGED in --help', async () => {
    const { letters } = await world();
    expect((await letters('list', '--help')).stdout.replace(/\s+/g, ' ')).toMatch(/CHANGED: .*deleted, or created/);
  });

  it('show prints one with every fault, and its content only with --payload', async () => {
    const { letters } = await world();
    const shown = await letters('show', 'cms', 'id-of-cms');
    expect(JSON.parse(shown.stdout)).toMatchObject({ source: 'cms', attempts: 1, problem: 'invalid-project' });
    expect(shown.stdout).not.toContain('canary');
    expect(JSON.parse((await letters('show', 'cms', 'id-of-cms', '--payload')).stdout)).toMatchObject({
      headers: { 'x-topic': 'canary topic' },
      body: '{"create":{"name":"canary name"}}',
    });
  });

  it('redrive --dry-run says what each would do or why it would fail, and changes nothing', async () => {
    const { letters, world: deliveries } = await world();
    const deletion = { delete: { scope: 'project', customId: 'page' } };
    const late = { source: 'cms', companyId: 'acme', id: 'late' };
    await deliveries.inbox.accept(deliveries.message({ create: 5 }, late));
    await deliveries.run();
    await deliveries.inbox.accept(deliveries.message(deletion, { ...late, id: 'fine' }));
    await deliveries.run({ service: failingService(deliveries, new Problem('upstream-refused', { detail: 'No.' })) });
    const before = (await letters('list')).stdout;
    const { code, stdout, stderr } = await letters('redrive', '--source', 'cms', '--dry-run');
    expect(code).toBe(0);
    expect(stdout.split('\n').toSorted()).toEqual([
      '',
      'Would fail: cms id-of-cms',
      'Would fail: cms late',
      'Would run 1 deletion: cms fine',
    ]);
    expect(stderr).toMatch(/^\/segments {2}required /m);
    const shown = await letters('redrive', 'cms', 'fine', '--dry-run', '--json');
    expect(JSON.parse(shown.stdout)).toEqual({
      ...{ source: 'cms', id: 'fine', result: 'would run' },
      ...{ commands: 1, puts: [null] },
    });
    expect((await letters('list')).stdout).toBe(before);
  });

  it('show says how to try a mapping with its message', async () => {
    const { folder, letters, source } = await world();
    const { stderr } = await letters('show', 'cms', 'id-of-cms');
    expect(stderr).toContain('segue source test cms --delivery id-of-cms --mapping <file>\n');
    const test = (...args: string[]) => source('test', 'cms', '--delivery', 'id-of-cms', ...args);
    const failed = await test();
    expect(failed).toMatchObject({ code: 2, stdout: '' });
    expect(failed.stderr).toMatch(/^\/segments {2}required [\s\S]*rules of the contract\.\n$/m);
    expect(failed.stderr).not.toContain('Nothing was stored');
    const mapping = join(folder, 'mapping.jsonata');
    writeFileSync(mapping, '{ "delete": { "scope": "project", "customId": headers."x-topic" } }');
    expect(JSON.parse((await test('--mapping', mapping, '--json')).stdout)).toEqual({
      commands: [{ delete: { scope: 'project', customId: 'canary topic' } }],
    });
    expect(await source('test', 'cms')).toMatchObject({ code: 2, stderr: expect.stringContaining('--delivery <id>') });
    expect((await source('test', 'cms', '--delivery', 'x')).stderr).toMatch(/no message of this delivery/);
  });

  it('source test refuses for a delivery what its redrive would refuse', async () => {
    const { folder, source, world: deliveries } = await world();
    const page = (customId: string, fields: object = {}) => ({ create: smallProject({ customId, ...fields }) });
    const due = { startDateUtc: null, endDateUtc: null };
    const given = [page('one', due), page('two', { ...due, name: null })];
    await deliveries.inbox.accept(deliveries.message(given, { id: 'two', receivedAtMs: deliveries.nowMs }));
    const at = '$map(body, function($command) { $merge([$command, { "create": $merge([$command.create, {';
    const mappingOf = (fields: string) =>
      `${at} "endDateUtc": $fromMillis($millis() + 3600000), "description": "x" ${fields} }]) }]) })`;
    const mapping = mappingOf('');
    deliveries.gives(
      given.map(({ create }) => ({
        create: { ...create, description: 'x', endDateUtc: new Date(deliveries.nowMs + 3_600_000).toISOString() },
      })),
    );
    expect(await deliveries.run()).toMatchObject({ dead: 1 });
    const test = (text: string) => {
      const file = join(folder, 'corrected.jsonata');
      writeFileSync(file, text);
      return source('test', 'cms', '--delivery', 'two', '--mapping', file);
    };
    expect(await test(mapping)).toMatchObject({ code: 2, stderr: expect.stringMatching(/^\/1\/name {2}required/m) });
    expect(await test(mappingOf(', "name": "Two"'))).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'segue: The mapping no longer returns command 1 of the earlier attempt, which ran or may have run. A corrected mapping must still return it unchanged.\n',
    });
    expect(await test('[]')).toMatchObject({ code: 2, stderr: expect.stringContaining('returns command 1') });
    const corrected = mappingOf(', "name": $command.create.name ? $command.create.name : "Two"');
    expect(await test(corrected)).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Command 2 has 1 segment/) });
  });

  it('redrive opens one, those of a source or all again', async () => {
    const { letters, world: deliveries } = await world();
    const redriven = await letters('redrive', 'cms', 'id-of-cms');
    expect(redriven).toEqual({
      code: 0,
      stdout: 'Open again: cms id-of-cms\n',
      stderr: 'To see a result, run: npx --no-install segue source delivery <source> <id>\n',
    });
    expect(rowsIn((await letters('list')).stdout)).toMatch(/^shop [^\n]+\n$/);
    deliveries.nowMs = Date.now() + 1;
    expect(await deliveries.run()).toMatchObject({ dead: 1, letters: 2 });
    expect((await letters('redrive', '--source', 'shop')).stdout).toBe('Open again: shop id-of-shop\n');
    expect((await letters('redrive', '--all')).stdout).toBe('Open again: cms id-of-cms\n');
    expect((await letters('list')).stdout).toBe('');
  });

  it('redrive warns of a deletion since, and leaves such a letter out unless it is named', async () => {
    const { letters, world: deliveries, store } = await world();
    const service = deliveries.hosted({ storage: store });
    await deliveries.inbox.accept(
      deliveries.message({ create: { customId: 'page' } }, { id: 'id-of-page', receivedAtMs: deliveries.nowMs }),
    );
    await deliveries.run({ service });
    deliveries.nowMs += 1_000;
    await runCreation(
      service,
      smallProject({ customId: 'page', startDateUtc: null }),
      deliveries.call(),
      deliveries.nowMs,
    );
    await service.delete({ customId: 'page' }, { kind: 'project' }, deliveries.call());
    expect((await letters('list')).stdout).toMatch(/^cms +id-of-page .* deleted$/m);
    expect(JSON.parse((await letters('show', 'cms', 'id-of-page')).stdout)).toMatchObject({
      changedSince: { deletedAtUtc: expect.stringMatching(/Z$/) },
    });
    const all = await letters('redrive', '--source', 'cms');
    expect(all.stdout).toMatch(
      /^Not redriven, because a project of this message was deleted at .* name it: cms id-of-page$/m,
    );
    expect(all.stdout).toMatch(/^Open again: cms id-of-cms$/m);
    const one = await letters('redrive', 'cms', 'id-of-page');
    expect(one.stderr).toMatch(/^Warning: a project of this message was deleted at .*: it may be created again\.\n/);
    expect(one.stdout).toBe('Open again: cms id-of-page\n');
  });

  it('drop erases one permanently', async () => {
    const { letters, world: deliveries } = await world();
    expect((await letters('drop', '--company', 'acme')).stdout).toBe('Dropped: cms id-of-cms\n');
    expect(rowsIn((await letters('list')).stdout)).toMatch(/^shop [^\n]+\n$/);
    expect(await deliveries.letters.message({ source: 'cms', id: 'id-of-cms' })).toBeUndefined();
  });

  it('every command says that there is no dead letter', async () => {
    const { letters } = await world();
    for (const args of [
      ['redrive', '--source', 'none'],
      ['drop', '--source', 'cms', '--company', 'other'],
    ])
      expect(await letters(...args)).toEqual({ code: 0, stdout: '', stderr: 'No dead letters found.\n' });
  });

  it('refuses an unclear selection in one line, and changes nothing', async () => {
    const { letters } = await world();
    for (const args of ['redrive', 'redrive cms', 'drop cms id-of-cms --all', 'drop --all --source cms']) {
      const { code, stdout, stderr } = await letters(...args.split(' '));
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(stderr).toMatch(/^segue: [^\n]+\n$/);
    }
    expect((await letters('list')).stdout.split('\n')).toHaveLength(4);
  });

  it('says why there is no dead letter: no such source or delivery, or it was dropped', async () => {
    const { letters } = await world();
    await letters('drop', 'cms', 'id-of-cms');
    expect((await letters('show', 'cms', 'id-of-cms')).stderr).toMatch(/it was dropped, so its message is gone\n$/);
    expect((await letters('show', 'none', 'x')).stderr).toMatch(/^segue: no webhook source has this name/);
  });
});
