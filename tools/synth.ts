import { inspect } from 'node:util';
import { App } from 'aws-cdk-lib';
import { addSegueStack } from '../infra/stack.ts';
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
 * `npm run synth` synthesises stacks into `cdk.out`, and fails if cdk-nag or the CDK's validator finds something. It runs
 * the app for each service without options, with all options and with as little as possible, and for stacks with kept
 * tables, in a private network, and with mutual TLS. The stacks have no bundles: `npm run test:bundles` bundles the
 * functions, and runs `cdk synth`.
 */

const STACKS: Readonly<Record<string, Context>> = {
  ...CONTEXTS,
  'hosted-every-option': everyOption('hosted'),
  'upstream-every-option': everyOption('upstream'),
  'hosted-minimal': { ...CONTEXTS.hosted, ...MINIMAL },
  'upstream-minimal': { ...CONTEXTS.upstream, ...MINIMAL },
  'hosted-existing': { ...CONTEXTS.hosted, ...EXISTING },
  'upstream-private-network': PRIVATE_NETWORK,
  'hosted-mutual-tls': MUTUAL_TLS,
};

for (const [folder, settings] of Object.entries(STACKS)) {
  const app = new App({ outdir: `cdk.out/${folder}`, context: { ...contextWithoutBundles(), ...settings } });
  try {
    addSegueStack(app);
    app.synth();
  } catch (error) {
    console.error(`${folder}: ${inspect(error)}`);
    process.exitCode = 1;
  }
}

if (!process.exitCode) console.log(`Synthesized ${Object.keys(STACKS).length} stacks in cdk.out, no findings.`);
