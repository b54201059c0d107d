import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startDynamoDbLocal } from './emulators/dynamodb-local.ts';
import type { Emulator } from './emulators/emulator.ts';
import { emulatedAws } from './emulators/environment.ts';
import { startMoto } from './emulators/moto.ts';

/** `npm run test:aws` tests the AWS adapters against emulators. Its arguments are passed to vitest. */

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

const emulators: Emulator[] = [];
try {
  const moto = await started(startMoto());
  const dynamoDb = await started(startDynamoDbLocal());
  const vitest = spawn(process.execPath, [VITEST, 'run', '--project', 'aws', ...process.argv.slice(2)], {
    cwd: ROOT,
    stdio: 'inherit',
    env: emulatedAws(process.env, moto.url, { AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.url }),
  });
  const [code] = await once(vitest, 'close');
  process.exitCode = code === 0 ? 0 : 1;
} finally {
  await Promise.all(emulators.map((emulator) => emulator.stop()));
}

async function started(starting: Promise<Emulator>): Promise<Emulator> {
  const emulator = await starting;
  emulators.push(emulator);
  return emulator;
}
