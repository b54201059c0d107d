import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { LOOKUP_NAMES } from '../../lib/contract/lookups.ts';
import { createApiKey } from '../../lib/credentials/api-key.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { openSigningKeysFile } from '../../lib/credentials/secret-files.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import { connectUpstream } from '../../lib/upstream/client.ts';
import { upstreamService } from '../../lib/upstream/service.ts';
import { withPublicPaths } from '../../packages/simulator/public-paths.ts';
import { type SimulatedService, serviceAt, simulatorServer } from '../../packages/simulator/server.ts';
import { openSqlite, temporaryFolder } from '../lib/storage/folder.ts';
import { gatewayHere } from '../support/gateway-here.ts';
import { send } from '../support/http.ts';
import { NODE_CALLS, type NodeCall } from './n8n-calls.ts';
import { read } from './world.ts';

// The page says what each call gets, and the calls are data. So neither can say anything that is not so.

/** A row of the table: the request, and what it gets. */
interface Row {
  readonly request: string;
  readonly hosted: string;
  /** In front of another service: with what the operator can allow, and without. */
  readonly upstream: string;
  readonly refused: string;
}

const ROWS: ReadonlyMap<string, Row> = new Map(
  read('docs/n8n.md')
    .split('\n')
    .flatMap((line) => {
      const [, name = '', request = '', hosted = '', upstream = ''] = line.split('|').map((cell) => cell.trim());
      if (!/^`(GET|POST) /.test(request)) return [];
      const [one = '', other = one] = outcomesIn(upstream);
      const [only = ''] = outcomesIn(hosted);
      return [[name, { request: request.replaceAll('`', ''), hosted: only, upstream: one, refused: other }]];
    }),
);

/** Returns the outcomes that a cell names, such as `200` and `501 not-supported`. */
function outcomesIn(cell: string): string[] {
  return Array.from(cell.matchAll(/\b([2-5]\d\d)\b(?: \[`([\w-]+)`\])?/g), ([, status, type]) =>
    type === undefined ? `${status}` : `${status} ${type}`,
  );
}

const Failed = z.object({ type: z.string(), detail: z.string() });
const Created = z.object({ id: z.int() });

/** A Segue in this process. */
interface Segue {
  readonly url: string;
  readonly apiKey: string;
}

/** Starts a Segue with one company. @param service makes the service; by default it is the hosted one */
async function startSegue(
  service?: (store: ReturnType<typeof openSqlite>) => ProjectService,
): Promise<Segue & { readonly companyId: string }> {
  const folder = temporaryFolder();
  const now = Date.now;
  const store = openSqlite(now, folder);
  const key = createApiKey();
  await companiesIn(store, now).add('acme', key);
  const secret = openSigningKeysFile(folder);
  const gateway = gatewayHere({ store, secret, now, ...(service && { service: service(store) }) });
  const port = await gateway.listen(0);
  onTestFinished(() => gateway.close());
  return { url: `http://127.0.0.1:${port}`, apiKey: key.apiKey, companyId: 'acme' };
}

const LISTS: Readonly<Record<string, readonly object[]>> = {
  '/Assets/api/Domains?active=true': [{ id: 3, name: 'Marketing' }],
  '/Accounts/Users': [{ id: 7, firstName: 'Ada', lastName: 'Example', email: 'ada@example.com' }],
  '/accounts/Collaborators': [{ userId: 8, firstName: 'Ben', lastName: 'Example', email: 'ben@example.com' }],
  '/TextProcessing/StyleGuide': [{ id: 5, name: 'Web' }],
};

/** Starts a Segue in front of the simulator, which has the lists of the node’s service too. */
async function startUpstream(isAllowed: boolean): Promise<Segue> {
  const account = await startSegue();
  const simulated = withPublicPaths(serviceAt(Number(new URL(account.url).port)));
  const withLists: SimulatedService = async (request) => {
    const list = LISTS[request.path];
    const headers = { 'content-type': 'application/json' };
    return list ? { status: 200, headers, body: Buffer.from(JSON.stringify(list)) } : simulated(request);
  };
  const server = simulatorServer(async (request) => ({ kind: 'answered', response: await withLists(request) }));
  const url = new URL(`http://127.0.0.1:${await server.listen(0)}`);
  onTestFinished(() => server.close());
  const own = { companyId: account.companyId, apiKey: account.apiKey };
  const shared = { companyId: 'shared', apiKey: 'not-a-real-key' };
  const readSecret = async () => JSON.stringify({ ...shared, companies: { acme: own } });
  const now = Date.now;
  return startSegue((storage) =>
    upstreamService({
      ...connectUpstream({ url, readSecret, now }),
      storage,
      now,
      sleep: (ms) => setTimeout(ms),
      newId: randomUUID,
      newEventId: randomUUID,
      allowedLookups: async () => (isAllowed ? LOOKUP_NAMES : []),
    }),
  );
}

/** Sends a request as the node does, with the API key as its personal access token. */
async function sent({ url, apiKey }: Segue, { method, path, body }: NodeCall) {
  const answer = await send(url, {
    method,
    path,
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body(new Date())) }),
  });
  const value: unknown = JSON.parse(answer.text);
  if (answer.status < 300) return { outcome: `${answer.status}`, value };
  return { outcome: `${answer.status} ${Failed.parse(value).type.split('/').at(-1)}`, value };
}

