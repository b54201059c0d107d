import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkProject } from '../../../lib/contract/check.ts';
import { utc } from '../../../lib/contract/date.ts';
import { parseJson } from '../../../lib/contract/json.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { asObject, segment, smallProject } from '../../support/projects.ts';
import { byKind, empty, inTurn, json, made, type Play, playService, text } from './server.ts';
import {
  ACCOUNT,
  answered,
  checked,
  contentOf,
  kept,
  owning,
  type Played,
  playing,
  problemOf,
  START_MS,
  World,
} from './world.ts';

const fields = {
  customId: 'a/b',
  taskId: 'own',
  segments: [segment(), segment({ taskId: 'other' }), segment({ taskId: 'other' })],
};
const project = checked(fields);
/** The project at the service, with its custom id there. */
const whole = answered(checked({ ...fields, customId: 'segue.company.n.a/b' }));
/** The project as its owner sees it. */
const own = { ...whole, customId: 'a/b' };
const { segments, ...head } = own;

const create = ({ world, service }: Played) => service.create(project, world.call());

describe('a request to the service', () => {
  it('has Basic credentials and accepts gzip-encoded JSON', async () => {
    const { world, service, received } = await owning(project, { read: json(200, whole) });
    await service.get({ id: 1_000 }, undefined, world.call());
    expect(received[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`${ACCOUNT.companyId}:${ACCOUNT.apiKey}`).toString('base64')}`,
      accept: 'application/json',
      'accept-encoding': 'gzip',
    });
    expect(received[0]?.headers).not.toHaveProperty('content-type');
  });

  it('has the checked value, not the received bytes', async () => {
    const { world, service, received } = await playing();
    const dates = { startDateUtc: utc(START_MS), endDateUtc: '2059-01-01T00:00:00Z' };
    const texts = { name: 'NAME', description: null, customField1: 'x"\\\u2028😀' };
    const odd = JSON.stringify(smallProject({ ...dates, ...texts }), null, 3)
      .replace('"NAME"', '"\\u0041\\/\\uD83D\\uDE00"')
      .replace('7001', '7.001e3');
    const clock = { nowMs: START_MS, toleranceMs: LIMITS.startDateToleranceMs };
    const accepted = checkProject(parseJson(Buffer.from(odd)), clock);
    await service.create(accepted, world.call());
    const customId = `segue.company.g.${world.storage.sorts('company/company')[0]?.replace('request/', '')}`;
    const body = JSON.stringify({ ...accepted, customId });
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: '/segments/projects',
      body,
      headers: { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` },
    });
    const sent = asObject(JSON.parse(received[0]?.body ?? ''));
    expect(sent).toMatchObject({
      name: 'A/😀',
      customField1: 'x"\\\u2028😀',
      targetLanguages: [{ team: [{ id: 7001 }] }],
    });
    expect(sent).not.toHaveProperty('description');
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
    const { world, service, received } = await playing({}, { isOwnAccount: async () => true });
    await service.validate(checked({ customId }), world.call());
    expect(received[0]?.url).toBe(path);
  });

  it('has a new connection if it changes something, and reads share one', async () => {
    const { url, connections } = await playService(byKind({ read: json(200, whole) }));
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

describe('create', () => {
  it.each([200, 201])('returns the project of a %i with the caller’s custom id', async (status) => {
    const document = await create(await playing({ create: made(1_000, status) }));
    expect(document).toMatchObject({ id: 1_000, segments: 3, targetLanguages: 1 });
    expect(await contentOf(document)).toEqual(own);
  });

  it.each([0, 3_000_000])('reads a gzip-encoded response with %i more characters', async (length) => {
    const rendered = 'x'.repeat(length);
    const body = gzipSync(JSON.stringify({ ...whole, rendered }));
    const played = await playing({ create: text(201, body, { 'content-encoding': 'gzip' }) });
    expect(await contentOf(await create(played))).toEqual({ ...own, rendered });
  });
});

describe('get', () => {
  it('sends no request for a project that the ledger does not have', async () => {
    const { world, service, received } = await owning(project, { read: json(200, { ...whole, id: 2 }) });
    for (const ref of [{ id: 2 }, { customId: 'b' }, { customId: 'segue.company.n.a/b' }]) {
      expect((await problemOf(service.get(ref, undefined, world.call()))).name).toBe('project-not-found');
    }
    expect(received).toHaveLength(0);
  });
});

describe('list', () => {
  it('comes from the ledger, without segments and without a request to the service', async () => {
    const { world, service, received } = await owning(project);
    expect(await service.list({ limit: 50 }, world.call())).toEqual({ projects: [head] });
    expect(received).toHaveLength(0);
  });

  // Text that compression makes no smaller.
  const noise = () => randomBytes(7_500).toString('base64');
  const targetLanguages = ['de', 'fr', 'it', 'es', 'pl', 'pt', 'nl'].map((targetLanguageCode) => ({
    targetLanguageCode,
    additionalInfo: noise(),
  }));
  const large = checked({ customId: 'large', targetLanguages });

  it.each<[string, Play]>([
    ['another project', json(200, { ...kept(large), customId: 'another' })],
    ['a project without an id', json(200, { ...kept(large), id: null })],
    ['400', empty(400)],
  ])('shows the ledger’s part of a large project if the service answers %s', async (_, read) => {
    const { world, service } = await owning(large, { read });
    const { projects } = await service.list({ limit: 1 }, world.call());
    const unread = { creationDateUtc: null, domain: null, name: null, startDateUtc: null, endDateUtc: null };
    expect(projects).toEqual([
      { id: 1_000, customId: 'large', ...unread, sourceLanguageId: null, targetLanguages: null },
    ]);
  });

  it('fails if the service does not answer for a large project', async () => {
    const { world, service } = await owning(large, { read: empty(500) });
    expect((await problemOf(service.list({ limit: 1 }, world.call()))).name).toBe('upstream-unavailable');
  });

  it('reads a large project from the service, and leaves a deleted one out', async () => {
    const { segments: _, ...largeHead } = answered(large);
    const read = inTurn(json(200, kept(large)), empty(404));
    const { world, service, received } = await owning(large, { read });
    expect(await service.list({ limit: 1 }, world.call())).toEqual({ projects: [largeHead] });
    expect(received.map(({ url }) => url)).toEqual(['/segments/projects/1000']);
    expect(await service.list({ limit: 1 }, world.call())).toEqual({ projects: [] });
  });
});
