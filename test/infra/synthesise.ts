import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod/mini';
import { ROOT } from '../../infra/bundle.ts';
import type { ServiceName } from '../../infra/functions/catalogue.ts';
import { addSegueStack } from '../../infra/stack.ts';
import { CONTEXTS, type Context } from '../../scripts/contexts.ts';

const CdkJson = z.object({ context: z.record(z.string(), z.unknown()) });

/** Runs `use` with an app as the CLI would make it, with the context of `cdk.json`, and leaves nothing behind. */
export async function withApp<Result>(
  use: (app: App) => Result | Promise<Result>,
  given: Context = {},
): Promise<Result> {
  const outdir = mkdtempSync(join(tmpdir(), 'segue-synth-'));
  const { context } = CdkJson.parse(JSON.parse(readFileSync(resolve(ROOT, 'cdk.json'), 'utf8')));
  try {
    return await use(new App({ context: { ...context, ...given }, outdir }));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

/** The stack's template; a finding of the library's validation or of cdk-nag fails it, with the whole report. */
export function synthesise(service: ServiceName, more: Context = {}): Promise<Template> {
  return withApp(
    (app) => {
      const stack = addSegueStack(app);
      app.synth();
      return Template.fromStack(stack);
    },
    { ...CONTEXTS[service], ...more },
  );
}
