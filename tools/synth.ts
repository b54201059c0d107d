import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import {
  CONTEXTS,
  type Context,
  contextWithoutBundles,
  EXISTING,
  everyOption,
  MINIMAL,
  MUTUAL_TLS,
  PRIVATE_NETWORK,
} from './contexts.ts';

/**
 * `npm run synth` synthesises stacks into `cdk.out`, and fails if cdk-nag or the CDK's validator finds something. It
 * runs `cdk synth` for each service without options. It runs the app itself, without bundles, for each service with all
 * options and with as little as possible, and for stacks with kept tables, in a private network, and with mutual TLS.
 */

const ROOT = join(import.meta.dirname, '..');
const CDK = join(ROOT, 'node_modules/aws-cdk/bin/cdk');

const WITHOUT_BUNDLES: Readonly<Record<string, Context>> = {
  'hosted-every-option': everyOption('hosted'),
  'upstream-every-option': everyOption('upstream'),
  'hosted-minimal': { ...CONTEXTS.hosted, ...MINIMAL },
  'upstream-minimal': { ...CONTEXTS.upstream, ...MINIMAL },
  'hosted-existing': { ...CONTEXTS.hosted, ...EXISTING },
  'upstream-private-network': PRIVATE_NETWORK,
  'hosted-mutual-tls': MUTUAL_TLS,
};

/**
 * Runs Node in the repository's folder, and remembers whether it failed. Shows the output only then: the options of these
 * stacks have warnings that nobody needs to act on.
 */
function node(args: readonly string[], env: NodeJS.ProcessEnv): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  if (status === 0) return;
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = 1;
}

for (const [service, context] of Object.entries(CONTEXTS)) {
  const args = Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  node([CDK, 'synth', '--quiet', '-o', `cdk.out/${service}`, ...args], { CDK_DISABLE_CLI_TELEMETRY: '1' });
}

for (const [folder, settings] of Object.entries(WITHOUT_BUNDLES)) {
  const context = { ...contextWithoutBundles(), ...settings };
  node(['infra/app.ts'], { CDK_OUTDIR: `cdk.out/${folder}`, CDK_CONTEXT_JSON: JSON.stringify(context) });
}

const count = Object.keys({ ...CONTEXTS, ...WITHOUT_BUNDLES }).length;
if (!process.exitCode) console.log(`Synthesized ${count} stacks in cdk.out, no findings.`);
