import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type AppProps, NestedStack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { ServiceName } from '../../infra/functions/function-spec.ts';
import { addSegueStack } from '../../infra/stack.ts';
import { CONTEXTS, type Context, contextWithoutBundles } from '../../tools/contexts.ts';

/** `npm run synth` and `test/bundles/rules.test.ts` run the CDK's validator, which takes half of the time of a synthesis. */
const WITHOUT_VALIDATOR: AppProps = { builtinCloudFormationValidation: false };

/**
 * Runs `use` with an app in a temporary folder, without bundles. The context of the app is that of `cdk.json`, and
 * `more`.
 */
export async function withApp<Result>(
  use: (app: App) => Result | Promise<Result>,
  more: Context = {},
  props = WITHOUT_VALIDATOR,
): Promise<Result> {
  const outdir = mkdtempSync(join(tmpdir(), 'segue-synth-'));
  try {
    return await use(new App({ ...props, context: { ...contextWithoutBundles(), ...more }, outdir }));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/**
 * Synthesises Segue's stack.
 * @throws an error with the report if cdk-nag finds a fault
 */
export async function synthesise(service: ServiceName, more: Context = {}): Promise<Template> {
  return (await synthesiseAll(service, more)).template;
}

/** The templates of a stack. Tests must not change them, because they share them. */
interface Templates {
  readonly template: Template;
  /** The nested stack of the state machines of bulk runs. */
  readonly bulk: Template | undefined;
  /** The texts of the warnings. */
  readonly warnings: readonly string[];
}

const made = new Map<string, Promise<Templates>>();

/**
 * Synthesises Segue's stack, with the nested stack of the state machines of bulk runs. The same settings are
 * synthesised once in each process, because that takes a second.
 * @throws an error with the report if cdk-nag finds a fault
 */
export function synthesiseAll(service: ServiceName, more: Context): Promise<Templates> {
  const context = { ...CONTEXTS[service], ...more };
  const key = JSON.stringify(context);
  const templates = made.get(key) ?? synthesiseNow(context);
  made.set(key, templates);
  return templates;
}

function synthesiseNow(context: Context): Promise<Templates> {
  return withApp((app) => {
    const stack = addSegueStack(app);
    const { messages } = app.synth().getStackArtifact(stack.artifactId);
    const nested = stack.node.findAll().find((construct) => construct instanceof NestedStack);
    return {
      template: Template.fromStack(stack),
      bulk: nested && Template.fromStack(nested),
      warnings: messages.flatMap(({ level, entry }) => (level === 'warning' ? [String(entry.data)] : [])),
    };
  }, context);
}
