import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { type Listening, listen } from '../support/listen.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';

/** Runs the conformance tests of the Model Context Protocol against `npm start`. */

vi.setConfig({ testTimeout: MUCH_WORK_MS });

const CONFORMANCE = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Where the tool writes its reports. */
const reports = mkdtempSync(join(tmpdir(), 'segue-mcp-'));
let gateway: StartedGateway;
let proxy: Listening;
beforeAll(async () => {
  gateway = await startGateway();
  proxy = await listen(authorizing(gateway));
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await gateway.stop();
  rmSync(reports, { recursive: true });
});

/** A proxy that adds the credentials, which the tool cannot send, and leaves every other header. */
function authorizing({ url, authorization }: StartedGateway) {
  return createServer((received, response) => {
    const { method = 'GET', url: path = '/', headers } = received;
    const passed = request(url + path, { method, headers: { ...headers, authorization } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    received.pipe(passed);
  });
}

/** Runs one scenario, which fails if one of its checks does. */
async function run(scenario: string): Promise<string> {
  const args = ['server', '--url', `http://${proxy.address}/mcp`, '--scenario', scenario, '--output-dir', reports];
  const { stdout } = await promisify(execFile)(process.execPath, [CONFORMANCE, ...args], {
    cwd: reports,
    env: childEnvironment({}),
  });
  return stdout;
}

describe('the conformance tests of the Model Context Protocol', () => {
  it.each(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])('pass: %s', async (scenario) => {
    expect(await run(scenario)).toMatch(/Passed: [1-9]\d*\/[1-9]\d*, 0 failed/);
  });

  it('fail for what Segue does not have', async () => {
    await expect(run('resources-list')).rejects.toMatchObject({ code: 1 });
  });
});
