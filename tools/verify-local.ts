import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startGateway } from '../test/support/gateway.ts';

/**
 * `npm run verify:local` starts Segue with an empty store, and runs `npm run verify` against it. With `--simulator`, Segue
 * stands in front of the simulator, and does not run its own service. Other arguments are passed to `npm run verify`.
 */

const SIMULATOR = '--simulator';
const args = process.argv.slice(2);
const inFront = args.includes(SIMULATOR);

const began = performance.now();
const upstream = inFront ? await startGateway({ script: 'simulator', args: ['--seed', '1'] }) : undefined;
// The simulator shows each change at once, so Segue needs only the shortest time to wait for changes.
const gateway = await startGateway(upstream ? { upstream, env: { SEGUE_SETTLE_SECONDS: '1' } } : {});
console.log(`Ready after ${Math.round(performance.now() - began)} ms`);
try {
  const verifyArgs = [...(inFront ? ['--in-front'] : []), ...args.filter((arg) => arg !== SIMULATOR)];
  const verify = spawn('npm', ['run', '--silent', 'verify', '--', gateway.url, ...verifyArgs], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SEGUE_COMPANY_ID: gateway.companyId, SEGUE_API_KEY: gateway.apiKey },
  });
  const [code] = await once(verify, 'close');
  process.exitCode = code === 0 ? 0 : 1;
} finally {
  await gateway.stop();
  await upstream?.stop();
}
