import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SchemeSettings } from '../../lib/webhooks/schemes/settings.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { type Ended, segueHere, segueToldHere } from '../support/segue.ts';
import { SENDERS, senderOf } from '../support/senders.ts';
import { addSource, printedSecret, schemeArguments } from '../support/sources.ts';

const SOURCE = { name: 'cms', companyId: 'acme', scheme: { name: 'standard-webhooks' } as SchemeSettings };
const listed = async (folder: string) => (await segueHere(folder, 'source', 'list')).stdout;

describe('segue source', () => {
  it('add prints a secret on a line of its own, once, and where messages go; list shows neither it nor its place', async () => {
    const folder = temporaryFolder();
    const added = await addSource(folder, SOURCE);
    expect(added).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^Secret: whsec_[A-Za-z0-9+/]{43}=\nIt is live from now on, and shown this once\.\nIts messages go to \S.*\/webhooks\/cms\nOf its sample the mapping makes nothing: it asks for nothing\.\n$/,
      ),
      stderr: '',
    });
    expect(await listed(folder)).toMatch(/^cms {2}acme {2}standard-webhooks {2}1 secret {2}\S+Z\n$/);
    const { stdout } = await segueHere(folder, 'source', 'list', '--json');
    expect(JSON.parse(stdout)).toEqual({
      ...SOURCE,
      mapping: 'null',
      liveSecrets: 1,
      createdAtUtc: expect.stringMatching(/Z$/),
    });
    const [file = ''] = readdirSync(join(folder, 'webhook-secrets'));
    expect(statSync(join(folder, 'webhook-secrets', file)).mode & 0o777).toBe(0o600);
  });

  it.each(SENDERS)('makes secrets of the form of $name, and takes them back', async ({ settings: scheme }) => {
    const folder = temporaryFolder();
    const secret = printedSecret(await addSource(folder, { ...SOURCE, scheme }));
    const again = await addSource(folder, { ...SOURCE, name: 'other', scheme, secret });
    expect(again).toMatchObject({ code: 0, stdout: expect.not.stringContaining('Secret') });
  });

  it('rotate gives another secret, made or put in, until the old is dropped', async () => {
    const folder = temporaryFolder();
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

  it('remove leaves nothing', async () => {
    const folder = temporaryFolder();
    await addSource(folder, SOURCE);
    expect((await segueHere(folder, 'source', 'remove', 'cms')).code).toBe(0);
    expect([await listed(folder), readdirSync(join(folder, 'webhook-secrets'))]).toEqual(['', []]);
  });

  it('refuses in one line, with 1, and changes nothing', async () => {
    const folder = temporaryFolder();
    await addSource(folder, SOURCE);
    const before = await listed(folder);
    const rows: [() => Promise<Ended>, RegExp][] = [
      [() => addSource(folder, SOURCE), /a source of this name already/],
      [() => addSource(folder, { ...SOURCE, name: 'A' }), /a source has a name of/],
      [() => addSource(folder, { ...SOURCE, name: 'b', companyId: 'a b' }), /a company id is/],
      [() => addSource(folder, { ...SOURCE, name: 'b', secret: 'CANARY' }), /a secret of this scheme is whsec_/],
      [() => addSource(folder, { ...SOURCE, name: 'b', sample: '{"a":1,"a":2}' }), /^segue: .* key twice/m],
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
    const folder = temporaryFolder();
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
    const folder = temporaryFolder();
    const files = ['--mapping', join(folder, 'mapping.jsonata'), '--sample', join(folder, 'sample.json')];
    await addSource(folder, SOURCE);
    const ended = await segueHere(folder, 'source', 'add', 'other', '--company', 'acme', ...files, ...scheme);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^error: /) });
  });
});
