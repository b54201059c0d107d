import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SchemeSettings } from '../../lib/webhooks/signature-schemes/schemes.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { creation } from '../lib/webhooks/world.ts';
import { startGateway } from '../support/gateway.ts';
import { addCompany, type Ended, segueHere, segueToldHere } from '../support/segue.ts';
import { SENDERS, senderOf } from '../support/senders.ts';
import { addSource, printedSecret, schemeArguments } from '../support/sources.ts';

/** The mapping and the sample that `addSource` has written. */
const files = (folder: string) => [
  '--mapping',
  join(folder, 'mapping.jsonata'),
  '--sample',
  join(folder, 'sample.json'),
];
const SOURCE = { name: 'cms', companyId: 'acme', scheme: { name: 'standard-webhooks' } as SchemeSettings };

/** A data folder with the company of the source. */
async function folderWithCompany(): Promise<string> {
  const folder = temporaryFolder();
  await addCompany(folder, SOURCE.companyId);
  return folder;
}

const listed = async (folder: string) => (await segueHere(folder, 'source', 'list')).stdout;

describe('segue source', () => {
  it('add prints a secret on a line of its own, once, and where messages go; list shows neither it nor its place', async () => {
    const folder = await folderWithCompany();
    const added = await addSource(folder, SOURCE);
    expect(added).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Secret: whsec_[A-Za-z0-9+/]{43}=\nIt is live from now on, and shown this once\.\nIts messages go to \S.*\/webhooks\/cms\nOf its sample the mapping makes nothing: it asks for nothing\.\n$/,
      ),
      stderr: '',
    });
    expect(await listed(folder)).toMatch(/^cms {2}acme {2}create,delete {2}standard-webhooks {2}1 secret {2}\S+Z\n$/);
    const { stdout } = await segueHere(folder, 'source', 'list', '--json');
    expect(JSON.parse(stdout)).toEqual({
      ...SOURCE,
      mapping: 'null',
      scopes: ['create', 'delete'],
      liveSecrets: 1,
      createdAtUtc: expect.stringMatching(/Z$/),
    });
    const [file = ''] = readdirSync(join(folder, 'webhook-secrets'));
    expect(statSync(join(folder, 'webhook-secrets', file)).mode & 0o777).toBe(0o600);
  });

  it.each(SENDERS)('makes secrets of the form of $name, and takes them back', async ({ settings: scheme }) => {
    const folder = await folderWithCompany();
    const secret = printedSecret(await addSource(folder, { ...SOURCE, scheme }));
    const again = await addSource(folder, { ...SOURCE, name: 'other', scheme, secret });
    expect(again).toMatchObject({ code: 0, stdout: expect.not.stringContaining('Secret') });
  });

  it('add with scopes gives a source that may do that alone, and its samples are tried with them', async () => {
    const folder = await folderWithCompany();
    const deletion = '{ "delete": { "scope": "project", "customId": "page" } }';
    const refused = await addSource(folder, { ...SOURCE, mapping: deletion }, '--scopes', 'create');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('lacks the scope delete') });
    expect(await listed(folder)).toBe('');
    await addSource(folder, SOURCE, '--scopes', 'create');
    expect(await listed(folder)).toMatch(/^cms {2}acme {2}create {2}standard-webhooks/);
    const files = { mapping: join(folder, 'deletion.jsonata'), sample: join(folder, 'sample.json') };
    writeFileSync(files.mapping, deletion);
    writeFileSync(files.sample, '{}');
    for (const command of ['test', 'change']) {
      const { mapping, sample } = files;
      const ended = await segueHere(folder, 'source', command, 'cms', '--mapping', mapping, '--sample', sample);
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('lacks the scope delete') });
    }
    const none = await addSource(folder, { ...SOURCE, name: 'other' }, '--scopes', 'read');
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('create, delete') });
  });

  it('rotate gives another secret, made or put in, until the old is dropped', async () => {
    const folder = await folderWithCompany();
    const first = printedSecret(await addSource(folder, SOURCE));
    expect(printedSecret(await segueHere(folder, 'source', 'rotate', 'cms'))).not.toBe(first);
    expect(await listed(folder)).toContain('  2 secrets  ');
    const { otherSecret } = senderOf('standard-webhooks, v1');
    const put = await segueToldHere(folder, `${otherSecret}\r\n`, 'source', 'rotate', 'cms', '--secret-from-stdin');
    expect(put).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The one before stays live/) });
    expect((await segueHere(folder, 'source', 'rotate', 'cms', '--drop-old')).code).toBe(0);
    expect(await listed(folder)).toContain('  1 secret  ');
    expect(readdirSync(join(folder, 'webhook-secrets'))).toHaveLength(1);
  });

  it('add and rotate say that a secret of a suspended company is live once the company is resumed', async () => {
    const folder = await folderWithCompany();
    await segueHere(folder, 'company', 'suspend', SOURCE.companyId);
    const added = await addSource(folder, SOURCE);
    const rotated = await segueHere(folder, 'source', 'rotate', SOURCE.name);
    for (const { stdout } of [added, rotated])
      expect(stdout).toMatch(/^Secret: .*\nIt is live once the company is resumed, and shown this once\.\n/);
  });

  it('change gives another mapping, tried with its sample, and leaves all else; one that makes no command is not taken', async () => {
    const folder = await folderWithCompany();
    await addSource(folder, SOURCE);
    const source = async () => JSON.parse((await segueHere(folder, 'source', 'list', '--json')).stdout);
    const before = await source();
    const change = async (mapping: string) => {
      writeFileSync(join(folder, 'mapping.jsonata'), mapping);
      return segueHere(folder, 'source', 'change', 'cms', ...files(folder));
    };
    const deletion = '{ "delete": { "scope": "project", "customId": "page" } }';
    expect(await change(deletion)).toEqual({
      code: 0,
      stdout: 'Changed, for whatever is worked on from now on.\nOf its sample the mapping makes a deletion.\n',
      stderr: '',
    });
    expect(await source()).toEqual({ ...before, mapping: deletion });
    for (const wrong of ['{ "remove": 1 }', '{ "create": {} }', 'body.(']) {
      expect(await change(wrong)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^segue: .*\n$/m),
      });
    }
    expect(await source()).toEqual({ ...before, mapping: deletion });
  });

  it('takes the sandbox of this machine, which has no key in the store', async () => {
    expect(await addSource(temporaryFolder(), { ...SOURCE, companyId: 'sandbox' })).toMatchObject({ code: 0 });
  });

  it('takes the company that Segue runs as or has run as, and no other', async () => {
    const gateway = await startGateway({ env: { SEGUE_COMPANY_ID: 'acme', SEGUE_DATA_DIR: temporaryFolder() } });
    onTestFinished(async () => void (await gateway.stop()));
    expect(await addSource(gateway.dataDir, SOURCE)).toMatchObject({ code: 0 });
    await gateway.stop();
    expect(await addSource(gateway.dataDir, { ...SOURCE, name: 'other' })).toMatchObject({ code: 0 });
    for (const companyId of ['sandbox', 'acme-typo']) {
      expect(await addSource(gateway.dataDir, { ...SOURCE, name: 'third', companyId })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^segue: no company has this id: .*company add.* SEGUE_COMPANY_ID .*SEGUE_DATA_DIR\n$/,
        ),
      });
    }
  });

  it('test tries a mapping before its source exists, with both scopes, and says so', async () => {
    const folder = temporaryFolder();
    const [mapping, sample] = [join(folder, 'mapping.jsonata'), join(folder, 'sample.json')];
    writeFileSync(mapping, '{ "delete": { "scope": "project", "customId": body.id } }');
    writeFileSync(sample, '{ "id": "page" }');
    const test = (...options: string[]) => segueHere(folder, 'source', 'test', 'new', '--sample', sample, ...options);
    const { code, stdout, stderr } = await test('--mapping', mapping);
    expect({ code, stdout: JSON.parse(stdout), stderr }).toEqual({
      code: 0,
      stdout: { delete: { scope: 'project', customId: 'page' } },
      stderr: 'No source has this name yet: tested with the scopes create and delete.\n',
    });
    expect(await test()).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no source') });
  });

  it('test shows every command of an array, and the faults of each by its index', async () => {
    const folder = await folderWithCompany();
    const source = { ...SOURCE, mapping: 'body', sample: JSON.stringify([creation(), creation()]) };
    expect((await addSource(folder, source)).stdout).toMatch(/\nOf its sample the mapping makes 2 creations\.\n$/);
    const test = async (sample: unknown) => {
      writeFileSync(join(folder, 'sample.json'), JSON.stringify(sample));
      return segueHere(folder, 'source', 'test', 'cms', '--sample', join(folder, 'sample.json'));
    };
    const commands = [creation(), { delete: { scope: 'project', customId: 'page' } }];
    expect(JSON.parse((await test(commands)).stdout)).toEqual(commands);
    expect(await test([])).toMatchObject({ code: 0, stdout: 'It asks for nothing.\n' });
    expect((await test([creation(), creation({ name: null }), creation({ segments: [] })])).stderr).toMatch(
      /^\/1\/name {2}required {2}.+\n\/2\/segments {2}too-few {2}.+\nsegue: Command 2 of 3: .+ 2 of the 3 commands failed\.\n$/,
    );
  });

  it('test shows what a terminal would act on as escapes, in commands and in faults', async () => {
    const folder = await folderWithCompany();
    await addSource(folder, { ...SOURCE, mapping: 'body ? body', sample: 'null' });
    const file = join(folder, 'sample.json');
    const test = async (sample: unknown) => {
      writeFileSync(file, JSON.stringify(sample));
      const { stdout, stderr } = await segueHere(folder, 'source', 'test', 'cms', '--sample', file);
      expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      return stdout + stderr;
    };
    const name = '\u001b]0;PWNED\u0007\u009b\u202e';
    expect(JSON.parse(await test(creation({ name: `Page ${name}` })))).toEqual(creation({ name: `Page ${name}` }));
    expect(await test(creation({ [name]: 1 }))).toContain('\\u001b]0;PWNED\\u0007\\u009b\\u202e');
  });

  it('remove leaves nothing', async () => {
    const folder = await folderWithCompany();
    await addSource(folder, SOURCE);
    expect(await segueHere(folder, 'source', 'remove', 'cms')).toEqual({
      code: 0,
      stdout: 'Removed. What was taken in before and is not done by now becomes a dead letter.\n',
      stderr: '',
    });
    expect([await listed(folder), readdirSync(join(folder, 'webhook-secrets'))]).toEqual(['', []]);
  });

  it('refuses in one line, with 1, and changes nothing', async () => {
    const folder = await folderWithCompany();
    await addSource(folder, SOURCE);
    const before = await listed(folder);
    const rows: [() => Promise<Ended>, RegExp][] = [
      [() => addSource(folder, SOURCE), /a source of this name already/],
      [() => addSource(folder, { ...SOURCE, name: 'A' }), /a source has a name of/],
      [() => addSource(folder, { ...SOURCE, name: 'b', companyId: 'a b' }), /a company id is/],
      [
        () => addSource(folder, { ...SOURCE, name: 'b', companyId: 'seg_CANARY' }),
        /no company has this id: add it with company add/,
      ],
      [() => addSource(folder, { ...SOURCE, name: 'b', secret: 'CANARY' }), /a secret of this scheme is whsec_/],
      [() => segueHere(folder, 'source', 'change', 'none', ...files(folder)), /no source of this name/],
      [() => addSource(folder, { ...SOURCE, name: 'b', sample: '{"a":1,"a":2}' }), /^segue: .* repeats a key/m],
      [() => addSource(folder, { ...SOURCE, name: 'b', sample: '{' }), /The sample is not JSON\./],
      [
        () => addSource(folder, { ...SOURCE, name: 'b', sample: '{"headers":["CANARY"],"body":{}}' }),
        /the headers of the sample must be an object of strings/,
      ],
      [() => segueHere(folder, 'source', 'rotate', 'none'), /no source of this name/],
      [() => segueHere(folder, 'source', 'remove', 'none'), /no source of this name/],
    ];
    for (const [work, line] of rows) {
      const { code, stdout, stderr } = await work();
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/(?:^|\n)segue: [^\n]+\n$/);
      expect(stderr).toMatch(line);
      expect(stderr).not.toContain('CANARY');
    }
    expect(await listed(folder)).toBe(before);
  });

  it('names the file that cannot be read', async () => {
    const folder = await folderWithCompany();
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'mapping'), '{}');
    const about = ['--company', 'acme', '--mapping', join(folder, 'mapping'), '--sample', join(folder, 'none')];
    const ended = await segueHere(folder, 'source', 'add', 'cms', ...about, ...schemeArguments(SOURCE.scheme));
    expect(ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `segue: the file ${join(folder, 'none')} cannot be read: ENOENT\n`,
    });
  });

  it.each([
    ['no scheme', []],
    ['an unknown scheme', ['--scheme', 'paypal']],
    ['a plain HMAC without its header', ['--scheme', 'hmac', '--algorithm', 'sha256', '--encoding', 'hex']],
    ['an algorithm of a plain HMAC for another scheme', ['--scheme', 'github', '--algorithm', 'sha256']],
    ['an unknown algorithm', ['--scheme', 'hmac', '--header', 'x', '--algorithm', 'md5', '--encoding', 'hex']],
  ])('ends with 2 for %s', async (_, scheme) => {
    const folder = await folderWithCompany();
    await addSource(folder, SOURCE);
    const ended = await segueHere(folder, 'source', 'add', 'other', '--company', 'acme', ...files(folder), ...scheme);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^error: /) });
  });
});
