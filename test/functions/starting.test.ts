import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { bundleFunction } from '../../infra/bundle.ts';
import { clockVariables } from '../support/child-environment.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';

// processes take seconds where every core is busy
vi.setConfig({ testTimeout: MUCH_WORK_MS });

/** Whatever AWS is asked for, it refuses. */
const asked: unknown[] = [];
const aws = createServer((request, response) => {
  asked.push(request.headers['x-amz-target']);
  request.resume();
  response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify({ __type: 'AccessDeniedException' }));
});
const folder = mkdtempSync(join(tmpdir(), 'segue-starting-'));
beforeAll(async () => {
  aws.listen(0, '127.0.0.1');
  await once(aws, 'listening');
});
afterAll(() => {
  aws.close();
  rmSync(folder, { recursive: true });
});

function environment() {
  const address = aws.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    ...clockVariables(),
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'nobody',
    AWS_SECRET_ACCESS_KEY: 'nothing',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${address.port}`,
    SEGUE_UPSTREAM_URL: 'https://projects.example.com',
    SEGUE_UPSTREAM_SECRET: 'upstream',
    SEGUE_TABLE: 'table',
    SEGUE_BUCKET: 'bucket',
  };
}

it.each([
  ['upstream', 'the secret and the table', ['DynamoDB_20120810.GetItem', 'secretsmanager.GetSecretValue']],
  ['hosted', 'the table', ['DynamoDB_20120810.GetItem']],
] as const)(
  'a function of the %s service asks for %s while it starts, and starts without an answer',
  async (service, _, targets) => {
    const outdir = join(folder, service);
    await bundleFunction('functions/changeProjects.ts', { service, outdir });
    const start = `await import(${JSON.stringify(pathToFileURL(join(outdir, 'index.mjs')).href)}); process.exit();`;
    asked.length = 0;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', start], { env: environment() });
    expect(asked.sort()).toEqual(targets);
  },
);
