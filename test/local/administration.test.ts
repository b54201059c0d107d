import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ADMINISTRATION_ROUTES, MAX_LISTED_DELIVERIES } from '../../lib/contract/administration.ts';
import { basicHeader, readBasic } from '../../lib/contract/basic-credentials.ts';
import { deliveriesIn } from '../../lib/deliveries/queue.ts';
import { destinationAdministration } from '../../lib/destinations/administration.ts';
import { keptOf, RESULT_DELIVERIES, resultOpener } from '../../lib/destinations/deliveries.ts';
import { destinationAdmin, destinationReader } from '../../lib/destinations/destination-admin.ts';
import type { DestinationTests } from '../../lib/destinations/destination-tests.ts';
import { resultsIn } from '../../lib/destinations/results.ts';
import { administration } from '../../lib/webhooks/administration.ts';
import { sourceReader } from '../../lib/webhooks/source-admin.ts';
import { receivedRequest } from '../../local/event.ts';
import type { HttpHandler } from '../../local/pipeline.ts';
import { isFromThisMachine } from '../../local/this-machine.ts';
import { AdministrationClient } from '../../packages/client/administration.ts';
import { contextOf, keptLog } from '../lib/http/fixture.ts';
import { creation, DeliveryWorld, memorySecrets, sourceFor, sourceWorld } from '../lib/webhooks/world.ts';
import { send } from '../support/http.ts';
import { senderOf } from '../support/senders.ts';
import { DENIED, startFixture } from './world.ts';

const sender = senderOf('standard-webhooks, v1');
/** A key whose company has other scopes. */
const READER = 'reader';
/** A key that may manage, and not read. */
const MANAGER = 'manager';

/** Starts a gateway with the administration API. `cms` is a source of `acme`, and `shop` one of `other`. */
async function start() {
  const { store, sources } = sourceWorld();
  await sources.add(sourceFor(sender), sender.secret);
  await sources.add({ ...sourceFor(sender), name: 'shop', companyId: 'other' }, sender.secret);
  const world = new DeliveryWorld(store);
  const { options, lines } = keptLog();
  const results = resultsIn(store, world.now);
  const tested: unknown[] = [];
  const test = { requests: [], faults: [] };
  const tests: DestinationTests = {
    async show({ destination: { name }, project, languageCode }) {
      tested.push([name, project, languageCode]);
      return test;
    },
    async send({ destination: { name }, project, languageCode }, shown) {
      tested.push([name, project, languageCode, shown]);
      return { sent: true, ends: [{ status: 204, answerBytes: 0 }], test };
    },
  };
  const openTests = async () => tests;
  const handlers = {
    ...administration({ sources: sourceReader(store), letters: world.letters }, options),
    ...destinationAdministration({ destinations: destinationReader(store), results, openTests }, options),
  };
  const called =
    (id: keyof typeof handlers): HttpHandler =>
    (event, context) =>
      handlers[id](event, contextOf(context.getRemainingTimeInMillis()));
  const gateway = await startFixture({
    administration: {
      listSources: called('listSources'),
      getSource: called('getSource'),
      listDeliveries: called('listDeliveries'),
      getDelivery: called('getDelivery'),
      redriveDelivery: called('redriveDelivery'),
      listDestinations: called('listDestinations'),
      getDestination: called('getDestination'),
      listResults: called('listResults'),
      getResult: called('getResult'),
      redriveResult: called('redriveResult'),
      showTest: called('showTest'),
      sendTest: called('sendTest'),
    },
    async authorizer({ headers }) {
      const { companyId = '', apiKey = '' } =
        readBasic(headers['Authorization'] ?? headers['authorization'] ?? '') ?? {};
      if (apiKey === 'wrong') return DENIED;
      const others: Readonly<Record<string, string>> = { [READER]: 'create read delete', [MANAGER]: 'manage' };
      const scopes = others[apiKey] ?? 'create read delete translate manage';
      return { principalId: companyId, context: { companyId, keyId: 'key', scopes } };
    },
  });
  const clientOf = (companyId: string, apiKey = 'key') =>
    new AdministrationClient({ baseUrl: gateway.url, companyId, apiKey });
  const { secretStore } = memorySecrets();
  const destinations = destinationAdmin({ store, secretStore, isCompany: async () => true, now: world.now });
  return { ...gateway, world, store, lines, destinations, results, tested, client: clientOf('acme'), clientOf };
}

