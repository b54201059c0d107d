import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startGateway } from '../test/support/gateway.ts';
import { pythonProgram } from './emulators/python.ts';

/**
 * `npm run test:schemathesis` sends `npm start` requests that Schemathesis makes from the API description, valid and
 * invalid, and checks each answer by the description. Its arguments are passed to Schemathesis, such as
 * `-- --max-examples 1000`.
 */

const SCHEMATHESIS = 'schemathesis==4.32.5';
const FOLDER = join(import.meta.dirname, '../test/schemathesis');
const DESCRIPTION = join(import.meta.dirname, '../lib/contract/openapi.json');

const { program } = pythonProgram(SCHEMATHESIS, 'schemathesis');
const gateway = await startGateway({ env: { SEGUE_WRONG_CREDENTIALS: '99999:99999' } });
try {
  const auth = `${gateway.companyId}:${gateway.apiKey}`;
  const options = ['--url', gateway.url, '--auth', auth, '--max-examples', '20', ...process.argv.slice(2)];
  const run = spawn(program, ['--config-file', 'schemathesis.toml', 'run', DESCRIPTION, ...options], {
    cwd: FOLDER,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' },
  });
  const [code] = await once(run, 'close');
  process.exitCode = code === 0 ? 0 : 1;
} finally {
  await gateway.stop();
}
