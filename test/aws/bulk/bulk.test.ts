import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  type SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { registerCompany } from '../../../lib/credentials/company-record.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import type { LineResult } from '../../../lib/workflow/bulk/run-line.ts';
import type { TaskHandler } from '../../../lib/workflow/task-handler.ts';
import { creation, writeLines } from '../../../packages/cli/test/world.ts';
import { emulatedAws } from '../../../tools/emulators/environment.ts';
import { callContext } from '../../lib/support.ts';
import { segueOn } from '../cli.ts';
import { Died, type MotoWithLambdas, motoWith } from './lambdas.ts';
import { BUCKET, deployMachine } from './machine.ts';

const LINES = 80;
/** Every 33rd line is faulty. Every 7th call of a function fails, half of them after their work. */
const FAULTY = 33;
const DYING = 7;

const folder = mkdtempSync(join(tmpdir(), 'segue-bulk-'));
let moto: MotoWithLambdas;
let stateMachineArn: string;
let sfn: SFNClient;
let service: ProjectService;
/** The result of each call of a line's task. */
const results: LineResult[] = [];
let calls = 0;

/** Returns the deployed functions, which record the results of lines. */
async function deployed(): Promise<Record<string, TaskHandler<unknown>>> {
  const prepareBulk = await import('../../../functions/tasks/prepareBulk.ts');
  const bulkLine = await import('../../../functions/tasks/bulkLine.ts');
  return {
    prepareBulk: prepareBulk.handler,
    async bulkLine(input, context) {
      const result = await bulkLine.handler(input, context);
      results.push(result);
      return result;
    },
  };
}

beforeAll(async () => {
  const variables = { SEGUE_DATA_DIR: folder, SEGUE_COMPANY_ID: 'acme', SEGUE_API_KEY: 'a-key-for-tests-only' };
  for (const [name, value] of Object.entries({ ...variables, SEGUE_MANIFESTS: BUCKET })) vi.stubEnv(name, value);
  moto = await motoWith(deployed, async (invoke) => {
    const isDying = ++calls % DYING === 0;
    if (isDying && calls % 2 === 0) throw new Died('Before');
    const result = await invoke();
    if (isDying) throw new Died('After');
    return result;
  });
  for (const [name, value] of Object.entries(emulatedAws({}, moto.url))) vi.stubEnv(name, value);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', moto.url);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  ({ stateMachineArn, sfn } = await deployMachine(moto.url));
  service = await (await import('#service')).openService();
  const { storage } = await import('#platform');
  await registerCompany(storage(), 'acme');
});
afterAll(async () => {
  const { closePlatform } = await import('#platform');
  closePlatform();
  await moto[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
beforeEach(() => {
  results.length = 0;
});

const isFaulty = (line: number) => line % FAULTY === 0;
const lines = Array.from({ length: LINES }, (_, index) => index + 1);
const nameOf = (line: number) => `canary of line ${String(line).padStart(3, '0')}`;
const manifest = writeLines(
  folder,
  lines.map((line) => creation(isFaulty(line) ? { name: 5, bogus: 1 } : { name: nameOf(line) })),
);

const segue = (...args: string[]) => segueOn('Segue', 'bulk', manifest, ...args);

async function names(): Promise<string[]> {
  return (await service.list({ limit: 100 }, callContext())).projects.map(({ name }) => String(name)).sort();
}

/** Returns the last result of each line. */
const lastResults = () => [...new Map(results.map((result) => [result.line, result])).values()];

describe('the state machine of a company', () => {
  it('creates one project for each valid line and reports every fault of the others, although functions die', async () => {
    const { code, err } = await segue('--company', 'acme');
    const faulty = lines.filter(isFaulty);
    expect(code).toBe(1);
    expect(err).toContain(`100 %: ${LINES} of ${LINES} entries, ${faulty.length} failed\n`);
    expect(err).toMatch(/\nsegue: 2 lines failed\n$/);
    expect(await names()).toEqual(lines.filter((line) => !isFaulty(line)).map(nameOf));
    const failed = lastResults().filter((result) => result.outcome === 'failed');
    expect(failed.map(({ line }) => line).sort()).toEqual(faulty);
    for (const { cause, failure } of failed) {
      expect(failure).toBe('Segue.Terminal.invalid-project');
      expect(JSON.parse(cause).errors).toMatchObject([{ pointer: '/name' }, { pointer: '/bogus' }]);
    }
    expect(results.length).toBeGreaterThan(LINES);
  });

  it('creates nothing new from the same manifest', async () => {
    const before = await names();
    const { code } = await segue('--company', 'acme');
    expect(code).toBe(1);
    expect(await names()).toEqual(before);
    const done = results.filter((result) => result.outcome !== 'failed');
    expect(done.length).toBeGreaterThanOrEqual(before.length);
    expect(done.every(({ replayed }) => replayed)).toBe(true);
  });

  it('keeps no content in its history', async () => {
    const { executions = [] } = await sfn.send(new ListExecutionsCommand({ stateMachineArn }));
    expect(executions).toHaveLength(2);
    for (const { executionArn } of executions) {
      const history = JSON.stringify((await sfn.send(new GetExecutionHistoryCommand({ executionArn }))).events);
      expect(history).toContain('"MapRunSucceeded"');
      expect(history).not.toContain('canary');
    }
  });

  it('refuses the manifest of another company', async () => {
    const input = JSON.stringify({ key: 'manifests/other/a.jsonl' });
    const { executionArn } = await sfn.send(new StartExecutionCommand({ stateMachineArn, name: 'other', input }));
    await expect
      .poll(async () => (await sfn.send(new DescribeExecutionCommand({ executionArn }))).error, { timeout: 10_000 })
      .toBe('Segue.Terminal.invalid-parameter');
    expect(results).toEqual([]);
  });

  it('reports that another company has no state machine', async () => {
    const { code, err } = await segue('--company', 'other');
    expect(code).toBe(1);
    expect(err).toBe(
      'segue: the stack has no state machine for the company: add the company to the setting bulkCompanies, such as -c bulkCompanies=<id>,<id>, and deploy the stack again\n',
    );
  });
});
