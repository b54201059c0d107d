import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordStart } from '../../../lib/credentials/sandbox-company.ts';
import { openSqlite, temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { answerJson, answerStatus, startPlainSystem } from '../../../test/lib/webhooks/content-system.ts';
import { creation } from '../../../test/lib/webhooks/world.ts';
import { addCompany, type Ended, segueHere, segueIn } from '../../../test/support/segue.ts';
import { senderOf } from '../../../test/support/senders.ts';

const SECRET = 'Bearer CANARY-fetch-secret';
const MAPPING = '{ "create": fetched }';
const ENTRY = creation({ customId: 'page' }).create;

/** Creates a data folder with a company, a mapping of a fetched entry, and a sample without one. */
async function folderWithFiles(url = 'https://cdn.example.com/7') {
  const folder = temporaryFolder();
  await addCompany(folder, 'acme');
  const mapping = join(folder, 'mapping.jsonata');
  const sample = join(folder, 'sample.json');
  writeFileSync(mapping, MAPPING);
  writeFileSync(sample, JSON.stringify({ url }));
  const files = ['--mapping', mapping, '--sample', sample];
  const run = (stdin: string, ...args: string[]) => segueIn(folder, { readStdin: async () => stdin }, ...args);
  const scheme = ['--company', 'acme', '--scheme', 'standard-webhooks'];
  return {
    folder,
    sample,
    files,
    run,
    add: (...options: string[]) => segueHere(folder, 'source', 'add', 'cms', ...scheme, ...files, ...options),
    addWith: (stdin: string, ...options: string[]) =>
      run(stdin, 'source', 'add', 'cms', ...scheme, ...files, ...options),
    change: (...options: string[]) => segueHere(folder, 'source', 'change', 'cms', ...options),
    listed: async () => JSON.parse((await segueHere(folder, 'source', 'list', '--json')).stdout),
  };
}

const FETCH = ['--fetch', 'body.url', '--fetch-host', 'cdn.example.com'];
const WITH_SECRET = [...FETCH, '--fetch-secret-from-stdin'];

/** Returns the secrets of fetches in a data folder. */
function fetchSecretsIn(folder: string): string[] {
  const path = join(folder, 'fetch-secrets');
  try {
    return readdirSync(path).map((file) => readFileSync(join(path, file), 'utf8'));
  } catch {
    return [];
  }
}

const shown = (...ended: Ended[]) => ended.map(({ stdout, stderr }) => stdout + stderr).join('');

describe('segue source add --fetch', () => {
  it('keeps a secret that no command shows, and lists the hosts', async () => {
    const { folder, addWith, listed } = await folderWithFiles();
    const added = await addWith(`${SECRET}\n`, ...WITH_SECRET, '--fetch-host', 'API.example.com:8443');
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('only the syntax of the mapping') });
    const table = await segueHere(folder, 'source', 'list');
    expect(table.stdout).toContain('cdn.example.com api.example.com:8443 (secret in authorization)');
    expect(await listed()).toMatchObject({
      fetch: {
        url: 'body.url',
        hosts: ['cdn.example.com', 'api.example.com:8443'],
        header: 'authorization',
        hasSecret: true,
      },
    });
    const json = await segueHere(folder, 'source', 'list', '--json');
    expect(shown(added, table, json)).not.toMatch(/CANARY|secretsAt/);
    expect(fetchSecretsIn(folder)).toEqual([JSON.stringify([SECRET])]);
    const [file = ''] = readdirSync(join(folder, 'fetch-secrets'));
    expect(statSync(join(folder, 'fetch-secrets', file)).mode & 0o777).toBe(0o600);
  });

  it('reads the secret of the source from the first line, and that of the fetch from the second', async () => {
    const { folder, addWith } = await folderWithFiles();
    const { secret } = senderOf('standard-webhooks, v1');
    const added = await addWith(`${secret}\r\n${SECRET}\r\n`, ...WITH_SECRET, '--secret-from-stdin');
    expect(added.code).toBe(0);
    expect(fetchSecretsIn(folder)).toEqual([JSON.stringify([SECRET])]);
    const [file = ''] = readdirSync(join(folder, 'webhook-secrets'));
    expect(readFileSync(join(folder, 'webhook-secrets', file), 'utf8')).toBe(JSON.stringify([secret]));
  });

  it('accepts 127.0.0.1 with a port: the running Segue decides', async () => {
    const { add } = await folderWithFiles('http://127.0.0.1:4711/7');
    expect(await add('--fetch', 'body.url', '--fetch-host', '127.0.0.1:4711')).toMatchObject({ code: 0 });
  });

  it('tests the mapping with the field fetched of the sample', async () => {
    const { sample, add, listed } = await folderWithFiles();
    const withEntry = { headers: {}, body: { url: 'https://cdn.example.com/7' }, fetched: { ...ENTRY, segments: [] } };
    writeFileSync(sample, JSON.stringify(withEntry));
    expect(await add(...FETCH)).toMatchObject({ code: 2, stderr: expect.stringContaining('/segments  too-few') });
    writeFileSync(sample, JSON.stringify({ ...withEntry, fetched: ENTRY }));
    expect(await add(...FETCH)).toMatchObject({ code: 0, stdout: expect.stringContaining('makes 1 creation') });
    expect(await listed()).toMatchObject({ fetch: { hosts: ['cdn.example.com'], hasSecret: false } });
  });

  it.each<[string, string[], string, RegExp]>([
    ['no host', ['--fetch', 'body.url'], '', /--fetch needs --fetch-host/],
    ['a host alone', ['--fetch-host', 'cdn.example.com'], '', /give --fetch/],
    ['a header without secret', [...FETCH, '--fetch-header', 'X-Key'], '', /needs --fetch-secret-from-stdin/],
    ['no secret', WITH_SECRET, '\n', /standard input was empty/],
    ['a secret with a line break inside', WITH_SECRET, 'Bearer CANARY\u0001', /the secret of a fetch must have/],
    ['a header that Segue sets', [...WITH_SECRET, '--fetch-header', 'Host'], SECRET, /the header of a fetch/],
    [
      'a wrong expression',
      ['--fetch', 'body.(', '--fetch-host', 'cdn.example.com'],
      '',
      /: the fetch expression fails here\n[\s\S]*The fetch expression fails at line 1/,
    ],
    [
      'a URL of another host',
      ['--fetch', '"https://evil.test/"', '--fetch-host', 'cdn.example.com'],
      '',
      /host that is not allowed.*--fetch-host/,
    ],
    ['no URL', ['--fetch', '7', '--fetch-host', 'cdn.example.com'], '', /must return a URL/],
    ...[
      'https://cdn.example.com',
      'cdn.example.com/path',
      '*.example.com',
      'user@cdn.example.com',
      'cdn.example.com.',
      'cdn.example.com:25',
      '169.254.169.254',
      '2130706433:8080',
      '0x7f.1:8080',
      '[::1]:8080',
      '127.0.0.1',
      '',
      'a b',
      '%31.test',
    ].map((host): [string, string[], string, RegExp] => [
      `the host ${host}`,
      ['--fetch', 'body.url', '--fetch-host', host],
      '',
      /Give the name of one host/,
    ]),
  ])('refuses %s', async (_, options, stdin, error) => {
    const { folder, addWith } = await folderWithFiles();
    const refused = await addWith(stdin, ...options);
    expect(refused).toMatchObject({ code: expect.toBeOneOf([1, 2]), stderr: expect.stringMatching(error) });
    expect(shown(refused)).not.toContain('CANARY');
    expect([(await segueHere(folder, 'source', 'list')).stdout, fetchSecretsIn(folder)]).toEqual(['', []]);
  });
});

