import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import { readSettings } from '../../infra/context.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { read } from './world.ts';

const PAGE = read('docs/upgrade.md');

const Step = z.strictObject({
  name: z.optional(z.string()),
  uses: z.optional(z.string().regex(/^[\w-]+\/[\w-]+@v\d+$/)),
  with: z.optional(z.record(z.string(), z.union([z.string(), z.number()]))),
  run: z.optional(z.string()),
  env: z.optional(z.record(z.string(), z.string())),
});
const Job = z.strictObject({
  if: z.optional(z.string()),
  needs: z.optional(z.string()),
  'runs-on': z.literal('ubuntu-latest'),
  environment: z.optional(z.string()),
  concurrency: z.optional(z.strictObject({ group: z.string(), 'cancel-in-progress': z.literal(false) })),
  permissions: z.optional(z.record(z.string(), z.enum(['read', 'write']))),
  steps: z.array(Step),
});
const Workflow = z.strictObject({
  name: z.string(),
  on: z.strictObject({
    pull_request: z.null(),
    push: z.strictObject({ branches: z.tuple([z.literal('main')]) }),
    schedule: z.array(z.strictObject({ cron: z.string() })),
  }),
  permissions: z.strictObject({ contents: z.literal('read') }),
  jobs: z.record(z.string(), Job),
});

describe('examples/github-actions/segue.yml', () => {
  const document = parseDocument(read('examples/github-actions/segue.yml'), { strict: true });
  const { jobs } = Workflow.parse(document.toJS());
  const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));

  it('is valid YAML, whose jobs wait only for jobs that exist', () => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    for (const { needs } of Object.values(jobs)) if (needs !== undefined) expect(Object.keys(jobs)).toContain(needs);
  });

  it.each(runs)('runs %j, a valid script with scripts of npm that exist', (run) => {
    const { status } = spawnSync('bash', ['-n'], { input: run });
    expect(status).toBe(0);
    for (const [, script = ''] of run.matchAll(/npm run ([\w:]+)/g)) expect(packageJson.scripts).toHaveProperty(script);
  });

  it('assumes a role exactly where it calls AWS', () => {
    for (const { steps, permissions } of Object.values(jobs)) {
      const assumes = steps.some(({ uses }) => uses?.startsWith('aws-actions/configure-aws-credentials@'));
      const calls = steps.some(({ run }) => /cdk (diff|deploy)/.test(run ?? ''));
      expect([assumes, permissions?.['id-token'] === 'write']).toEqual([calls, calls]);
    }
  });

  it('compares in a pull request, after a deployment and every night, as the page says', () => {
    expect(Object.keys(jobs)).toEqual(['check', 'diff', 'deploy', 'drift']);
    const diffs = runs.flatMap((run) => run.match(/npx cdk diff[^|\n]*/g) ?? []).map((command) => command.trim());
    expect(diffs).toEqual([
      'npx cdk diff --method=template --no-color 2>&1',
      'npx cdk diff --fail',
      'npx cdk diff --method=template --fail',
    ]);
    expect(PAGE).toContain('`examples/github-actions/segue.yml`');
  });
});

it('docs/upgrade.md names rollouts that a stack accepts', () => {
  const [, ...rows] = [...PAGE.matchAll(/^\| `([a-z-]+)`/gm)].map(([, rollout = '']) => rollout);
  expect(rows).toEqual(['gradual', 'at-once', 'in-place']);
  for (const rollout of rows) expect(readSettings({ service: 'hosted', rollout })).toMatchObject({ rollout });
});
