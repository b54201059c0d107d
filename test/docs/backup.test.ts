import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import { startGateway } from '../support/gateway.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { smallProject } from '../support/projects.ts';
import { blocks, read, sh } from './world.ts';

vi.setConfig({ testTimeout: MUCH_WORK_MS });

/** Copies a database for `sqlite3 <from> ".backup '<to>'"`, and answers nothing else. */
const STAND_IN = `#!/bin/sh
case $2 in
.backup*)
  to=\${2#*"'"}
  exec cp "$1" "\${to%"'"}"
esac
`;

const Token = z.object({ access_token: z.string() });

it('docs/backup.md brings back the state of a running Segue, with its keys', async () => {
  const [makeBackup = '', withSqlite = '', restore = ''] = blocks(read('docs/backup.md'), 'sh');
  const folder = await mkdtemp(join(tmpdir(), 'segue-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const variables = { SEGUE_DATA_DIR: join(folder, 'data'), BACKUP: join(folder, 'backup') };
  const { SEGUE_DATA_DIR, BACKUP } = variables;

  const before = await startGateway({ env: { SEGUE_DATA_DIR } });
  const send = (path: string, body: string, type: string) =>
    fetch(before.url + path, {
      method: 'POST',
      headers: { Authorization: before.authorization, 'Content-Type': type },
      body,
    });
  const create = async (customId: string) => {
    const body = JSON.stringify(smallProject({ customId }));
    expect(await send('/segments/projects', body, 'application/json')).toHaveProperty('status', 201);
  };
  await create('saved');
  const signedIn = await send('/oauth/token', 'grant_type=client_credentials', 'application/x-www-form-urlencoded');
  const { access_token: token } = Token.parse(await signedIn.json());

  expect(await sh(makeBackup, variables)).toBe('ok\n');
  await expect(sh(makeBackup, variables)).rejects.toThrow('File exists');
  await expect(sh(makeBackup, { ...variables, SEGUE_DATA_DIR: folder })).rejects.toThrow();
  expect((await stat(join(BACKUP, 'segue.db'))).mode & 0o077).toBe(0);
  expect(await readdir(BACKUP)).not.toContain('segue.reserve');
  // The command line of SQLite is not installed everywhere.
  await writeFile(join(folder, 'sqlite3'), STAND_IN, { mode: 0o755 });
  const other = join(folder, 'other-backup');
  await sh(withSqlite, { SEGUE_DATA_DIR, BACKUP: other, PATH: `${folder}:${process.env['PATH']}` });
  expect((await readdir(other)).sort()).toEqual((await readdir(BACKUP)).sort());
  await create('lost');
  await before.stop();

  await sh(restore, { ...variables, SEGUE_DATA_DIR: `${SEGUE_DATA_DIR}/` });
  const after = await startGateway({ env: { SEGUE_DATA_DIR } });
  onTestFinished(async () => void (await after.stop()));
  const statusOf = async (customId: string, authorization: string) =>
    (await fetch(`${after.url}/segments/projects/custom/${customId}`, { headers: { Authorization: authorization } }))
      .status;
  expect(await statusOf('saved', after.authorization)).toBe(200);
  expect(await statusOf('saved', `Bearer ${token}`)).toBe(200);
  expect(await statusOf('lost', after.authorization)).toBe(404);
});

it('git ignores the folders that docs/backup.md makes in the clone', () => {
  expect(read('docs/backup.md')).toContain('`.segue-before-<time>`');
  expect(read('.gitignore').split('\n')).toContain('.segue*');
});