describe('segue source change', () => {
  it('gives a source a fetch, changes it, and removes it with its secret', async () => {
    const { folder, files, add, change, run, listed } = await folderWithFiles();
    writeFileSync(join(folder, 'mapping.jsonata'), 'null');
    expect((await add()).code).toBe(0);
    expect((await run(SECRET, 'source', 'change', 'cms', ...files, ...WITH_SECRET)).code).toBe(0);
    expect(await listed()).toMatchObject({ fetch: { hasSecret: true } });

    const sample = files.slice(2);
    expect((await change('--fetch', '"https://cdn.example.com/" & body.id', ...sample)).code).toBe(0);
    expect(await listed()).toMatchObject({
      mapping: 'null',
      fetch: { url: expect.stringContaining('body.id'), hasSecret: true },
    });

    const other = await change(...FETCH, '--fetch-host', 'other.example.com', ...sample);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('would get the secret') });
    expect(fetchSecretsIn(folder)).toEqual([JSON.stringify([SECRET])]);

    expect(
      (await run('Token CANARY-2', 'source', 'change', 'cms', '--fetch-secret-from-stdin', '--fetch-header', 'X-Key'))
        .code,
    ).toBe(0);
    expect(await listed()).toMatchObject({ fetch: { header: 'x-key', hasSecret: true } });
    expect(fetchSecretsIn(folder)).toEqual([JSON.stringify(['Token CANARY-2'])]);

    expect((await change('--no-fetch')).code).toBe(0);
    expect(await listed()).not.toHaveProperty('fetch');
    expect(fetchSecretsIn(folder)).toEqual([]);
  });

  it('keeps the fetch if only the mapping changes; remove deletes the secret', async () => {
    const { folder, files, addWith, change, listed } = await folderWithFiles();
    await addWith(SECRET, ...WITH_SECRET);
    expect((await change(...files)).code).toBe(0);
    expect(await listed()).toMatchObject({ fetch: { hasSecret: true } });
    expect((await segueHere(folder, 'source', 'remove', 'cms')).code).toBe(0);
    expect(fetchSecretsIn(folder)).toEqual([]);
  });

  it.each<[string, string[], RegExp]>([
    ['nothing to change', [], /give --mapping, --scopes or a fetch/],
    ['no sample', FETCH, /give --sample/],
    ['two meanings', ['--no-fetch', '--fetch-host', 'cdn.example.com'], /leave out the other options/],
  ])('refuses %s', async (_, options, error) => {
    const { add, change } = await folderWithFiles();
    await add(...FETCH);
    expect(await change(...options)).toMatchObject({
      code: expect.toBeOneOf([1, 2]),
      stderr: expect.stringMatching(error),
    });
  });
});

