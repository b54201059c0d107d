import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { basicHeader } from '../../../lib/contract/basic-credentials.ts';
import { checkProject } from '../../../lib/contract/check-project.ts';
import { utc } from '../../../lib/contract/date.ts';
import { parseJson } from '../../../lib/contract/json.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { TransportRequest } from '../../../lib/service/http-client/exchange.ts';
import type { ProjectRef } from '../../../lib/service/port.ts';
import { traceFrom, traceparentOf } from '../../../lib/service/trace.ts';
import { asObject, smallProject } from '../../support/projects.ts';
import { contentOf } from '../../support/world.ts';
import { problemOf } from '../support.ts';
import { byKind, json, made, playService, text } from './server.ts';
import {
  ACCOUNT,
  absent,
  answeredTo,
  answers,
  changed,
  checked,
  every,
  type Fate,
  failing,
  HostedUpstream,
  old,
  START_MS,
  there,
  World,
} from './world.ts';

const project = checked({ customId: 'a/b' });

describe('a request to the service', () => {
  /** Returns Segue with the requests that it sends. */
  function watched() {
    const upstream = new HostedUpstream();
    const sent: TransportRequest[] = [];
    upstream.way = (request, reach) => {
      sent.push(request);
      return reach();
    };
    return { upstream, world: upstream.world, segue: upstream.segue(), sent };
  }

  it('has Basic credentials, the request and its trace, and accepts gzip-encoded JSON', async () => {
    const { world, segue, sent } = watched();
    const { id } = await segue.create(project, world.call());
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    await segue.get({ id }, undefined, { ...world.call(), requestId: 'request-2', traceId: trace });
    const { requestId } = world.call();
    const headers = { authorization: basicHeader(ACCOUNT), accept: 'application/json', 'accept-encoding': 'gzip' };
    expect(sent.map((request) => request.headers)).toEqual([
      {
        ...headers,
        'content-type': 'application/json',
        'x-request-id': requestId,
        traceparent: traceparentOf(traceFrom(requestId), requestId),
      },
      { ...headers, 'x-request-id': 'request-2', traceparent: traceparentOf(trace, 'request-2') },
    ]);
  });

  it('has the checked value, not the received bytes', async () => {
    const { upstream, world, segue, sent } = watched();
    const dates = { startDateUtc: utc(START_MS), endDateUtc: '2059-01-01T00:00:00Z' };
    const texts = { name: 'NAME', description: null, customField1: 'x"\\\u2028😀' };
    const odd = JSON.stringify(smallProject({ ...dates, ...texts }), null, 3)
      .replace('"NAME"', '"\\u0041\\/\\uD83D\\uDE00"')
      .replace('7001', '7.001e3');
    const clock = { nowMs: START_MS, toleranceMs: LIMITS.startDateToleranceMs };
    const accepted = checkProject(parseJson(Buffer.from(odd)), clock);
    await segue.create(accepted, world.call());
    const [customId] = await upstream.names();
    const body = Buffer.from(sent[0]?.body ?? '').toString();
    expect(body).toBe(JSON.stringify({ ...accepted, customId }));
    expect(sent[0]).toMatchObject({ method: 'POST', path: '/segments/projects' });
    const shown = asObject(JSON.parse(body));
    expect(shown).toMatchObject({
      name: 'A/😀',
      customField1: 'x"\\\u2028😀',
      targetLanguages: [{ team: [{ id: 7001 }] }],
    });
    expect(shown).not.toHaveProperty('description');
  });

  it.each([
    ['', '/segments/projects'],
    ['/api/v3/', '/api/v3/segments/projects'],
  ])('goes to the base URL with the ending "%s" at %s', async (suffix, path) => {
    const { url, received } = await playService(made());
    const world = new World();
    await world.serviceAt(url + suffix).create(project, world.call());
    expect(received[0]?.url).toBe(path);
  });

  it.each([
    ['a%2Fb/..', '/segments/projects/custom/a%252Fb%2F..'],
    ['a b?c#d;日', '/segments/projects/custom/a%20b%3Fc%23d%3B%E6%97%A5'],
  ])('has the custom id %s in one path segment', async (customId, path) => {
    const { upstream, world, sent } = watched();
    await upstream.segue({ isOwnAccount: async () => true }).validate(checked({ customId }), world.call());
    expect(sent[0]?.path).toBe(path);
  });

  it('has a new connection if it changes something, and reads share one', async () => {
    const shown = { ...answeredTo(JSON.stringify(project)), customId: 'segue.company.n.a/b' };
    const { url, connections } = await playService(byKind({ read: json(200, shown) }));
    const world = new World();
    const service = world.serviceAt(url);
    await service.create(project, world.call());
    expect(connections()).toBe(1);
    await service.get({ id: 1_000 }, undefined, world.call());
    await service.get({ id: 1_000 }, undefined, world.call());
    expect(connections()).toBe(2);
  });
});

