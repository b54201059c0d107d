import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordStart } from '../../../lib/credentials/sandbox-company.ts';
import type { SchemeSettings } from '../../../lib/signatures/stored-scheme.ts';
import { openSqlite, temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { creation } from '../../../test/lib/webhooks/world.ts';
import { addCompany, type Ended, rowsIn, segueHere, segueIn } from '../../../test/support/segue.ts';
import { senderOf } from '../../../test/support/senders.ts';
import { addSource, printedSecret } from '../../../test/support/sources.ts';

/** The options of the scheme template, without the template itself. */
const TEMPLATE = ['--signature', 'x-a', '--algorithm', 'sha256', '--encoding', 'hex', '--template'];

/** Returns the mapping and the sample that `addSource` has written. */
const files = (folder: string) => [
  '--mapping',
  join(folder, 'mapping.jsonata'),
  '--sample',
  join(folder, 'sample.json'),
];
const SOURCE = { name: 'cms', companyId: 'acme', scheme: { name: 'standard-webhooks' } as SchemeSettings };

/** Creates a data folder with the company of the source. */
async function folderWithCompany(): Promise<string> {
  const folder = temporaryFolder();
  await addCompany(folder, SOURCE.companyId);
  return folder;
}

const listed = async (folder: string) => rowsIn((await segueHere(folder, 'source', 'list')).stdout);
const DELETION = '{ "delete": { "scope": "project", "customId": "page" } }';

/** Writes the files of a sample and a mapping, and runs `source test` with them. */
async function testMapping(folder: string, name: string, sample: unknown, mapping?: string) {
  const paths = { sample: join(folder, 'test-sample.json'), mapping: join(folder, 'test-mapping.jsonata') };
  writeFileSync(paths.sample, JSON.stringify(sample));
  if (mapping !== undefined) writeFileSync(paths.mapping, mapping);
  const option = mapping === undefined ? [] : ['--mapping', paths.mapping];
  return segueHere(folder, 'source', 'test', name, '--sample', paths.sample, ...option);
}

describe('segue source', () => {
  it('add prints a secret once, and the URL for messages; list shows neither the secret nor its location', async () => {
    const folder = await folderWithCompany();
    expect(await addSource(folder, SOURCE)).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Secret: whsec_[A-Za-z0-9+/]{43}=\nThe secret is live from now on, and shown only this once\.\nThe sender must send its messages to \S.*\/webhooks\/cms\nThis is the default port of npm start\..*\nFrom the sample, the mapping makes no commands\.\n$/,
      ),
      stderr: '',
    });
    expect(await listed(folder)).toMatch(/^cms {2}acme {2}create,update,delete {2}standard-webhooks {2}1 {2}\S+Z\n$/);
    const { stdout } = await segueHere(folder, 'source', 'list', '--json');
    expect(JSON.parse(stdout)).toEqual({
      ...SOURCE,
      mapping: 'null',
      scopes: ['create', 'update', 'delete'],
      liveSecrets: 1,
      createdAtUtc: expect.stringMatching(/Z$/),
    });
    const [file = ''] = readdirSync(join(folder, 'webhook-secrets'));
    expect(statSync(join(folder, 'webhook-secrets', file)).mode & 0o777).toBe(0o600);
  });

  it.each([
    [{ prefix: 'sha256=' }, 'hmac (header x-signature, sha256 in hex, prefix sha256=)'],
    [{}, 'hmac (header x-signature, sha256 in hex)'],
  ])('list shows the settings of a source with the scheme hmac: %j', async (prefix, shown) => {
    const folder = await folderWithCompany();
    const scheme = { name: 'hmac', header: 'x-signature', algorithm: 'sha256', encoding: 'hex', ...prefix } as const;
    await addSource(folder, { ...SOURCE, scheme });
    expect(await listed(folder)).toContain(`  create,update,delete  ${shown}  1  `);
  });

  it('add names the query parameter of a secret, and the URL stays without the secret', async () => {
    const folder = await folderWithCompany();
    const scheme = { name: 'token', query: 'key' } as const;
    const { stdout } = await addSource(folder, { ...SOURCE, scheme, secret: 'CANARY-0123456789' });
    expect(stdout).toMatch(/\/webhooks\/cms\nThe sender must add \?key=<secret> to this URL\.\n/);
    expect(stdout).not.toContain('CANARY');
  });

  it.each<[SchemeSettings, string]>([
    [{ name: 'contentful' }, 'contentful'],
    [{ name: 'token', header: 'authorization', prefix: 'Bearer ' }, 'token (header "authorization", prefix "Bearer ")'],
    [
      {
        name: 'template',
        template: '{timestamp}.{body}',
        signature: 'x-signature#v1',
        algorithm: 'sha256',
        encoding: 'base64url',
        timestamp: 'x-signature#t',
        timeUnit: 'milliseconds',
        parts: 't, v1',
      },
      'template (template "{timestamp}.{body}", signature "x-signature#v1", algorithm "sha256", encoding "base64url", timestamp "x-signature#t", time-unit "milliseconds", parts "t, v1")',
    ],
  ])('list shows the settings of a source with the scheme %j', async (scheme, shown) => {
    const folder = await folderWithCompany();
    expect(await addSource(folder, { ...SOURCE, scheme })).toMatchObject({ code: 0 });
    expect(await listed(folder)).toContain(`  create,update,delete  ${shown}  1  `);
    const { stdout } = await segueHere(folder, 'source', 'list', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ scheme });
  });

  it.each([
    [['--message-id', 'body.event.id'], { messageId: 'body.event.id' }, 'github, id body.event.id'],
    [['--dedupe', '30'], { dedupeMinutes: 30 }, 'github, dedupe 30 minutes'],
  ])('list shows what identifies a message, if the source says it: %j', async (options, fields, shown) => {
    const folder = await folderWithCompany();
    await addSource(folder, { ...SOURCE, scheme: { name: 'github' } }, ...options);
    expect(await listed(folder)).toContain(`  ${shown}  1  `);
    expect(JSON.parse((await segueHere(folder, 'source', 'list', '--json')).stdout)).toMatchObject(fields);
  });

  it('add --scopes limits what messages may do, also in add, test and change', async () => {
    const folder = await folderWithCompany();
    const lacksScope = { code: 2, stderr: expect.stringContaining('lacks the scope delete') };
    expect(await addSource(folder, { ...SOURCE, mapping: DELETION }, '--scopes', 'create')).toMatchObject(lacksScope);
    expect(await listed(folder)).toBe('');
    await addSource(folder, SOURCE, '--scopes', 'create');
    expect(await listed(folder)).toMatch(/^cms {2}acme {2}create {2}standard-webhooks/);
    expect(await testMapping(folder, 'cms', {}, DELETION)).toMatchObject(lacksScope);
    writeFileSync(join(folder, 'mapping.jsonata'), DELETION);
    expect(await segueHere(folder, 'source', 'change', 'cms', ...files(folder))).toMatchObject(lacksScope);
    const none = await addSource(folder, { ...SOURCE, name: 'other' }, '--scopes', 'read');
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('create, update and delete') });
  });

  it('rotate adds another secret, generated or from standard input, until the old one is dropped; remove leaves nothing', async () => {
    const folder = await folderWithCompany();
    const first = printedSecret(await addSource(folder, SOURCE));
    expect(printedSecret(await segueHere(folder, 'source', 'rotate', 'cms'))).not.toBe(first);
    expect(await listed(folder)).toContain('  2  ');
    const { otherSecret } = senderOf('standard-webhooks, v1');
    const readStdin = async () => `${otherSecret}\r\n`;
    const put = await segueIn(folder, { readStdin }, 'source', 'rotate', 'cms', '--secret-from-stdin');
    expect(put).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The previous secret stays live/) });
    expect((await segueHere(folder, 'source', 'rotate', 'cms', '--drop-old')).code).toBe(0);
    expect(await listed(folder)).toContain('  1  ');
    expect(readdirSync(join(folder, 'webhook-secrets'))).toHaveLength(1);
    const both = await segueHere(folder, 'source', 'rotate', 'cms', '--drop-old', '--secret-from-stdin');
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('leave out --secret-from-stdin') });
    expect(await segueHere(folder, 'source', 'remove', 'cms')).toEqual({
      code: 0,
      stdout: 'Removed. Messages that were received before and are not done become dead letters.\n',
      stderr: '',
    });
    expect([await listed(folder), readdirSync(join(folder, 'webhook-secrets'))]).toEqual(['', []]);
  });

  it('add and rotate say that the secret of a suspended company is live once it is resumed', async () => {
    const folder = await folderWithCompany();
    await segueHere(folder, 'company', 'suspend', SOURCE.companyId);
    const added = await addSource(folder, SOURCE);
    const rotated = await segueHere(folder, 'source', 'rotate', SOURCE.name);
    for (const { stdout } of [added, rotated])
      expect(stdout).toMatch(
        /^Secret: .*\nThe secret is live once the company is resumed, and shown only this once\.\n/,
      );
  });

  it('change replaces only the mapping, and refuses one that returns no command', async () => {
    const folder = await folderWithCompany();
    await addSource(folder, SOURCE);
    const source = async () => JSON.parse((await segueHere(folder, 'source', 'list', '--json')).stdout);
    const before = await source();
    const change = async (mapping: string) => {
      writeFileSync(join(folder, 'mapping.jsonata'), mapping);
      return segueHere(folder, 'source', 'change', 'cms', ...files(folder));
    };
    expect(await change(DELETION)).toEqual({
      code: 0,
      stdout:
        'Changed, for all messages that are processed from now on.\nFrom the sample, the mapping makes 1 deletion.\n',
      stderr: '',
    });
    for (const wrong of ['{ "remove": 1 }', '{ "create": {} }', 'body.(']) {
      const stderr = expect.stringMatching(/^segue: .*\n$/m);
      expect(await change(wrong)).toMatchObject({ code: 2, stdout: '', stderr });
    }
    expect(await source()).toEqual({ ...before, mapping: DELETION });
  });

  it('change gives other scopes, and tests the mapping with them', async () => {
    const folder = await folderWithCompany();
    await addSource(folder, { ...SOURCE, mapping: DELETION });
    const change = (...args: string[]) => segueHere(folder, 'source', 'change', 'cms', ...args);
    const said = 'Changed, for all messages that are processed from now on.\nThe source has the scopes';
    expect(await change('--scopes', 'delete,create')).toEqual({
      code: 0,
      stdout: `${said} create and delete.\n`,
      stderr: '',
    });
    expect(await listed(folder)).toMatch(/^cms {2}acme {2}create,delete {2}standard-webhooks/);
    const lacksScope = { code: 2, stdout: '', stderr: expect.stringContaining('lacks the scope delete') };
    expect(await change('--scopes', 'create', '--sample', join(folder, 'sample.json'))).toMatchObject(lacksScope);
    expect(await change('--scopes', 'create', ...files(folder))).toMatchObject(lacksScope);
    expect(await listed(folder)).toContain('  create,delete  ');
    const both = await change('--scopes', 'create,update,delete', ...files(folder), '--json');
    expect(JSON.parse(both.stdout)).toEqual({
      name: 'cms',
      scopes: ['create', 'update', 'delete'],
      ...{ creations: 0, puts: 0, deletions: 1 },
    });
    expect(await change('--scopes', 'read')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('create, update'),
    });
    for (const args of [[], ['--sample', join(folder, 'sample.json')]])
      expect(await change(...args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--mapping, --scopes or a fetch'),
      });
    const untested = await change('--mapping', join(folder, 'mapping.jsonata'));
    expect(untested).toMatchObject({ code: 2, stderr: expect.stringContaining('--sample') });
  });

  it('accepts the companies of npm start, and no unknown one', async () => {
    const folder = temporaryFolder();
    const sandbox = { ...SOURCE, companyId: 'sandbox' };
    expect(await addSource(folder, sandbox)).toMatchObject({ code: 2, stderr: expect.stringContaining('no store') });
    await recordStart(openSqlite(Date.now, folder), { companyId: 'sandbox', allowsLoopbackEvents: false });
    expect(await addSource(folder, sandbox)).toMatchObject({ code: 0 });
    await recordStart(openSqlite(Date.now, folder), { companyId: 'acme', allowsLoopbackEvents: false });
    expect(await addSource(folder, { ...SOURCE, name: 'other' })).toMatchObject({ code: 0 });
    expect(await addSource(folder, { ...SOURCE, name: 'third', companyId: 'acme-typo' })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^segue: no company has this id: .*company add.* SEGUE_COMPANY_ID .*SEGUE_DATA_DIR\n$/,
      ),
    });
  });

  it('test prints the command of a sample, or every fault', async () => {
    const folder = await folderWithCompany();
    await addSource(folder, { ...SOURCE, mapping: 'body ? body', sample: 'null' });
    const good = await testMapping(folder, 'cms', creation({ customId: 'page' }));
    expect([good.code, JSON.parse(good.stdout)]).toEqual([0, creation({ customId: 'page' })]);
    const { code, stdout, stderr } = await testMapping(folder, 'cms', creation({ name: null, segments: [] }));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(
      /^The mapping returns:\n\{\n[\s\S]+\n\}\n\/name {2}required {2}.+\n\/segments {2}too-few {2}.+\nsegue: [^\n]+\n$/,
    );
    const other = { headers: { 'X-Topic': 'none' }, body: {} };
    const none = await testMapping(folder, 'cms', other, 'headers."x-topic" = "made" ? body.page');
    expect(none).toMatchObject({ code: 0, stdout: 'The mapping makes no commands from this sample.\n' });
    expect((await testMapping(folder, 'cms', other, 'body\n  .page(')).stderr).toMatch(
      /\.jsonata:2:9: the mapping fails here\n {4}\.page\(\n {10}\^\nsegue: The mapping fails at line 2, column 9: expected `\)`\.\n$/,
    );
  });

  it('test tries a mapping before its source exists, with all scopes', async () => {
    const folder = await folderWithCompany();
    const { code, stdout, stderr } = await testMapping(folder, 'new', {}, DELETION);
    expect({ code, stdout: JSON.parse(stdout), stderr }).toEqual({
      code: 0,
      stdout: { delete: { scope: 'project', customId: 'page' } },
      stderr: 'No source has this name yet, so the mapping is tested with the scopes create, update and delete.\n',
    });
    const stderrOfNone = expect.stringMatching(/^segue: no webhook source has this name[^\n]+\n$/);
    expect(await testMapping(folder, 'new', {})).toEqual({ code: 1, stdout: '', stderr: stderrOfNone });
  });

  it('test says what a put would do now, and whether the scopes of the source allow it', async () => {
    const folder = await folderWithCompany();
    const put = (fields: object) => ({ put: creation({ customId: 'page', ...fields }).create });
    await addSource(folder, { ...SOURCE, mapping: 'body', sample: JSON.stringify(put({})) });
    const tested = await testMapping(folder, 'cms', put({}));
    expect([tested.code, tested.stderr]).toEqual([
      0,
      'Now, the put creates the project: segments 0 kept, 0 changed, 1 added, 0 removed; target languages 0 kept, 1 added, 0 removed\n',
    ]);
    writeFileSync(
      join(folder, 'pages.jsonl'),
      JSON.stringify(put({ segments: [{ content: 'One' }, { content: 'Two' }] })),
    );
    expect(await segueHere(folder, 'bulk', join(folder, 'pages.jsonl'), '--company', 'acme')).toMatchObject({
      stdout: expect.stringContaining('1 created'),
    });
    const fewer = put({ segments: [{ content: 'Two' }] });
    const removing = await testMapping(folder, 'cms', [fewer, creation()]);
    expect(removing.stderr).toMatch(
      /^Now, command 1 updates the project: segments 1 kept, .* 1 removed; .*\nCommand 2 has 1 segment, 1 word, 5 characters\n$/,
    );
    await addSource(folder, { ...SOURCE, name: 'careful' }, '--scopes', 'create,update');
    writeFileSync(join(folder, 'body.jsonata'), 'body');
    const careful = await testMapping(folder, 'careful', fewer, 'body');
    expect(careful).toMatchObject({ code: 2, stderr: expect.stringMatching(/remove 1 segment.*scope delete/) });
  });

  it('accepts an eventUrl on this machine if the last npm start did', async () => {
    const folder = await folderWithCompany();
    const sample = JSON.stringify(creation({ eventUrl: 'http://127.0.0.1:9122/events' }));
    const source = { ...SOURCE, mapping: 'body', sample };
    expect(await addSource(folder, source)).toMatchObject({ code: 2, stderr: expect.stringContaining('/eventUrl') });
    await recordStart(openSqlite(Date.now, folder), { companyId: 'acme', allowsLoopbackEvents: true });
    expect(await addSource(folder, source)).toMatchObject({ code: 0 });
  });

  it('test prints every command of an array, and the faults of each by its index', async () => {
    const folder = await folderWithCompany();
    const source = { ...SOURCE, mapping: 'body', sample: JSON.stringify([creation(), creation()]) };
    expect((await addSource(folder, source)).stdout).toMatch(/\nFrom the sample, the mapping makes 2 creations\.\n$/);
    const commands = [creation(), { delete: { scope: 'project', customId: 'page' } }];
    expect(JSON.parse((await testMapping(folder, 'cms', commands)).stdout)).toEqual(commands);
    const wrong = [creation(), creation({ name: null }), creation({ segments: [] })];
    expect((await testMapping(folder, 'cms', wrong)).stderr).toMatch(
      /^The mapping returns:\n\[\n[\s\S]+\n\]\n\/1\/name {2}required {2}.+\n\/2\/segments {2}too-few {2}.+\nsegue: Command 2 of 3: .+ 2 of the 3 commands failed\.\n$/,
    );
  });

  it('refuses in one line, and changes nothing', async () => {
    const folder = await folderWithCompany();
    await addSource(folder, SOURCE);
    const before = await listed(folder);
    const add = (fields: object) => addSource(folder, { ...SOURCE, name: 'b', ...fields });
    const missing = ['--mapping', join(folder, 'none'), '--sample', join(folder, 'good.json')];
    writeFileSync(join(folder, 'good.json'), '{}');
    const rows: [() => Promise<Ended>, RegExp, code?: 1 | 2][] = [
      [
        () => addSource(folder, SOURCE),
        /another webhook source already has this name.* source rotate \w+, and --secret-from-stdin/,
      ],
      [() => segueHere(folder, 'source', 'rotate', 'cms', '--secret-from-stdin'), /standard input was empty/, 2],
      [
        () => add({ companyId: 'seg_CANARY' }),
        /no company has this id: add it with npx --no-install segue company add/,
      ],
      [() => add({ secret: 'CANARY' }), /the form that this scheme requires: whsec_/],
      [() => add({ sample: '{"a":1,"a":2}' }), /^segue: .* repeats a key/m, 2],
      [
        () => add({ sample: '{' }),
        /sample\.json:1:2: the sample syntax: .+\n {2}\{\n {3}\^\nsegue: The sample is not valid JSON at line 1, column 2: expected a key/,
        2,
      ],
      [() => add({ sample: '{"headers":["CANARY"],"body":{}}' }), /the headers of the sample must be an object/, 2],
      [() => segueHere(folder, 'source', 'remove', 'none'), /no webhook source has this name/],
      [
        () => segueHere(folder, 'source', 'test', 'b', ...missing),
        /^segue: the file \S+\/none cannot be read: there is no such file$/m,
        2,
      ],
    ];
    for (const [work, line, exitCode = 1] of rows) {
      const { code, stdout, stderr } = await work();
      expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
      expect(stderr).toMatch(/(?:^|\n)segue: [^\n]+\n$/);
      expect(stderr).toMatch(line);
      expect(stderr).not.toContain('CANARY');
    }
    expect(await listed(folder)).toBe(before);
  });

  it.each([
    ['no scheme', []],
    ['an unknown scheme', ['--scheme', 'paypal']],
    ['hmac without its header', ['--scheme', 'hmac', '--algorithm', 'sha256', '--encoding', 'hex']],
    ['an algorithm for another scheme', ['--scheme', 'github', '--algorithm', 'sha256']],
    ['an unknown algorithm', ['--scheme', 'hmac', '--header', 'x', '--algorithm', 'md5', '--encoding', 'hex']],
  ])('exits with 2 for %s', async (_, scheme) => {
    const folder = temporaryFolder();
    const ended = await segueHere(folder, 'source', 'add', 'other', '--company', 'acme', ...files(folder), ...scheme);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^segue: /) });
  });

  it.each([
    [
      'none',
      [],
      /'none' is invalid\. .*standard-webhooks, .*does not sign.*webhooks\.md#if-your-sender-does-not-sign\.$/m,
    ],
    ['hmac', [], /The scheme hmac needs --header, --algorithm, --encoding, and may have --prefix$/m],
    ['hmac', ['--header', 'x-a', '--prefix', 'a='], /^segue: --algorithm is missing; --encoding is missing\./],
    ['hmac', ['--header', 'x a', '--algorithm', 'sha256', '--encoding', 'hex'], /--header must be/],
    ['github', ['--header', 'x-a'], /--header does not belong to the scheme github$/m],
    ['hmac', ['--signature', 'x-a'], /--signature does not belong to the scheme hmac/],
    ['token', [], /the scheme token needs exactly one of --header, --basic and --query/],
    ['token', ['--header', 'x-a', '--query', 'a'], /needs exactly one of/],
    ['token', ['--query', 'a', '--prefix', 'Bearer '], /--prefix belongs to --header/],
    ['token', ['--basic', 'a:b'], /--basic must be a user name without a colon/],
    ['token', ['--query', 'a b'], /--query must be the name of a query parameter/],
    ['template', [], /--template is missing; --signature is missing; --algorithm is missing; --encoding is missing/],
    ['template', [...TEMPLATE, '{time}.{body}'], /--template has the unknown field \{time\}: the fields are \{id\}/],
    ['template', [...TEMPLATE, 'text'], /--template needs the field \{body\}, or \{body:json\}, once/],
    ['template', [...TEMPLATE, '{body}{body:json}'], /needs the field \{body\}, or \{body:json\}, once/],
    ['template', [...TEMPLATE, '{timestamp}.{body}'], /--timestamp must say where the \{timestamp\}/],
    ['template', [...TEMPLATE, '{body}', '--id', 'x-id'], /--template needs the field \{id\}: otherwise/],
    ['template', [...TEMPLATE, '{body}.{timestamp}', '--timestamp', 'x-t'], /--time-unit must be one of seconds/],
    ['template', [...TEMPLATE, '{body}', '--time-unit', 'iso'], /--time-unit belongs to --timestamp/],
    ['template', [...TEMPLATE, '{id}{body}', '--id', 'x-id'], /--template needs a text between two fields/],
    ['template', [...TEMPLATE, '{body}.{header:X}'], /--template names a header that is not valid/],
    ['template', [...TEMPLATE, '{body}', '--id', 'x-a#v1'], /--parts must have the keys v1/],
    ['template', [...TEMPLATE, '{body}', '--parts', 't,v1'], /--parts belongs to places such as x-signature#v1/],
    ['token', ['--header', 'x-a', '--message-id', 'a b'], /Give header:<name>, or the simple path/],
    ['token', ['--header', 'x-a', '--dedupe', '0'], /a number of minutes from 1 to 20160/],
    ['token', ['--header', 'x-a', '--dedupe', '5', '--message-id', 'body.id'], /give --message-id or --dedupe/],
    ['standard-webhooks', ['--dedupe', '5'], /--dedupe does not belong to the scheme standard-webhooks/],
  ])('says what the scheme needs: %s %j', async (scheme, options, said) => {
    const folder = temporaryFolder();
    const given = ['--company', 'acme', ...files(folder), '--scheme', scheme, ...options];
    const { code, stderr } = await segueHere(folder, 'source', 'add', 'other', ...given);
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
  });

  it.each(['CMS', 'my cms', 'a'.repeat(64), '', '_cms', 'a/b'])(
    'refuses a name of a wrong form before it reads a file: %j',
    async (name) => {
      const folder = temporaryFolder();
      const options = ['--mapping', join(folder, 'none'), '--sample', join(folder, 'none')];
      const add = ['add', name, '--company', 'acme', '--scheme', 'github', ...options];
      for (const args of [add, ['test', name, ...options]])
        expect(await segueHere(folder, 'source', ...args)).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(/^segue: .*1 to 63 characters of a-z, 0-9 and -/),
        });
    },
  );

  it('refuses a company id of a wrong form before it reads a file', async () => {
    const folder = temporaryFolder();
    const args = ['--company', 'a b', '--scheme', 'github', '--mapping', 'none', '--sample', 'none'];
    expect(await segueHere(folder, 'source', 'add', 'cms', ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('A company id must be'),
    });
  });

  it('add says which port it assumes, unless SEGUE_URL or PORT is set', async () => {
    const folder = await folderWithCompany();
    const add = (name: string, env: Record<string, string>) => {
      const args = ['--company', 'acme', '--scheme', 'github', ...files(folder)];
      return segueIn(folder, { env }, 'source', 'add', name, ...args);
    };
    await addSource(folder, SOURCE);
    const note = 'This is the default port of npm start. If yours uses another one, set SEGUE_URL.\n';
    const { stdout } = await add('assumed', {});
    expect(stdout).toContain(`to http://127.0.0.1:8787/webhooks/assumed\n${note}`);
    for (const env of [{ SEGUE_URL: 'http://127.0.0.1:9000' }, { PORT: '9000' }]) {
      const { stdout } = await add(`set-${Object.keys(env)[0]?.toLowerCase().replace('_', '-')}`, env);
      expect(stdout).toContain('to http://127.0.0.1:9000/webhooks/set-');
      expect(stdout).not.toContain(note);
    }
  });
});
