import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkProject } from '../../../lib/contract/check-project.ts';
import { secretFiles } from '../../../lib/credentials/secret-files.ts';
import { resultOpener } from '../../../lib/destinations/deliveries.ts';
import { readDestination } from '../../../lib/destinations/destinations.ts';
import { resultSender } from '../../../lib/destinations/result-sender.ts';
import { claimStore } from '../../../lib/storage/store-owner.ts';
import { openSqlite, temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { callContext } from '../../../test/lib/support.ts';
import { smallProject } from '../../../test/support/projects.ts';
import { addCompany, rowsIn, segueHere, segueIn } from '../../../test/support/segue.ts';
import { hosted } from '../../../test/support/world.ts';

const MAPPING = '{ "method": "PUT", "url": "https://cms.example/" & project.id, "body": segments.translation }';

/** A data folder with the company `acme`, and a file with a mapping. */
async function folderWith(mapping = MAPPING) {
  const folder = temporaryFolder();
  await addCompany(folder, 'acme');
  const file = join(folder, 'mapping.jsonata');
  writeFileSync(file, mapping);
  const about = ['--company', 'acme', '--on', 'language.completed', '--mapping', file, '--host', 'cms.example'];
  const add = (...more: string[]) => segueHere(folder, 'destination', 'add', 'cms', ...about, ...more);
  return { folder, file, about, add, segue: (...args: string[]) => segueHere(folder, 'destination', ...args) };
}

describe('segue destination', () => {
  it('adds, lists, changes and removes a destination', async () => {
    const { add, segue } = await folderWith();
    expect(await add()).toMatchObject({ code: 0, stdout: expect.stringContaining('results go to cms.example') });
    expect(rowsIn((await segue('list')).stdout)).toMatch(/^cms {2}acme {2}language\.completed {2}cms\.example {2}/);
    expect(await segue('change', 'cms', '--on', 'project.created,project.deleted')).toMatchObject({ code: 0 });
    expect(await segue('change', 'cms', '--host', 'a.example', 'b.example:8443')).toMatchObject({ code: 0 });
    expect((await segue('list', '--company', 'acme')).stdout).toContain('a.example,b.example:8443');
    expect((await segue('list', '--company', 'other')).stderr).toBe('No destinations.\n');
    expect(await segue('remove', 'cms')).toMatchObject({ code: 0 });
    expect(await segue('remove', 'cms')).toMatchObject({ code: 1, stderr: expect.stringContaining('no destination') });
  });

  it('keeps a secret out of the store and out of the output', async () => {
    const { folder, about, segue } = await folderWith();
    const withSecret = (secret: string, ...args: string[]) =>
      segueIn(folder, { readStdin: async () => `${secret}\n` }, 'destination', ...args, '--secret-from-stdin');
    const ends = [
      await withSecret('CANARY one', 'add', 'cms', ...about, '--secret-header', 'X-Token'),
      await withSecret('CANARY two', 'rotate', 'cms'),
      await segue('list'),
    ];
    for (const { code, stdout, stderr } of ends)
      expect([code, stderr, stdout.includes('CANARY')]).toEqual([0, '', false]);
    const destination = await readDestination(openSqlite(Date.now, folder), 'cms');
    const secrets = secretFiles(folder, 'destination-secrets');
    expect(JSON.stringify(destination)).not.toContain('CANARY');
    const empty = await withSecret('', 'rotate', 'cms');
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('standard input was empty') });
    expect(await secrets.read(destination?.secretsAt ?? '')).toBe('["CANARY two"]');
  });

  it.each([
    ['a mapping with a fault', '{ "method": }', [], 'mapping.jsonata'],
    ['a header without a secret', MAPPING, ['--secret-header', 'X-Token'], 'together'],
    ['an unknown event', MAPPING, ['--on', 'language.done'], 'one or more of project.created'],
    ['an unknown company', MAPPING, ['--company', 'nobody'], 'no company has this id'],
    ['a URL as host', MAPPING, ['--host', 'https://cms.example'], 'a destination needs 1 to 20 hosts'],
  ])('refuses %s', async (_, mapping, more, text) => {
    const { add } = await folderWith(mapping);
    const { code, stderr } = await add(...more);
    expect(code).not.toBe(0);
    expect(stderr).toContain(text);
  });

  it('says that only the hosted service has results', async () => {
    const { folder, add } = await folderWith();
    const store = openSqlite(Date.now, folder);
    await claimStore(store, 'upstream');
    store.close();
    expect(await add()).toMatchObject({ code: 1, stderr: expect.stringContaining('only the hosted service') });
  });

  it('tests a mapping with a project, by its id or custom id, and shows every fault', async () => {
    const { folder, add, segue } = await folderWith();
    const store = openSqlite(Date.now, folder);
    await claimStore(store, 'hosted');
    const service = hosted({ storage: store, now: Date.now });
    const project = checkProject(smallProject({ customId: 'page' }), { nowMs: Date.now(), toleranceMs: 60_000 });
    const { id } = await service.create(project, callContext());
    store.close();
    await add();
    for (const name of [String(id), 'page']) {
      const { code, stdout } = await segue('test', 'cms', '--project', name, '--language', 'de');
      expect([code, stdout]).toEqual([1, '']);
      const shown = await segue('test', 'cms', '--project', name, '--language', 'de-DE');
      expect(JSON.parse(shown.stdout)).toMatchObject({ method: 'PUT', url: `https://cms.example/${id}` });
    }
    const none = await segue('test', 'cms', '--project', 'none', '--language', 'de-DE');
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('no project with this id') });
    const wrong = join(folder, 'wrong.jsonata');
    writeFileSync(wrong, '[{ "method": "PUT", "url": "https://evil.example/" }, { "method": "x" }]');
    const faults = await segue('test', 'cms', '--project', 'page', '--language', 'de-DE', '--mapping', wrong);
    expect(faults.code).toBe(2);
    expect(faults.stderr.match(/^request \d/gm)).toEqual(['request 1', 'request 2', 'request 2']);
    await segue('change', 'cms', '--fetch', '"https://evil.example/" & project.customId');
    const unread = await segue('test', 'cms', '--project', 'page', '--language', 'de-DE');
    expect(unread).toMatchObject({ code: 1, stderr: expect.stringContaining('host that is not allowed') });
  });

  it('adds, changes and removes the fetch of a page', async () => {
    const { folder, add, segue } = await folderWith();
    const fetchOf = async () => (await readDestination(openSqlite(Date.now, folder), 'cms'))?.fetch;
    expect(await add('--fetch', '"https://cms.example/" &')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--fetch:1:'),
    });
    expect(await add('--fetch', `1${' '.repeat(5_000)}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('4096'),
    });
    expect(await add('--fetch', '"https://cms.example/1"')).toMatchObject({ code: 0 });
    expect(await fetchOf()).toBe('"https://cms.example/1"');
    expect(JSON.parse((await segue('list', '--json')).stdout)).toMatchObject({ fetch: '"https://cms.example/1"' });
    await segue('change', 'cms', '--host', 'a.example');
    expect(await fetchOf()).toBe('"https://cms.example/1"');
    expect(await segue('change', 'cms', '--fetch', '"https://cms.example/2"')).toMatchObject({ code: 0 });
    expect(await fetchOf()).toBe('"https://cms.example/2"');
    expect(await segue('change', 'cms', '--no-fetch')).toMatchObject({ code: 0 });
    expect(await fetchOf()).toBeUndefined();
  });

  it('lists, shows and redrives dead letters', async () => {
    const { folder, add, segue } = await folderWith();
    await add();
    const store = openSqlite(Date.now, folder);
    const destination = await readDestination(store, 'cms');
    const event = { id: 'event', type: 'project.deleted', timestamp: '2026-11-20T09:30:00.000Z', sequence: 2 } as const;
    const toSend = {
      companyId: 'acme',
      destination: { id: destination?.destinationId ?? '', name: 'cms' },
      event: { ...event, data: { projectId: 7 } },
    };
    await resultOpener(store, Date.now)(toSend);
    const never = () => Promise.reject(new Error('Never'));
    await resultSender({
      store,
      now: Date.now,
      random: () => 0,
      findDestination: async () => destination && { ...destination, on: ['project.deleted'] },
      reads: { project: never, segments: never },
      mapper: { applyToJson: async () => ({ method: 'POST', url: 'https://evil.example/' }) },
      openGetEntries: never,
      secretOf: never,
      requireCompany: async () => undefined,
      send: never,
    }).workOnDue({ remainingMs: () => 50_000 });
    store.close();
    const letters = await segue('dead-letters');
    expect(rowsIn(letters.stdout)).toMatch(/^cms {2}7-0-2 {2}acme {2}project\.deleted .* host-refused/);
    expect(JSON.parse((await segue('delivery', 'cms', '7-0-2')).stdout)).toMatchObject({ state: 'dead' });
    expect(await segue('delivery', 'cms', '7-0-3')).toMatchObject({ code: 1 });
    expect(await segue('redrive', 'cms')).toMatchObject({ code: 2 });
    expect((await segue('redrive', 'cms', '--all')).stdout).toBe('Open again: 7-0-2\n');
    expect((await segue('redrive', 'cms', '7-0-2')).stdout).toContain('Not redriven');
    expect((await segue('dead-letters', 'cms')).stderr).toBe('No dead letters.\n');
  });
});