/** Sends all calls of the node, and returns what each gets, by name. */
async function outcomes(segue: Segue): Promise<Map<string, { readonly outcome: string; readonly value: unknown }>> {
  const created = NODE_CALLS.find(({ name }) => name === 'Get, by id');
  const found = new Map<string, { readonly outcome: string; readonly value: unknown }>();
  let id = '';
  for (const call of NODE_CALLS) {
    const path = call.path.replace('{id}', id).replace('{customId}', 'TU-Website-7');
    const result = await sent(segue, { ...call, path });
    if (created && id === '' && result.outcome === '201') id = String(Created.parse(result.value).id);
    found.set(call.name, result);
  }
  return found;
}

it('docs/n8n.md has a row for each call of the node, with its request', () => {
  expect(Array.from(ROWS, ([name, { request }]) => [name, request])).toEqual(
    NODE_CALLS.map(({ name, method, path }) => [
      name,
      `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, '{guid}')}`,
    ]),
  );
});

describe.each<[string, () => Promise<Segue>, keyof Row]>([
  ['the hosted service', startSegue, 'hosted'],
  ['Segue in front of another service that may show its lists', () => startUpstream(true), 'upstream'],
  ['Segue in front of another service', () => startUpstream(false), 'refused'],
])('%s', (_, start, column) => {
  it('answers each call of the node as docs/n8n.md says', async () => {
    const found = await outcomes(await start());
    expect(Array.from(found, ([name, { outcome }]) => [name, outcome])).toEqual(
      Array.from(ROWS, ([name, row]) => [name, row[column]]),
    );
  });
});

it('the lists arrive as the upstream service gives them', async () => {
  const found = await outcomes(await startUpstream(true));
  for (const { name, path } of NODE_CALLS) {
    if (LISTS[path]) expect(found.get(name)?.value).toEqual(LISTS[path]);
  }
});

it.each<[string, () => Promise<Segue>]>([
  ['hosted', startSegue],
  ['in front of another service', () => startUpstream(false)],
])('empty fields of a creation count as absent, %s', async (_, start) => {
  const { value } = (await outcomes(await start())).get('Managed Translation Project, with empty fields') ?? {};
  expect(value).toMatchObject({ customField1: '', customField2: '', referenceNumber: '' });
  expect(value).not.toHaveProperty('taskId');
  expect(value).not.toHaveProperty('eventUrl');
});
