import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { companyKey } from '../../../lib/credentials/company-record.ts';
import { parseSigningKeys } from '../../../lib/credentials/signing-keys.ts';
import { openSqlite, temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { textOf } from '../../../test/support/gateway.ts';
import { addCompany, segue, segueHere } from '../../../test/support/segue.ts';

/** Ways to damage a folder, so that no command can use it. */
const DAMAGES: Readonly<Record<string, (folder: string) => void>> = {
  'a store that is none': (folder) => writeFileSync(join(folder, 'segue.db'), 'SUPERSECRET'.repeat(1_000)),
  'a store of a newer format': (folder) => inStore(folder, 'PRAGMA user_version = 999'),
  'a store without its tables': (folder) => inStore(folder, 'PRAGMA user_version = 2'),
  'a company’s record of another shape': (folder) => {
    openSqlite(Date.now, folder).close();
    const { partition, sort } = companyKey('acme');
    inStore(
      folder,
      `INSERT INTO items (partition, sort, version, data) VALUES ('credentials/companies', 'acme', 1, '{}'),
       ('${partition}', '${sort}', 1, '["SUPERSECRET"]')`,
    );
  },
};

function inStore(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'segue.db'));
  database.exec(sql);
  database.close();
}

describe.each(Object.entries(DAMAGES))('%s', (_, damage) => {
  it('is reported in one line without content, with exit code 1', async () => {
    const folder = temporaryFolder();
    damage(folder);
    const commands = [
      ['company', 'rotate', 'acme'],
      ['company', 'list'],
    ];
    const ended = await Promise.all(commands.map((args) => segueHere(folder, ...args)));
    const failed = ended.filter(({ code }) => code !== 0);
    expect(failed).not.toEqual([]);
    for (const { code, stdout, stderr } of failed) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^segue: [^\n]+\n$/);
      expect(stderr).not.toContain('SUPERSECRET');
    }
  });
});

it('a data folder that is a file is one line', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  for (const args of [
    ['company', 'list'],
    ['signing-keys', 'rotate'],
    ['signing-keys', 'drop'],
  ]) {
    const ended = await segueHere(file, ...args);
    expect(ended).toMatchObject({ stdout: '', stderr: expect.stringMatching(/^segue: [^\n]+\n$/) });
    expect(ended.code).toBeOneOf([1, 2]);
  }
});

it('signing-keys rotate prints when the new key begins to sign', async () => {
  const folder = temporaryFolder();
  const { code, stdout } = await segueHere(folder, 'signing-keys', 'rotate');
  expect(code).toBe(0);
  const [newest] = parseSigningKeys(JSON.parse(readFileSync(join(folder, 'signing-keys.json'), 'utf8')));
  expect(stdout).toContain(` signs tokens from ${new Date(newest?.signsFromMs ?? 0).toISOString()} on.`);
});

describe('two processes at once', () => {
  it('create one store, and give a company one key', async () => {
    const folder = temporaryFolder();
    const ended = await Promise.all([1, 2, 3].map(() => segue(folder, 'company', 'add', 'acme')));
    expect(ended.map(({ code }) => code).sort()).toEqual([0, 1, 1]);
    for (const { code, stderr } of ended)
      if (code === 1) expect(stderr).toMatch(/^segue: [^\n]*company rotate acme\n$/);
    expect((await segueHere(folder, 'company', 'list')).stdout.trimEnd().split('\n')).toHaveLength(2);
  });
});

it('a list ends with one line if its reader has closed the pipe', async () => {
  const folder = temporaryFolder();
  await addCompany(folder, 'acme');
  const child = spawn('sh', ['-c', 'bin/segue.mjs company list | true; echo done'], {
    cwd: join(import.meta.dirname, '../../..'),
    env: childEnvironment({ SEGUE_DATA_DIR: folder }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  await once(child, 'close');
  expect(stdout()).toBe('done\n');
  expect(stderr()).toBe('segue: the command’s output was closed before the command ended\n');
});
