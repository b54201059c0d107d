import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { CONTEXTS, type Context, EVERY_OPTION, EXISTING, MINIMAL, MUTUAL_TLS, PRIVATE_NETWORK } from './contexts.ts';

/**
 * `npm run synth` synthesises each service's stack into `cdk.out`, without options, with all options and with as little
 * as possible, a stack that uses kept tables, one in a private network, and one with mutual TLS.
 */

const ROOT = join(import.meta.dirname, '..');
const CDK = join(ROOT, 'node_modules/aws-cdk/bin/cdk');

const everyOption = Object.entries(CONTEXTS).map(
  ([service, context]) => [`${service}-every-option`, { ...context, ...EVERY_OPTION }] as const,
);
const minimal = Object.entries(CONTEXTS).map(
  ([service, context]) => [`${service}-minimal`, { ...context, ...MINIMAL }] as const,
);
const others = {
  'hosted-existing': { ...CONTEXTS.hosted, ...EXISTING },
  'upstream-private-network': PRIVATE_NETWORK,
  'hosted-mutual-tls': MUTUAL_TLS,
};
for (const [folder, context] of [
  ...Object.entries(CONTEXTS),
  ...everyOption,
  ...minimal,
  ...Object.entries<Context>(others),
]) {
  const texts = Object.entries(context).filter(([, value]) => typeof value === 'string');
  const args = texts.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { status } = spawnSync(process.execPath, [CDK, 'synth', '--quiet', '-o', `cdk.out/${folder}`, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, CDK_DISABLE_CLI_TELEMETRY: '1' },
  });
  if (status !== 0) process.exitCode = 1;
}
