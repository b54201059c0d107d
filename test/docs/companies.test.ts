import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { program } from '../../cli/program.ts';
import { parseSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/companies.md'), 'utf8');

/** The fenced blocks of the page, each with its language. */
const BLOCKS = [...PAGE.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}));
const blockIn = (language: string) => BLOCKS.find((block) => block.language === language)?.text ?? '';

/** Every command with its arguments, such as `company revoke <key id>`. */
function commandsOf(command: Command): string[] {
  const path = command.name();
  if (command.commands.length > 0) {
    return command.commands.flatMap((each) => commandsOf(each).map((rest) => `${path} ${rest}`));
  }
  return [[path, ...command.registeredArguments.map((argument) => `<${argument.name()}>`)].join(' ')];
}

const segue = program({ env: {}, out: () => {}, err: () => {} });

/** Groups of commands that have a page of their own. */
const ELSEWHERE: readonly string[] = ['source', 'dead-letters'];
const ON_THIS_PAGE = segue.commands.filter((command) => !ELSEWHERE.includes(command.name()));

describe('docs/companies.md', () => {
  it('shows what its first command prints', async () => {
    const env = { ...process.env, SEGUE_DATA_DIR: temporaryFolder() };
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', blockIn('sh')], { cwd: ROOT, env });
    expect([stdout.replace(/seg_\w+/, 'seg_…'), stderr]).toEqual([blockIn(''), '']);
  });

  it('has every command of the program, and no other', () => {
    const [company, ...others] = ON_THIS_PAGE.map(commandsOf);
    const inTable = [...PAGE.matchAll(/^\| `(company [^`]+)` \|/gm)].map(([, command]) => command);
    expect(inTable).toEqual(company);
    for (const command of others.flat()) expect(PAGE).toContain(`\`npm run segue -- ${command}\``);
  });

  it('names options that there are', () => {
    const commands = [segue, ...ON_THIS_PAGE, ...ON_THIS_PAGE.flatMap((group) => group.commands)];
    const there = commands.flatMap(({ options }) => options.map(({ long }) => long));
    const named = PAGE.match(/(?<= |`)--[a-z-]+/g) ?? [];
    expect(new Set(named)).toEqual(new Set([...there, '--silent']));
  });

  it('shows signing keys as they are', () => {
    const shown = blockIn('json').replaceAll('"…"', `"${'x'.repeat(43)}"`);
    expect(parseSigningKeys(JSON.parse(shown))).toHaveLength(2);
  });
});