/** Accepts a message whose command is refused, and works on it. */
async function deadLetterIn(world: DeliveryWorld) {
  const message = world.message({ create: { name: 'CANARY', segments: [] } }, { headers: { 'x-canary': 'CANARY' } });
  await world.inbox.accept(message);
  await world.run();
  return message;
}

const PATHS = ADMINISTRATION_ROUTES.map(({ method, path }) => ({
  method,
  path: path
    .replace('{source}', 'cms')
    .replace('{destination}', 'shop')
    .replace('{delivery}', 'A'.repeat(43))
    .replaceAll(/\{(?:project|language|test)\}/g, '7'),
}));
const Problem = z.object({ type: z.string() });
const problemOf = (text: string) => Problem.parse(JSON.parse(text)).type.split('/').at(-1);
const ACME = { Authorization: basicHeader({ companyId: 'acme', apiKey: 'key' }) };

it('shows the sources of the company without their secrets', async () => {
  const { url, client, clientOf } = await start();
  const [source, ...more] = await client.listSources();
  expect(more).toEqual([]);
  expect(source).toMatchObject({
    name: 'cms',
    companyId: 'acme',
    liveSecrets: 1,
    scheme: { name: 'standard-webhooks' },
  });
  expect(await client.getSource('cms')).toEqual(source);
  const { text, headers } = await send(url, { method: 'GET', path: '/admin/sources/cms', headers: ACME });
  expect(text).not.toMatch(/secretsAt|sourceId/);
  expect(text).not.toContain(sender.secret);
  expect(headers['cache-control']).toBe('no-store');
  expect((await clientOf('other').listSources()).map(({ name }) => name)).toEqual(['shop']);
});

it('shows open deliveries and dead letters with their last problem, and no content', async () => {
  const { world, client, url } = await start();
  const dead = await deadLetterIn(world);
  world.nowMs += 1_000;
  const open = world.message(creation());
  await world.inbox.accept(open);
  const { deliveries, more } = await client.listDeliveries('cms');
  expect(more).toBe(false);
  expect(deliveries).toMatchObject([
    { id: open.id, state: 'open', attempts: 0 },
    { id: dead.id, state: 'dead', problem: 'invalid-project', commands: [{ command: 1, state: 'refused' }] },
  ]);
  expect(await client.getDelivery('cms', dead.id)).toMatchObject(deliveries[1] ?? {});
  await world.run();
  expect((await client.listDeliveries('cms')).deliveries.map(({ id }) => id)).toEqual([dead.id]);
  expect(await client.getDelivery('cms', open.id)).toMatchObject({
    state: 'done',
    result: { projectId: expect.any(Number) },
  });
  for (const path of ['/admin/sources/cms/deliveries', `/admin/sources/cms/deliveries/${dead.id}`])
    expect((await send(url, { method: 'GET', path, headers: ACME })).text).not.toContain('CANARY');
});

it('redrives a dead letter once', async () => {
  const { world, client } = await start();
  const { id } = await deadLetterIn(world);
  expect(await client.redriveDelivery('cms', id)).toMatchObject({ redriven: true, delivery: { id, state: 'open' } });
  expect(await client.redriveDelivery('cms', id)).toMatchObject({ redriven: false, delivery: { id, state: 'open' } });
  world.gives(creation({ customId: 'page' }));
  await world.run();
  expect(await world.made()).toEqual(['page']);
});

it('lists a limited number of deliveries', async () => {
  const { world, client } = await start();
  for (let index = 0; index <= MAX_LISTED_DELIVERIES; index++) await world.inbox.accept(world.message({ index }));
  const { deliveries, more } = await client.listDeliveries('cms');
  expect([deliveries.length, more]).toEqual([MAX_LISTED_DELIVERIES, true]);
});

/** Adds a destination of `acme`, with an open delivery and a dead letter. */
async function destinationIn({ world, store, destinations, results }: Awaited<ReturnType<typeof start>>) {
  const fields = { name: 'shop', companyId: 'acme', mapping: 'null', on: ['language.completed'], hosts: ['a.example'] };
  await destinations.add(fields, { header: 'X-Token', secret: 'CANARY' });
  const { destinationId: id } = await destinations.get('shop');
  const data = { projectId: 7, languageId: 53, languageCode: 'de-DE' };
  const timestamp = '2026-11-20T09:30:00.000Z';
  const openResult = resultOpener(store, world.now);
  const toSend = (sequence: number) => ({
    companyId: 'acme',
    destination: { id, name: 'shop' },
    event: { id: `event-${sequence}`, type: 'language.completed', timestamp, sequence, data } as const,
  });
  const ref = { companyId: 'acme', destination: id, projectId: 7, languageId: 53, sequence: 3 };
  await openResult(toSend(3));
  const queue = deliveriesIn(RESULT_DELIVERIES, store, world.now);
  const open = await queue.readIn('open', ref);
  if (!open) throw new Error('The delivery is not open');
  const failure = { reason: 'status', status: 400, request: 1 } as const;
  await queue.settle(open, { ...keptOf(open.state), kind: 'dead', endedAtMs: world.now(), failure });
  await openResult(toSend(4));
  return { ref, results };
}

