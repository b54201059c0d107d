import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { installMoto, startMoto } from './moto.ts';

/** `npm run test:aws`: the tests of the AWS adapters against emulators. Arguments go to vitest. */
const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

const moto = await startMoto(installMoto());
try {
  const vitest = spawn(
    process.execPath,
    [VITEST, 'run', '--config', 'vitest.aws.config.ts', ...process.argv.slice(2)],
    { cwd: ROOT, stdio: 'inherit', env: { ...withoutAws(process.env), ...emulatedAws(moto.url) } },
  );
  const [code] = await once(vitest, 'close');
  process.exitCode = code === 0 ? 0 : 1;
} finally {
  await moto.stop();
}

/** An account that exists nowhere, on this machine. */
function emulatedAws(url: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'emulated',
    AWS_SECRET_ACCESS_KEY: 'emulated',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

/** Nothing of the account of whoever runs the tests reaches them. */
function withoutAws(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('AWS_')));
}
