import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { ROOT } from '../../infra/bundle.ts';
import { NO_BUNDLES } from '../../tools/contexts.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';

const CdkJson = z.object({ app: z.string(), context: z.record(z.string(), z.unknown()) });

it.each([
  ['examples/cdk', 'Website', 'AWS::ApiGateway::RestApi'],
  ['examples/workflow', 'Publication', 'AWS::StepFunctions::StateMachine'],
])('%s synthesises', { timeout: MUCH_WORK_MS }, async (folder, stack, holds) => {
  const cwd = resolve(ROOT, folder);
  const { app, context } = CdkJson.parse(JSON.parse(readFileSync(resolve(cwd, 'cdk.json'), 'utf8')));
  const outdir = mkdtempSync(resolve(tmpdir(), 'segue-example-'));
  onTestFinished(() => rmSync(outdir, { recursive: true }));
  const [program = '', ...args] = app.split(' ');
  const env = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify({ ...context, ...NO_BUNDLES }) };
  expect(program).toBe('node');
  await promisify(execFile)(process.execPath, args, { cwd, env });
  expect(readFileSync(resolve(outdir, `${stack}.template.json`), 'utf8')).toContain(holds);
});
