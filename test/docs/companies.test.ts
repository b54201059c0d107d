import { describe, expect, it } from 'vitest';
import { parseSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { blocks, commandsOf, optionsOf, read, SEGUE, sh } from './world.ts';

const PAGE = read('docs/companies.md');
/** The commands on this page. The others have their own pages. */
const COMMANDS = SEGUE.commands.filter((command) =>
  ['company', 'signing-keys', 'bulk', 'audit'].includes(command.name()),
);

describe('docs/companies.md', () => {
  it('shows the output of its first command', async () => {
    const printed = await sh(`{ ${blocks(PAGE, 'sh')[0]} } 2>&1`, { SEGUE_DATA_DIR: temporaryFolder() });
    expect(printed.replace(/seg_\w+/, 'seg_…')).toBe(blocks(PAGE, '')[0]);
  });

  it('rotates a key', async () => {
    const [add = '', rotate = ''] = blocks(PAGE, 'sh');
    expect(rotate).toContain('company rotate acme');
    const here = rotate.replaceAll(' --stack Segue', '');
    const printed = await sh(`set -e\n${add}\n${here}`, { SEGUE_DATA_DIR: temporaryFolder() });
    const [first, second] = [...printed.matchAll(/^API key: seg_([^_]+)_/gm)].map(([, id]) => id);
    const list = printed.slice(printed.lastIndexOf('API key: '));
    expect(list).toContain(`${first}`);
    expect(list.split(`${second}`)).toHaveLength(3);
  });

  it('has every command and option of the program, and no other', () => {
    const [company, ...others] = COMMANDS.map((command) => commandsOf(command));
    const inTable = [...PAGE.matchAll(/^\| `(company [^`]+)` \|/gm)].map(([, command]) => command);
    expect(inTable).toEqual(company);
    for (const command of others.flat()) expect(PAGE).toContain(`\`npx --no-install segue ${command}\``);
    const options = optionsOf([SEGUE, ...COMMANDS, ...COMMANDS.flatMap((group) => group.commands)]);
    expect(new Set(PAGE.match(/(?<= |`)--[a-z-]+/g))).toEqual(
      new Set([...options.filter((option) => option !== '--version'), '--no-install']),
    );
  });

  it('shows signing keys as they are', () => {
    const shown = (blocks(PAGE, 'json')[0] ?? '').replaceAll('"…"', `"${'x'.repeat(43)}"`);
    expect(parseSigningKeys(JSON.parse(shown))).toHaveLength(2);
  });
});
