import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { childEnvironment } from '../support/child-environment.ts';

test('a script of a clone without its packages says to run npm ci, and exits with 1', () => {
  const preload = join(temporaryFolder(), 'require-node-24.cjs');
  copyFileSync(join(import.meta.dirname, '../../tools/require-node-24.cjs'), preload);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-r', preload, '-e', 'console.log("ran")'], {
    env: childEnvironment({}),
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: 'Segue’s packages are not installed: run "npm ci".\n',
  });
});
