import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPeers } from '../bench/support/install-peers.ts';

/** `npm run lint:description` checks the API description with Spectral (OpenAPI and OWASP rules) and Redocly. */

const FOLDER = join(import.meta.dirname, 'lint-description');
const DESCRIPTION = join(import.meta.dirname, '../lib/contract/openapi.json');

const LINTERS = [
  { program: 'spectral', args: ['lint', '--ruleset', 'spectral.mjs', '--fail-severity', 'hint'] },
  { program: 'redocly', args: ['lint', '--config', 'redocly.yaml', '--max-problems', '1000'] },
];

await installPeers(FOLDER);
const failed = LINTERS.filter(({ program, args }) => {
  const path = join(FOLDER, 'node_modules/.bin', program);
  const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return spawnSync(path, [...args, DESCRIPTION], { cwd: FOLDER, env, stdio: 'inherit' }).status !== 0;
});
process.exitCode = failed.length === 0 ? 0 : 1;
