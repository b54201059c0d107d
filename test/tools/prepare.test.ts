import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { childEnvironment } from '../support/child-environment.ts';

const SCRIPT = join(import.meta.dirname, '../../tools/prepare.cjs');

/** Runs the script with an npm that only prints its arguments and its options. */
async function prepare(options: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = temporaryFolder();
  const npm = join(folder, 'npm');
  writeFileSync(npm, '#!/bin/sh\necho "$@" $(env | grep "^npm_config_" | sort)\n');
  chmodSync(npm, 0o755);
  const env = childEnvironment({ ...options, PATH: [folder, process.env['PATH']].join(delimiter) });
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT], { env });
  return stdout.split('\n').filter(Boolean);
}

it('builds, without the options of the outer npm', async () => {
  const options = { npm_config_json: 'true', npm_config_pack_destination: '/x', npm_config_cache: '/cache' };
  expect(await prepare(options)).toEqual(
    ['client', 'viewer', 'console'].map((name) => `run --silent build:${name} npm_config_cache=/cache`),
  );
});

it('builds nothing in a dry run', async () => {
  expect(await prepare({ npm_config_dry_run: 'true' })).toEqual([]);
});
