import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { MAX_TEXT_BYTES } from '../../lib/agents/tool-result.ts';
import { clockVariables } from '../support/child-environment.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { printedKey } from '../support/segue.ts';
import { blocks, ROOT, read, sh } from './world.ts';

vi.setConfig({ testTimeout: MUCH_WORK_MS });

const PAGE = read('docs/agents.md');
const Servers = z.object({ mcpServers: z.object({ segue: z.unknown() }) });
const ByUrl = z.object({ type: z.literal('http'), url: z.string(), headers: z.record(z.string(), z.string()) });
const OnMachine = z.object({
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
});

let gateway: StartedGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const variables = () => {
  const { url, companyId, apiKey, dataDir } = gateway;
  return { SEGUE_URL: url, SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey, SEGUE_DATA_DIR: dataDir };
};

/** Returns a configuration of the page as a host reads it: with the values of its variables. */
function configured(block: string | undefined, values: Readonly<Record<string, string>>): unknown {
  const text = (block ?? '').replaceAll(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  return Servers.parse(JSON.parse(text.replaceAll('<clone>', ROOT))).mcpServers.segue;
}

async function toolsAt(transport: Parameters<Client['connect']>[0]): Promise<string[]> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

it('docs/agents.md shows a message that lists the tools', async () => {
  const [list = ''] = blocks(PAGE, 'sh');
  const { result } = z
    .object({ result: z.object({ tools: z.array(z.unknown()) }) })
    .parse(JSON.parse(await sh(list, variables())));
  expect(result.tools.length).toBeGreaterThan(5);
});

it('docs/agents.md shows how hosts connect: by URL, and on this machine', async () => {
  const [byUrl, onMachine] = blocks(PAGE, 'json');
  const { url, headers } = ByUrl.parse(configured(byUrl, variables()));
  const overHttp = await toolsAt(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const { args, env: account } = OnMachine.parse(configured(onMachine, variables()));
  const env = { ...clockVariables(), ...account };
  const overStdio = await toolsAt(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  expect(overStdio).toEqual(overHttp);
  const listed = Array.from(PAGE.matchAll(/^\| `(\w+)` \|/gm), ([, name]) => name);
  expect(overHttp.filter((name) => !listed.includes(name))).toEqual([]);
});

it('docs/agents.md shows how to add a company for agents, whose key sees fewer tools', async () => {
  const [, add = ''] = blocks(PAGE, 'sh');
  const stdout = await sh(add, variables());
  const { apiKey } = printedKey('agents', { code: 0, stdout, stderr: '' });
  const requestInit = { headers: { Authorization: `Bearer ${apiKey}` } };
  const tools = await toolsAt(new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit }));
  expect(tools).toContain('createProject');
  expect(tools).not.toContain('deleteProject');
});

it('docs/agents.md has the limits', () => {
  expect(PAGE).toContain(`${MAX_TEXT_BYTES.toLocaleString('en')} bytes`);
  for (const version of SUPPORTED_PROTOCOL_VERSIONS) expect(PAGE).toContain(version);
});
