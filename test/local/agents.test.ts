import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { callTool, textsOf } from '../lib/agents/world.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';

let gateway: StartedGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const send = (path: string, init: RequestInit = {}) => fetch(gateway.url + path, init);

describe('npm start', () => {
  it('serves agents at /mcp over Streamable HTTP, without sessions', async () => {
    const { url, authorization } = gateway;
    const requestInit = { headers: { Authorization: authorization } };
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    expect(transport.sessionId).toBeUndefined();
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('createProject');
    expect(JSON.parse(textsOf(await callTool(client, 'listProjects', {}))[0] ?? '')).toEqual([]);
    const languages = textsOf(await callTool(client, 'listLanguages', {}))[0] ?? '';
    expect(languages).toContain('de-DE');
    await client.close();
  });

  it.each(['GET', 'DELETE', 'PUT'])('refuses %s at /mcp: there are no streams and sessions', async (method) => {
    const answer = await send('/mcp', { method, headers: { Authorization: gateway.authorization } });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('refuses a message without credentials', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect((await send('/mcp', { method: 'POST', headers, body })).status).toBe(401);
  });

  it('says where agents get tokens, which it then accepts', async () => {
    const { url, authorization } = gateway;
    const Resource = z.object({ resource: z.string(), authorization_servers: z.tuple([z.string()]) });
    const resource = Resource.parse(await (await send('/.well-known/oauth-protected-resource')).json());
    expect(resource).toMatchObject({ resource: `${url}/mcp`, authorization_servers: [url] });
    const atPath = await send('/.well-known/oauth-protected-resource/mcp');
    expect(await atPath.json()).toMatchObject(resource);
    const Server = z.object({ issuer: z.string(), token_endpoint: z.string() });
    const answer = await fetch(`${resource.authorization_servers[0]}/.well-known/oauth-authorization-server`);
    const server = Server.parse(await answer.json());
    expect(server).toEqual({ issuer: url, token_endpoint: `${url}/oauth/token` });

    const token = await fetch(server.token_endpoint, {
      method: 'POST',
      headers: { Authorization: authorization, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&scope=read',
    });
    const { access_token: bearer } = z.object({ access_token: z.string() }).parse(await token.json());
    const listed = await send('/mcp', {
      method: 'POST',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    const text = await listed.text();
    expect(text).toContain('"listProjects"');
    expect(text).not.toContain('"createProject"');
  });
});