describe('segue source test', () => {
  it('makes the request only with --fetch, and shows what the mapping gets', async () => {
    const system = await startPlainSystem(answerJson(ENTRY));
    const { folder, sample, addWith } = await folderWithFiles(`${system.url}/7`);
    const store = openSqlite(Date.now, folder);
    await recordStart(store, { companyId: 'acme', allowsLoopbackEvents: true });
    store.close();
    await addWith(SECRET, '--fetch', 'body.url', '--fetch-host', system.host, '--fetch-secret-from-stdin');
    const test = (...options: string[]) => segueHere(folder, 'source', 'test', 'cms', '--sample', sample, ...options);

    const without = await test();
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('with --fetch') });
    expect(system.requests).toEqual([]);

    const tested = await test('--fetch');
    expect(tested).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Fetched:\n\{\n {2}"name": "A page"/) });
    expect(JSON.parse(tested.stdout)).toMatchObject({ create: { customId: 'page' } });
    expect(system.requests).toMatchObject([{ path: '/7', headers: { authorization: SECRET } }]);
    expect(JSON.parse((await test('--fetch', '--json')).stdout)).toMatchObject({ fetched: ENTRY, commands: [{}] });
    expect(shown(without, tested)).not.toContain('CANARY');
  });

  it('says why the entry cannot be fetched', async () => {
    const system = await startPlainSystem(answerStatus(401));
    const { folder, sample, add } = await folderWithFiles(`${system.url}/7`);
    await add('--fetch', 'body.url', '--fetch-host', system.host);
    const test = () => segueHere(folder, 'source', 'test', 'cms', '--sample', sample, '--fetch');
    expect(await test()).toMatchObject({ code: 2, stderr: expect.stringContaining('--allow-loopback-events') });
    const store = openSqlite(Date.now, folder);
    await recordStart(store, { companyId: 'acme', allowsLoopbackEvents: true });
    store.close();
    expect(await test()).toMatchObject({ code: 2, stderr: expect.stringContaining('answered 401') });
  });

  it('needs a source with a fetch for --fetch', async () => {
    const { folder, files, add } = await folderWithFiles();
    const test = () => segueHere(folder, 'source', 'test', 'cms', ...files, '--fetch');
    expect(await test()).toMatchObject({ code: 1, stderr: expect.stringContaining('no source has this name') });
    writeFileSync(join(folder, 'mapping.jsonata'), 'null');
    await add();
    expect(await test()).toMatchObject({ code: 1, stderr: expect.stringContaining('fetches nothing') });
  });
});