it('shows the destinations of the company without their secrets, and their deliveries', async () => {
  const started = await start();
  const { client, clientOf, url } = started;
  await destinationIn(started);
  const [destination, ...more] = await client.listDestinations();
  expect(more).toEqual([]);
  expect(destination).toMatchObject({ name: 'shop', hosts: ['a.example'], secretHeader: 'X-Token' });
  expect(await client.getDestination('shop')).toEqual(destination);
  const { deliveries, more: hasMore } = await client.listResults('shop');
  expect(hasMore).toBe(false);
  expect(deliveries).toMatchObject([
    { id: '7-53-4', state: 'open', attempts: 0, languageCode: 'de-DE' },
    { id: '7-53-3', state: 'dead', failure: { reason: 'status', status: 400, request: 1 } },
  ]);
  expect(await client.getResult('shop', '7-53-3')).toEqual(deliveries[1]);
  for (const path of ['/admin/destinations', '/admin/destinations/shop']) {
    const { text } = await send(url, { method: 'GET', path, headers: ACME });
    expect(text).not.toMatch(/secretsAt|destinationId|CANARY/);
  }
  const other = clientOf('other');
  expect(await other.listDestinations()).toEqual([]);
  await expect(other.getDestination('shop')).rejects.toMatchObject({ type: 'route-not-found', status: 404 });
  await expect(other.listResults('shop')).rejects.toMatchObject({ type: 'route-not-found' });
  await expect(other.redriveResult('shop', '7-53-3')).rejects.toMatchObject({ type: 'route-not-found' });
});

it('redrives a dead letter of a destination once', async () => {
  const started = await start();
  const { client } = started;
  await destinationIn(started);
  const delivery = { id: '7-53-3', state: 'open', attempts: 0 };
  expect(await client.redriveResult('shop', '7-53-3')).toMatchObject({ redriven: true, delivery });
  expect(await client.redriveResult('shop', '7-53-3')).toMatchObject({ redriven: false, delivery });
  await expect(client.redriveResult('shop', '7-53-9')).rejects.toMatchObject({ type: 'route-not-found' });
  await expect(client.getResult('shop', 'none')).rejects.toMatchObject({ type: 'route-not-found' });
});

it('tests a destination of the company with a project, by its decoded custom id', async () => {
  const started = await start();
  const { client, clientOf, tested } = started;
  await destinationIn(started);
  expect(await client.showTest('shop', 'a/b%2F é', 'de-DE')).toEqual({ requests: [], faults: [] });
  expect(await client.sendTest('shop', '7', 'de-DE', '1-A')).toMatchObject({ sent: true, ends: [{ status: 204 }] });
  const both = [
    ['shop', 'a/b%2F é', 'de-DE'],
    ['shop', '7', 'de-DE', '1-A'],
  ];
  expect(tested).toEqual(both);
  const [other, reader] = [clientOf('other'), clientOf('acme', READER)];
  await expect(other.showTest('shop', '7', 'de-DE')).rejects.toMatchObject({ type: 'route-not-found', status: 404 });
  await expect(other.sendTest('shop', '7', 'de-DE', '1-A')).rejects.toMatchObject({ type: 'route-not-found' });
  // A test shows content, so it needs the scope of reading too.
  for (const partial of [reader, clientOf('acme', MANAGER)]) {
    await expect(partial.showTest('shop', '7', 'de-DE')).rejects.toMatchObject({ type: 'scope-missing' });
    await expect(partial.sendTest('shop', '7', 'de-DE', '1-A')).rejects.toMatchObject({ type: 'scope-missing' });
  }
  expect(tested).toEqual(both);
});

