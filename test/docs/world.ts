import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { program } from '../../packages/cli/program.ts';
import { childEnvironment } from '../support/child-environment.ts';

export const ROOT = join(import.meta.dirname, '../..');

/** Reads a file of the repository. */
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Returns the fenced blocks of a page in a language, in their order, without the indentation of lists. */
export function blocks(page: string, language: string): string[] {
  return Array.from(page.matchAll(/^( *)```(\w*)\n(.*?)^ *```/gms)).flatMap(([, indent = '', found, text = '']) =>
    found === language ? [text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')] : [],
  );
}

/**
 * Runs a script of a page in the repository's folder. `test/docs/first-project.test.ts` runs one with npm's own `npx`.
 * @returns its output
 */
export async function sh(script: string, variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const folders = [
    join(import.meta.dirname, 'bin'),
    dirname(process.execPath),
    process.env['PATH'],
    join(ROOT, 'test/support/bin'),
  ];
  const env = childEnvironment({ PATH: folders.join(':'), ...variables });
  return (await promisify(execFile)('sh', ['-c', script], { cwd: ROOT, env })).stdout;
}

/** Replaces ids and times by their types. Everything else must equal the page. */
export function timeless(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) =>
    key === 'id' || key === 'projectId' || /Date|AtUtc/.test(key) ? typeof value : value,
  );
}

/** The `segue` command. */
export const SEGUE = await program({ env: {}, out: () => {}, err: () => {} });

/** Returns each command with its arguments, such as `company revoke <key id>`. */
export function commandsOf(command: Command | undefined, path = command?.name() ?? ''): string[] {
  const below = command?.commands ?? [];
  if (below.length > 0) return below.flatMap((each) => commandsOf(each, `${path} ${each.name()}`));
  return [[path, ...(command?.registeredArguments ?? []).map((argument) => `<${argument.name()}>`)].join(' ')];
}

/** Returns a group of commands, such as `source`. */
export const groupOf = (name: string) => SEGUE.commands.find((command) => command.name() === name);

/** Returns the long names of the options of commands. */
export const optionsOf = (commands: readonly Command[] = []): string[] =>
  commands.flatMap(({ options }) => options.flatMap(({ long }) => long ?? []));