it('refuses an invalid base URL without quoting it', () => {
  expect(() => new World().serviceAt('https://acme:CANARY@service.example')).toThrow(/^((?!CANARY).)*$/s);
});

it.each([0, 3_000_000])('reads a gzip-encoded 200 to a creation with %i more characters', async (length) => {
  const rendered = 'x'.repeat(length);
  const { url } = await playService((request, response) => {
    const body = gzipSync(JSON.stringify({ ...answeredTo(request.body), rendered }));
    text(200, body, { 'content-encoding': 'gzip' })(request, response);
  });
  const world = new World();
  const document = await world.serviceAt(url).create(project, world.call());
  expect(await contentOf(document)).toEqual({ ...answeredTo(JSON.stringify(project)), rendered });
});

it('sends no request for a project that the ledger does not have', async () => {
  const { upstream, segue, world } = await old();
  const { id } = await upstream.service.create(project, upstream.account());
  const refs: readonly ProjectRef[] = [{ id }, { customId: 'b' }, { customId: 'segue.company.n.a' }];
  for (const ref of refs) {
    expect((await problemOf(segue.get(ref, undefined, world.call()))).name).toBe('project-not-found');
  }
  expect(upstream.asked).toEqual([]);
});

describe('a list', () => {
  it('comes from the ledger, without segments, and with one request for the present progress', async () => {
    const { upstream, list } = await old({ customId: 'a/b' });
    const [head] = await upstream.heads();
    expect(await list()).toEqual([{ ...head, customId: 'a/b' }]);
    expect(upstream.asked).toEqual(['list']);
  });

  // A text that does not compress.
  const noise = () => randomBytes(7_500).toString('base64');
  const targetLanguages = ['de', 'fr', 'it', 'es', 'pl', 'pt', 'nl'].map((targetLanguageCode) => ({
    targetLanguageCode,
    additionalInfo: noise(),
  }));
  const large = { customId: 'large', targetLanguages };

  it.each<[string, Fate]>([
    ['another project', changed((shown) => ({ ...shown, customId: 'another' }))],
    ['a project without an id', changed((shown) => ({ ...shown, id: null }))],
    ['400', answers(400)],
  ])('shows the ledger’s part of a large project if the service answers %s', async (_, fate) => {
    const { upstream, id, list } = await old(large);
    upstream.way = ({ path }, reach) => (path.includes('/custom/') ? absent : fate)(reach);
    const unread = { creationDateUtc: null, domain: null, name: null, startDateUtc: null, endDateUtc: null };
    expect(await list()).toEqual([{ id, customId: 'large', ...unread, sourceLanguageId: null, targetLanguages: null }]);
  });

  it('reads a large project from the service, fails if it does not answer, and leaves a deleted one out', async () => {
    const { upstream, list } = await old(large);
    const [head] = await upstream.heads();
    upstream.next('read', there, failing);
    expect(await list()).toEqual([{ ...head, customId: 'large' }]);
    expect(upstream.asked).toEqual(['read']);
    expect((await problemOf(list())).name).toBe('upstream-unavailable');
    upstream.way = every(absent);
    expect(await list()).toEqual([]);
  });
});
