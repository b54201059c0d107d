import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { addCompany, segueHere } from '../../../test/support/segue.ts';

const { keyId, apiKey } = createApiKey();
const [, , secret = ''] = apiKey.split('_');
const WITHOUT_ITS_START = apiKey.slice(1);
const MISTYPED = `${apiKey.slice(0, -1)}${apiKey.endsWith('x') ? 'y' : 'x'}`;

/** Returns the store's companies as `company list` prints them. */
const listed = async (folder: string) => (await segueHere(folder, 'company', 'list')).stdout;

describe('a refusal prints one line, exits with 1, and changes nothing', () => {
  it.each<[what: string, args: readonly string[], line: RegExp]>([
    [
      'add of a company that has a key',
      ['company', 'add', 'acme'],
      /the company acme exists, with the key \w+: .* company rotate acme$/,
    ],
    [
      'a third key',
      ['company', 'rotate', 'full'],
      /the company full has two keys, \w+ and \w+, .* company revoke <key id>$/,
    ],
    ['add of a company that has two keys', ['company', 'add', 'full'], /two keys, .* company revoke <key id>$/],
    [
      'suspend of a company that is not there',
      ['company', 'suspend', 'nobody'],
      /no company has this id: .*company list/,
    ],
    ['revoke of an id that no key has', ['company', 'revoke', keyId], /no company has a key with this id/],
    ['revoke of a whole key', ['company', 'revoke', apiKey], /no company has a key with this id/],
    ['an API key for a company id', ['company', 'add', apiKey], /API key or a part of one, not a company id$/],
    [
      'a mistyped API key for a company id',
      ['company', 'add', MISTYPED],
      /API key or a part of one, not a company id$/,
    ],
    ['rotate of an API key', ['company', 'rotate', apiKey], /API key or a part of one, not a company id$/],
    ['rotate of an API key cut off', ['company', 'rotate', WITHOUT_ITS_START], /company add$/],
  ])('%s', async (_, args, line) => {
    const folder = temporaryFolder();
    for (const companyId of ['acme', 'full']) await addCompany(folder, companyId);
    await segueHere(folder, 'company', 'rotate', 'full');
    const before = await listed(folder);
    const { code, stdout, stderr } = await segueHere(folder, ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^segue: [^\n]+\n$/);
    expect(stderr.trimEnd()).toMatch(line);
    expect(stderr).not.toContain(secret);
    expect(await listed(folder)).toBe(before);
  });
});

describe('a usage error exits with 2, changes nothing, and prints no key', () => {
  it.each<[what: string, args: readonly string[]]>([
    ['nothing', []],
    ['no command of ours', ['compny', 'list']],
    ['a group alone', ['company']],
    ['no company', ['company', 'add']],
    ['a company id with a space', ['company', 'add', 'a b']],
    ['a key for a command', [apiKey]],
    ['a key too many', ['company', 'add', 'acme', apiKey]],
    ['a key for an option', ['company', 'add', 'acme', `--key=${apiKey}`]],
    ['a key for an option, its start cut off', ['company', 'add', 'acme', `--${WITHOUT_ITS_START}`]],
    ['a key for a scope', ['company', 'add', 'acme', '--scopes', apiKey]],
    ['no scope', ['company', 'add', 'acme', '--scopes', '']],
    ['an option of another command', ['company', 'list', '--scopes', 'read']],
    ['a rotation of somebody’s', ['signing-keys', 'rotate', apiKey]],
  ])('%s', async (_, args) => {
    const folder = temporaryFolder();
    const { code, stdout, stderr } = await segueHere(folder, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
    expect(stderr).not.toContain(secret);
    expect(await listed(folder)).toBe('');
  });
});

it('help exits with 0', async () => {
  for (const args of [['--help'], ['company', 'add', '--help'], ['help', 'company']]) {
    const { code, stdout, stderr } = await segueHere(temporaryFolder(), ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: segue/);
  }
});
