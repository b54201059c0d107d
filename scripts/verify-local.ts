import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startGateway } from '../test/support/gateway.ts';

/** `npm run verify:local`: starts Segue with an empty store and runs `npm run verify` against it. Arguments go there. */
const began = performance.now();
const gateway = await startGateway();
console.log(`Ready after ${Math.round(performance.now() - began)} ms`);
try {
  const verify = spawn('npm', ['run', '--silent', 'verify', '--', gateway.url, ...process.argv.slice(2)], {
    cwd: join(import.meta.dirname, '..'),
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SEGUE_COMPANY_ID: gateway.companyId, SEGUE_API_KEY: gateway.apiKey },
  });
  const [code] = await once(verify, 'close');
  process.exitCode = code === 0 ? 0 : 1;
} finally {
  await gateway.stop();
}
