import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { callTool, textsOf } from '../../../test/lib/agents/world.ts';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { textOf } from '../../../test/support/gateway.ts';
import { listen } from '../../../test/support/listen.ts';
import { smallProject } from '../../../test/support/projects.ts';
import { addCompany, segueHere } from '../../../test/support/segue.ts';
import { openGateway } from './world.ts';

const ROOT = join(import.meta.dirname, '../../..');
const Created = z.object({ id: z.int() });
const Plan = z.object({ plan: z.string() });

/** Returns the environment of `segue mcp` for a key with some scopes, at a gateway in this process. */
async function world(scopes: string) {
  const folder = temporaryFolder();
  const { url } = await openGateway(folder);
  const { apiKey } = await addCompany(folder, 'acme', '--scopes', scopes);
  return { url, env: { SEGUE_URL: url, SEGUE_COMPANY_ID: 'acme', SEGUE_API_KEY: apiKey } };
}

/** Starts `segue mcp` as a host of agents does, and connects to it. */
async function connectTo(env: Readonly<Record<string, string>>): Promise<Client> {
  const defined = Object.entries(childEnvironment(env)).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['bin/segue.mjs', 'mcp'],
    cwd: ROOT,
    env: Object.fromEntries(defined),
    stderr: 'pipe',
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

function spawnMcp(env: Readonly<Record<string, string>>) {
  return spawn(process.execPath, ['bin/segue.mjs', 'mcp'], {
    cwd: ROOT,
    env: childEnvironment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

const codeOf = async (child: ChildProcess) => (await once(child, 'exit'))[0];

describe('segue mcp', () => {
  it('creates, reads and deletes a project with the key of the login', async () => {
    const { url, env } = await world('create,read,delete');
    const client = await connectTo(env);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('deleteProject');
    expect(tools.map(({ name }) => name)).not.toContain('writeTranslations');

    const project = smallProject({ customId: 'a/b' });
    const created = await callTool(client, 'createProject', { project, idempotencyKey: 'once' });
    const [text = '', location] = textsOf(created);
    const { id } = Created.parse(JSON.parse(text));
    expect(location).toBe(`Created: ${url}/segments/projects/${id}`);
    const again = await callTool(client, 'createProject', { project, idempotencyKey: 'once' });
    expect(textsOf(again).join()).toContain('This call changed nothing.');
    const [progress = ''] = textsOf(await callTool(client, 'getProgress', { customId: 'a/b' }));
    expect(JSON.parse(progress)).toMatchObject({ languages: [{ languageCode: 'de-DE' }] });

    const refused = await callTool(client, 'deleteProject', { id });
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { instance: 'segue mcp', outcome: 'not-applied' },
    });
    const [planned = ''] = textsOf(await callTool(client, 'planDeletion', { id }));
    const { plan } = Plan.parse(JSON.parse(planned));
    expect(textsOf(await callTool(client, 'deleteProject', { id, plan }))).toEqual(['Done.']);
    const gone = await callTool(client, 'getProject', { id });
    expect(gone.structuredContent).toMatchObject({ status: 404, type: `${url}/problems/project-not-found` });
  });

  it('says whether a call may have taken effect if no answer comes', async () => {
    let requests = 0;
    await using server = await listen(
      createServer((request) => {
        requests++;
        request.socket.destroy();
      }),
    );
    const env = { SEGUE_URL: `http://${server.address}`, SEGUE_COMPANY_ID: 'acme', SEGUE_API_KEY: 'none' };
    const client = await connectTo(env);
    const read = await callTool(client, 'listProjects', {});
    expect(read.structuredContent).toMatchObject({ status: 503, outcome: 'not-applied', retryable: true });
    const created = await callTool(client, 'createProject', { project: {}, idempotencyKey: 'once' });
    expect(created.structuredContent).toMatchObject({ status: 504, outcome: 'unknown' });
    expect(requests).toBeGreaterThan(1);
  });

  it('takes null as no arguments, and says what else arguments must be', async () => {
    const { env } = await world('read');
    const client = await connectTo(env);
    const list = (args: unknown) =>
      client.request({ method: 'tools/call', params: { name: 'listProjects', arguments: args } }, CallToolResultSchema);
    expect(textsOf(await list(null))).toEqual(['[]']);
    await expect(list([])).rejects.toMatchObject({ code: -32_602, message: expect.stringContaining('an object') });
  });

  it('ends with its input, and writes nothing but messages', async () => {
    const { env } = await world('read');
    const child = spawnMcp(env);
    const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
    child.stdin.end();
    expect(await codeOf(child)).toBe(0);
    expect(stdout() + stderr()).toBe('');
  });

  it('refuses a wrong key at its start, and a stack', async () => {
    const { env } = await world('read');
    const child = spawnMcp({ ...env, SEGUE_API_KEY: 'seg_wrong' });
    const stderr = textOf(child.stderr);
    expect(await codeOf(child)).toBe(2);
    expect(stderr()).toContain(`Segue at ${env.SEGUE_URL} rejects the key of the company acme`);
    expect(stderr()).not.toContain('seg_wrong');
    const folder = temporaryFolder();
    expect(await segueHere(folder, '--stack', 'Segue', 'mcp')).toMatchObject({ code: 2 });
    expect(await segueHere(folder, 'mcp', '--url', 'ftp://x')).toMatchObject({ code: 2 });
  });
});