it('shows the names of the headers and the size of a message, and nothing else of it', async () => {
  const { world, client, url } = await start();
  const { id } = await deadLetterIn(world);
  const { request } = await client.getDelivery('cms', id);
  expect(request?.headers).toContain('x-canary');
  expect(request?.bytes).toBe(JSON.stringify({ create: { name: 'CANARY', segments: [] } }).length);
  const { text } = await send(url, { method: 'GET', path: `/admin/sources/cms/deliveries/${id}`, headers: ACME });
  expect(text).not.toContain('CANARY');
});

it('says what makes two messages of a source the same one', async () => {
  const { client } = await start();
  expect((await client.getSource('cms')).identity).toEqual({ by: 'id' });
});

describe('the administration API', () => {
  it('hides what belongs to another company', async () => {
    const { world, clientOf, client } = await start();
    const { id } = await deadLetterIn(world);
    const other = clientOf('other');
    await expect(other.getSource('cms')).rejects.toMatchObject({ type: 'source-not-found', status: 404 });
    await expect(other.listDeliveries('cms')).rejects.toMatchObject({ type: 'source-not-found' });
    await expect(other.getDelivery('cms', id)).rejects.toMatchObject({ type: 'route-not-found', status: 404 });
    await expect(other.redriveDelivery('cms', id)).rejects.toMatchObject({ type: 'route-not-found' });
    await expect(client.getDelivery('cms', 'none')).rejects.toMatchObject({ type: 'route-not-found' });
    expect(await world.stateOf({ source: 'cms', id })).toMatchObject({ kind: 'dead' });
  });

  it.each(PATHS)('$method $path needs a key with the scope manage, and takes no body', async ({ method, path }) => {
    const { url, lines } = await start();
    const answerTo = async (headers: Readonly<Record<string, string>>, body?: string) => {
      const { status, text } = await send(url, { method, path, headers, ...(body !== undefined && { body }) });
      return [status, problemOf(text)];
    };
    expect(await answerTo({})).toEqual([401, 'unauthenticated']);
    const wrong = { Authorization: basicHeader({ companyId: 'acme', apiKey: 'wrong' }) };
    expect(await answerTo(wrong)).toEqual([401, 'unauthenticated']);
    const reader = { Authorization: basicHeader({ companyId: 'acme', apiKey: READER }) };
    expect(await answerTo(reader)).toEqual([403, 'scope-missing']);
    expect(await answerTo(ACME, '{}')).toEqual([400, 'unexpected-body']);
    expect(lines).toHaveLength(2);
  });

  it('rejects other methods', async () => {
    const { url } = await start();
    const { status, headers } = await send(url, { method: 'DELETE', path: '/admin/sources/cms', headers: ACME });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['a name that leads here', { Host: 'evil.example:8787' }],
    ['a name that begins like this machine', { Host: 'localhost.evil.example' }],
    ['a page of another origin', { Origin: 'https://evil.example' }],
    ['a page of another port', { Origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { Origin: 'null' }],
    ['a proxy', { 'X-Forwarded-For': '203.0.113.7' }],
    ['a tunnel', { Forwarded: 'for=203.0.113.7' }],
  ])('does not exist for %s', async (_, headers) => {
    const { url, authorized } = await start();
    for (const { method, path } of PATHS) {
      const { status, text } = await send(url, { method, path, headers: { ...ACME, ...headers } });
      expect([status, problemOf(text)]).toEqual([404, 'route-not-found']);
    }
    expect(authorized).toEqual([]);
  });

  it.each(['127.0.0.1', 'localhost', '[::1]'])('exists for a page of this origin at %s', async (name) => {
    const { url, port } = await start();
    const headers = { ...ACME, Host: `${name}:${port}`, Origin: `http://${name}:${port}` };
    expect((await send(url, { method: 'GET', path: '/admin/sources', headers })).status).toBe(200);
  });

  it('does not exist for another address, whatever the name', () => {
    const requestFrom = (address: string) => {
      const socket = new Socket();
      Object.defineProperty(socket, 'remoteAddress', { value: address });
      const request = new IncomingMessage(socket);
      request.rawHeaders = ['Host', 'localhost'];
      return receivedRequest(request);
    };
    expect(isFromThisMachine(requestFrom('192.168.0.7'))).toBe(false);
    expect(isFromThisMachine(requestFrom('127.0.0.1'))).toBe(true);
  });

  it('does not exist in a gateway without it', async () => {
    const { url } = await startFixture();
    const { status } = await send(url, { method: 'GET', path: '/admin/sources', headers: ACME });
    expect(status).toBe(404);
  });
});
