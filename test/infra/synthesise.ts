import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod/mini';
import { ROOT } from '../../infra/bundle.ts';
import type { ServiceName } from '../../infra/catalogue.ts';
import { compose } from '../../infra/compose.ts';

const CdkJson = z.object({ context: z.record(z.string(), z.unknown()) });

/** What a deployment is told with `-c`. */
export type Context = Readonly<Record<string, unknown>>;

/** By which a deployment is said to be of a service. */
export const CONTEXTS: Record<ServiceName, Context> = {
  hosted: { service: 'hosted' },
  upstream: { upstreamUrl: 'https://projects.example.com' },
};

/** Every option at once, of an account that exists nowhere. */
export const EVERY_OPTION: Context = {
  domainName: 'projects.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:000000000000:certificate/00000000-0000-0000-0000-000000000000',
  basePath: 'v1',
  firewall: 'true',
  encryptionKeyArn: 'arn:aws:kms:eu-central-1:000000000000:key/00000000-0000-0000-0000-000000000000',
  alarmTopicArn: 'arn:aws:sns:eu-central-1:000000000000:alarms',
  recoveryDays: '0',
  startToleranceSeconds: '60',
  reservedConcurrency: { createProject: 5 },
};

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
      const stack = compose(app);
      app.synth();
      return Template.fromStack(stack);
    },
    { ...CONTEXTS[service], ...more },
  );
}
