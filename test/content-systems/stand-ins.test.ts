import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { verifyRequest } from '@contentful/node-apps-toolkit/requests';
import { describe, expect, it, onTestFinished } from 'vitest';
import { randomFrom } from '../../packages/simulator/random.ts';
import { type HttpRequest, send } from '../support/http.ts';
import { listen } from '../support/listen.ts';
import { startContentful } from './contentful.ts';
import { noFaults } from './stand-in.ts';
import { startStrapi } from './strapi.ts';

/** Starts a receiver that answers with these statuses, and then with 202. */
async function openReceiver(...statuses: number[]) {
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await textOf(request));
    headers.push(request.headers);
    response.writeHead(statuses.shift() ?? 202).end();
  });
  const listening = await listen(server);
  onTestFinished(() => listening[Symbol.asyncDispose]());
  return { url: () => `http://${listening.address}/webhooks/cms`, bodies, headers };
}

const faults = () => noFaults(randomFrom(1));
const topics = (bodies: readonly string[]) => bodies.map((body) => Object.keys(JSON.parse(body)).sort());

describe('Contentful', () => {
  async function start(...statuses: number[]) {
    const receiver = await openReceiver(...statuses);
    const contentful = await startContentful({ webhookUrl: receiver.url, faults: faults(), pauseMs: 1 });
    onTestFinished(() => contentful[Symbol.asyncDispose]());
    contentful.save('hours', { title: { 'en-US': 'Opening hours' } });
    const path = '/spaces/cfexampleapi/environments/master/entries/hours';
    const authorization = `Bearer ${contentful.token}`;
    const patch = (version: number, operations: object[]): HttpRequest => ({
      method: 'PATCH',
      path,
      headers: {
        authorization,
        'content-type': 'application/json-patch+json',
        'x-contentful-version': String(version),
      },
      body: JSON.stringify(operations),
    });
    return { contentful, receiver, patch, read: { method: 'GET', path, headers: { authorization } } };
  }
  const GERMAN = { op: 'add', path: '/fields/title/de-DE', value: 'Öffnungszeiten' };

  it('changes an entry only at its present version, all or nothing', async () => {
    const { contentful, patch, read } = await start();
    const statusOf = async (request: HttpRequest) => (await send(contentful.url, request)).status;
    expect(await statusOf({ ...read, headers: {} })).toBe(401);
    expect(JSON.parse((await send(contentful.url, read)).text)).toMatchObject({ sys: { type: 'Entry', version: 1 } });
    expect(await statusOf(patch(2, [GERMAN]))).toBe(409);
    expect(await statusOf(patch(1, [GERMAN, { ...GERMAN, path: '/fields/none/de-DE' }]))).toBe(422);
    expect(await statusOf(patch(1, [GERMAN]))).toBe(200);
    expect(await statusOf(patch(1, [GERMAN]))).toBe(409);
    expect(contentful.fields('hours')).toEqual({ title: { 'en-US': 'Opening hours', 'de-DE': 'Öffnungszeiten' } });
    expect(contentful.received.map(({ status }) => status)).toEqual([401, 200, 409, 422, 200, 409]);
  });

  it('signs its webhook calls, repeats a failed one twice, and sends the texts of published entries only', async () => {
    const { contentful, receiver } = await start(500, 503);
    contentful.publish('hours');
    await contentful.webhooks.idle();
    contentful.unpublish('hours');
    await contentful.webhooks.idle();
    const published = ['fields', 'metadata', 'sys'];
    expect(topics(receiver.bodies)).toEqual([published, published, published, ['sys']]);
    expect(contentful.webhooks.lost).toEqual([]);
    for (const [index, body] of receiver.bodies.entries()) {
      const headers = Object.entries(receiver.headers[index] ?? {}).map(([name, value]) => [name, String(value)]);
      const request = { method: 'POST', path: '/webhooks/cms', headers: Object.fromEntries(headers), body } as const;
      expect(verifyRequest(contentful.secret, request)).toBe(true);
    }
  });
});

describe('Strapi', () => {
  it('writes one locale, publishes it unless it is a draft, and sends each webhook call once', async () => {
    const receiver = await openReceiver(500);
    const strapi = await startStrapi({ webhookUrl: receiver.url, faults: faults() });
    onTestFinished(() => strapi[Symbol.asyncDispose]());
    strapi.save('doc', 'en', { title: 'Opening hours', body: 'We are open.' });
    await strapi.webhooks.idle();
    expect(strapi.webhooks.lost).toHaveLength(1);
    const write = async (query: string, title: string) => {
      const headers = { authorization: `Bearer ${strapi.token}`, 'content-type': 'application/json' };
      const path = `/api/articles/doc?${query}`;
      return send(strapi.url, { method: 'PUT', path, headers, body: JSON.stringify({ data: { title } }) });
    };
    expect((await write('locale=de&status=draft', 'Öffnungszeiten')).status).toBe(200);
    expect((await write('locale=es', 'Horario')).status).toBe(200);
    expect((await write('locale=xx', 'None')).status).toBe(400);
    expect(strapi.draft('doc', 'de')).toEqual({ title: 'Öffnungszeiten' });
    await strapi.webhooks.idle();
    const events = receiver.bodies
      .map((body) => JSON.parse(body))
      .map(({ event, entry }) => `${event} ${entry.locale}`);
    expect(events.sort()).toEqual(['entry.publish es', 'entry.update de', 'entry.update en', 'entry.update es']);
  });
});
