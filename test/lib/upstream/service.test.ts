import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkProject } from '../../../lib/contract/check.ts';
import { utc } from '../../../lib/contract/date.ts';
import { parseJson } from '../../../lib/contract/json.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { Project } from '../../../lib/contract/project-answer.ts';
import { asObject, segment, smallProject } from '../../support/projects.ts';
import { byKind, empty, inTurn, json, made, type Play, playService, text } from './server.ts';
import {
  ACCOUNT,
  answered,
  answeredTo,
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
/** What the service has: with the custom id that it was given. */
const whole = answered(checked({ ...fields, customId: 'segue.company.n.a/b' }));
/** What its owner is told. */
const own = { ...whole, customId: 'a/b' };
const { segments, ...head } = own;

const create = ({ world, service }: Played) => service.create(project, world.call());

describe('what is sent', () => {
  it('every request carries Basic credentials and accepts gzip-encoded JSON', async () => {
    const { world, service, received } = await owning(project, { read: json(200, whole) });
    await service.get({ id: 1_000 }, undefined, world.call());
    expect(received[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`${ACCOUNT.companyId}:${ACCOUNT.apiKey}`).toString('base64')}`,
      accept: 'application/json',
      'accept-encoding': 'gzip',
    });
    expect(received[0]?.headers).not.toHaveProperty('content-type');
  });

  it('dates go out in UTC with Z and with the fraction that was sent, and come back as the service gives them', async () => {
    const { world, service, received } = await playing();
    const local = new Date(START_MS - 5 * 3_600_000).toISOString().slice(0, 19);
    const dates = { startDateUtc: `${local}.1234567-05:00`, endDateUtc: '2059-01-01T00:00:00' };
    const made = await service.create(checked(dates), world.call());
    const sent = asObject(JSON.parse(received[0]?.body ?? ''));
    const inUtc = {
      startDateUtc: `${utc(START_MS).slice(0, 19)}.1234567Z`,
      endDateUtc: '2059-01-01T00:00:00Z',
    };
    expect(sent).toMatchObject(inUtc);
    expect(await contentOf(made)).toMatchObject(inUtc);
  });

  it('the checked value is serialised anew, whatever the bytes that came looked like', async () => {
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
    ['/', '/segments/projects'],
    ['', '/segments/projects'],
    ['/api/v3', '/api/v3/segments/projects'],
    ['/api/v3/', '/api/v3/segments/projects'],
  ])('a base URL that ends in "%s" leads to %s', async (suffix, path) => {
    const { url, received } = await playService(made());
    const world = new World();
    await world.serviceAt(url + suffix).create(project, world.call());
    expect(received[0]?.url).toBe(path);
  });

  it.each([
    ['a/b', '/segments/projects/custom/a%2Fb'],
    ['a%2Fb', '/segments/projects/custom/a%252Fb'],
    ['a%252Fb', '/segments/projects/custom/a%25252Fb'],
    ['%2e%2e', '/segments/projects/custom/%252e%252e'],
    ['a b?c#d;e', '/segments/projects/custom/a%20b%3Fc%23d%3Be'],
    ['日本', '/segments/projects/custom/%E6%97%A5%E6%9C%AC'],
  ])('the custom id %s is one path segment', async (customId, path) => {
    const { world, service, received } = await playing({}, { isOwnAccount: async () => true });
    await service.validate(checked({ customId }), world.call());
    expect(received[0]?.url).toBe(path);
  });

  it('what changes something goes over a connection of its own, readings share one', async () => {
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

it.each([
  ['no URL', 'service.example'],
  ['another protocol', 'ftp://service.example'],
  ['a password', 'https://acme:CANARY@service.example'],
  ['a query', 'https://service.example/?key=CANARY'],
  ['a fragment', 'https://service.example/#CANARY'],
  ['a query without anything in it', 'https://service.example/CANARY?'],
])('a base URL with %s is refused and not repeated', (_, baseUrl) => {
  expect(() => new World().serviceAt(baseUrl)).toThrow(/^((?!CANARY).)*$/s);
});

describe('create', () => {
  /** Answers with what was asked for, changed. */
  const richer =
    (change: (project: Project) => object): Play =>
    (request, response) =>
      json(201, change(answeredTo(request.body)))(request, response);

  it.each([200, 201])('gives the project of a %i, with the custom id of whoever asked', async (status) => {
    const document = await create(await playing({ create: made(1_000, status) }));
    expect(document).toMatchObject({ id: 1_000, segments: 3, targetLanguages: 1 });
    expect(await contentOf(document)).toEqual(own);
  });

  it.each([0, 3_000_000])('reads a gzip-encoded answer with %i characters more', async (length) => {
    const rendered = 'x'.repeat(length);
    const body = gzipSync(JSON.stringify({ ...whole, rendered }));
    const played = await playing({ create: text(201, body, { 'content-encoding': 'gzip' }) });
    expect(await contentOf(await create(played))).toEqual({ ...own, rendered });
  });

  it('passes unknown fields through at every level, nulls and all', async () => {
    const more = <P extends Pick<Project, 'targetLanguages' | 'segments'>>(given: P) => {
      const [language] = given.targetLanguages;
      const [first] = given.segments;
      return {
        ...given,
        startDateUtc: '2026-11-20T12:00:00.1234567Z',
        createdBy: { name: null },
        targetLanguages: [
          { ...language, wordCount: null, team: language?.team?.map((entry) => ({ ...entry, tz: 2 })) },
        ],
        segments: [{ ...first, hash: '0x1f' }],
      };
    };
    const played = await playing({ create: richer(more) });
    expect(await contentOf(await create(played))).toEqual(more(own));
  });

  it('passes the nulls on that a service writes for optional fields', async () => {
    const padded = <P extends Pick<Project, 'targetLanguages' | 'segments'>>(given: P) => {
      const [language] = given.targetLanguages;
      const [first] = given.segments;
      return {
        ...given,
        description: null,
        eventUrl: null,
        targetLanguages: [
          { ...language, additionalInfo: null, team: language?.team?.map((entry) => ({ ...entry, phone: null })) },
        ],
        segments: [{ ...first, notes: null }],
      };
    };
    const content = await contentOf(await create(await playing({ create: richer(padded) })));
    expect(content).toEqual(padded(own));
  });

  it('gives a project that the service made larger than any request may be', async () => {
    const rendered = 'x'.repeat(8_388_608);
    const document = await create(await playing({ create: richer((given) => ({ ...given, rendered })) }));
    expect(document.json.length).toBeGreaterThan(8_388_608);
    expect(await contentOf(document)).toEqual({ ...own, rendered });
  });

  it('sends nothing where the start date is not now', async () => {
    const { world, service, received } = await playing();
    const late = checked({ startDateUtc: utc(START_MS - 3_600_000) });
    expect((await problemOf(service.create(late, world.call()))).name).toBe('invalid-project');
    expect(received).toHaveLength(0);
  });

  it('gives no custom id where the caller gave none', async () => {
    const { world, service, received } = await playing({
      read: (request, response) => json(200, answeredTo(received[0]?.body ?? ''))(request, response),
    });
    const document = await service.create(checked(), world.call());
    expect(await contentOf(document)).not.toHaveProperty('customId');
    const read = await service.get({ id: 1_000 }, undefined, world.call());
    expect(await contentOf(read)).not.toHaveProperty('customId');
    expect((await service.list({ limit: 1 }, world.call())).projects[0]).not.toHaveProperty('customId');
  });
});

describe('validate', () => {
  it('asks the ledger whether the custom id is free, and the service nothing', async () => {
    const { world, service, received } = await owning(project);
    const asked = (customId: string) => service.validate(world.checked({ customId }), world.call());
    await expect(asked('b')).resolves.toBeUndefined();
    expect((await problemOf(asked('a/b'))).name).toBe('custom-id-in-use');
    expect(received).toHaveLength(0);
  });

  it('asks nothing where there is no custom id', async () => {
    const { world, service, received } = await playing({ find: empty(500) }, { isOwnAccount: async () => true });
    await service.validate(checked(), world.call());
    expect(received).toHaveLength(0);
  });

  it('refuses a start date that is not now', async () => {
    const { world, service } = await playing();
    const late = checked({ startDateUtc: utc(START_MS - 3_600_000) });
    expect((await problemOf(service.validate(late, world.call()))).name).toBe('invalid-project');
  });
});

describe('get', () => {
  it('reads the whole project by its id, and gives the segments of the task alone', async () => {
    const { world, service, received } = await owning(project, { read: json(200, whole) });
    const read = await service.get({ customId: 'a/b' }, 'other', world.call());
    expect(await contentOf(read)).toEqual({ ...own, segments: segments.slice(1) });
    expect(received.map(({ url }) => url)).toEqual(['/segments/projects/1000']);
  });

  it('asks the service for nothing that the ledger has not', async () => {
    const { world, service, received } = await owning(project, { read: json(200, { ...whole, id: 2 }) });
    for (const ref of [{ id: 2 }, { customId: 'b' }, { customId: 'segue.company.n.a/b' }]) {
      expect((await problemOf(service.get(ref, undefined, world.call()))).name).toBe('project-not-found');
    }
    expect(received).toHaveLength(0);
  });
});

describe('list', () => {
  /** Segue in front of a service, with projects of some ids. */
  async function having(...ids: readonly number[]) {
    const played = await playing({ create: inTurn(...ids.map((id) => made(id))), read: json(200, whole) });
    for (const id of ids) await played.service.create(checked({ customId: `${id}` }), played.world.call());
    played.received.splice(0);
    return played;
  }

  it('comes from the ledger, without segments, and asks the service nothing', async () => {
    const { world, service, received } = await owning(project);
    expect(await service.list({ limit: 50 }, world.call())).toEqual({ projects: [head] });
    expect(received).toHaveLength(0);
  });

  it('is in pages, newest first', async () => {
    const { world, service } = await having(3, 9, 5, 7, 1);
    const seen: number[][] = [];
    let after: number | undefined;
    do {
      const page = await service.list({ limit: 2, after }, world.call());
      seen.push(page.projects.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual([[9, 7], [5, 3], [1]]);
  });

  it('has nothing before anything was created', async () => {
    const { world, service } = await playing();
    expect(await service.list({ limit: 50 }, world.call())).toEqual({ projects: [] });
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
  ])('shows what the ledger has of a project for which the service answers %s', async (_, read) => {
    const { world, service } = await owning(large, { read });
    const { projects } = await service.list({ limit: 1 }, world.call());
    const unread = { creationDateUtc: null, domain: null, name: null, startDateUtc: null, endDateUtc: null };
    expect(projects).toEqual([
      { id: 1_000, customId: 'large', ...unread, sourceLanguageId: null, targetLanguages: null },
    ]);
  });

  it('fails if the service does not answer for a project that is too large for the ledger', async () => {
    const { world, service } = await owning(large, { read: empty(500) });
    expect((await problemOf(service.list({ limit: 1 }, world.call()))).name).toBe('upstream-unavailable');
  });

  it('reads from the service what is too large for the ledger, and leaves out what was deleted there', async () => {
    const { segments: _, ...largeHead } = answered(large);
    const read = inTurn(json(200, kept(large)), empty(404));
    const { world, service, received } = await owning(large, { read });
    expect(await service.list({ limit: 1 }, world.call())).toEqual({ projects: [largeHead] });
    expect(received.map(({ url }) => url)).toEqual(['/segments/projects/1000']);
    expect(await service.list({ limit: 1 }, world.call())).toEqual({ projects: [] });
  });
});
