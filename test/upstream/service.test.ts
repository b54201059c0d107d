import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { checkProject } from '../../lib/contract/check.ts';
import { parseJson } from '../../lib/contract/json.ts';
import { cursorAfter } from '../../lib/contract/parameters.ts';
import { asObject, member, nowUtc, segment, smallProject, target } from '../support/projects.ts';
import { empty, json, type Play, playService, problem, text } from './server.ts';
import { ACCOUNT, answered, call, checked, clock, contentOf, problemOf, serviceAt } from './world.ts';

const project = checked({
  customId: 'a/b',
  taskId: 'own',
  segments: [segment(), segment({ taskId: 'other' }), segment({ taskId: 'other' })],
});
const whole = answered(project);
const { segments, ...head } = whole;
const other = { ...whole, segments: segments.slice(1) };
const rest = { ...whole, segments: segments.slice(0, 1) };

describe('what is sent', () => {
  test('every request carries Basic credentials and accepts gzip-encoded JSON', async () => {
    const { url, received } = await playService(json(200, whole));
    await serviceAt(url).get({ id: 1_000 }, undefined, call);
    expect(received[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from(`${ACCOUNT.companyId}:${ACCOUNT.apiKey}`).toString('base64')}`,
      accept: 'application/json',
      'accept-encoding': 'gzip',
    });
    expect(received[0]?.headers).not.toHaveProperty('content-type');
  });

  test('the checked value is serialised anew, whatever the bytes that came looked like', async () => {
    const { url, received } = await playService(json(201, whole));
    const odd = JSON.stringify(smallProject({ name: 'NAME', description: null, customField1: 'x"\\\u2028😀' }), null, 3)
      .replace('"NAME"', '"\\u0041\\/\\uD83D\\uDE00"')
      .replace('7001', '7.001e3');
    const accepted = checkProject(parseJson(Buffer.from(odd)), clock());
    await serviceAt(url).create(accepted, call);
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: '/segments/projects',
      body: JSON.stringify(accepted),
      headers: {
        'content-type': 'application/json',
        'content-length': `${Buffer.byteLength(JSON.stringify(accepted))}`,
      },
    });
    const sent = asObject(JSON.parse(received[0]?.body ?? ''));
    expect(sent).toMatchObject({
      name: 'A/😀',
      customField1: 'x"\\\u2028😀',
      targetLanguages: [{ team: [{ id: 7001 }] }],
    });
    expect(sent).not.toHaveProperty('description');
  });

  test.each([
    ['/', '/segments/projects/1000'],
    ['', '/segments/projects/1000'],
    ['/api/v3', '/api/v3/segments/projects/1000'],
    ['/api/v3/', '/api/v3/segments/projects/1000'],
  ])('a base URL that ends in "%s" leads to %s', async (suffix, path) => {
    const { url, received } = await playService(json(200, whole));
    await serviceAt(url + suffix).get({ id: 1_000 }, undefined, call);
    expect(received[0]?.url).toBe(path);
  });

  test.each([
    ['a/b', '/segments/projects/custom/a%2Fb'],
    ['a%2Fb', '/segments/projects/custom/a%252Fb'],
    ['a%252Fb', '/segments/projects/custom/a%25252Fb'],
    ['%2e%2e', '/segments/projects/custom/%252e%252e'],
    ['a b?c#d;e', '/segments/projects/custom/a%20b%3Fc%23d%3Be'],
    ['日本', '/segments/projects/custom/%E6%97%A5%E6%9C%AC'],
  ])('the custom id %s is one path segment', async (customId, path) => {
    const { url, received } = await playService(json(200, { ...whole, customId }));
    await serviceAt(url).get({ customId }, undefined, call);
    expect(received[0]?.url).toBe(path);
  });

  test('the id of a task is one value of the query', async () => {
    const taskId = 'a&b=c+d %';
    const { taskId: _, ...bare } = whole;
    const { url, received } = await playService(json(200, { ...whole, taskId }), empty(204), json(200, bare));
    await serviceAt(url).delete({ id: 1_000 }, { kind: 'task', taskId }, call);
    expect(received[1]?.url).toBe('/segments/projects/1000?taskId=a%26b%3Dc%2Bd%20%25');
  });

  test('what changes something goes over a connection of its own, readings share one', async () => {
    const { url, connections } = await playService(json(200, whole));
    const service = serviceAt(url);
    await service.get({ id: 1_000 }, undefined, call);
    await service.get({ id: 1_000 }, undefined, call);
    expect(connections()).toBe(1);
    await service.create(project, call);
    expect(connections()).toBe(2);
  });
});

test.each([
  ['no URL', 'service.example'],
  ['another protocol', 'ftp://service.example'],
  ['a password', 'https://acme:CANARY@service.example'],
  ['a query', 'https://service.example/?key=CANARY'],
  ['a fragment', 'https://service.example/#CANARY'],
  ['a query without anything in it', 'https://service.example/CANARY?'],
])('a base URL with %s is refused and not repeated', (_, baseUrl) => {
  expect(() => serviceAt(baseUrl)).toThrow(/^((?!CANARY).)*$/s);
});

describe('create', () => {
  test.each([200, 201])('gives the project of a %i', async (status) => {
    const { url } = await playService(json(status, whole));
    const document = await serviceAt(url).create(project, call);
    expect(document).toMatchObject({ id: 1_000, segments: 3, targetLanguages: 1 });
    expect(await contentOf(document)).toEqual(whole);
  });

  test('reads a gzip-encoded answer', async () => {
    const body = gzipSync(JSON.stringify(whole));
    const { url } = await playService(text(201, body, { 'content-encoding': 'gzip' }));
    expect(await contentOf(await serviceAt(url).create(project, call))).toEqual(whole);
  });

  test('passes unknown fields through at every level, nulls and all', async () => {
    const [language] = whole.targetLanguages;
    const [first] = segments;
    const richer = {
      ...whole,
      startDateUtc: '2026-11-20T12:00:00.1234567Z',
      createdBy: { name: null },
      targetLanguages: [{ ...language, wordCount: null, team: language?.team?.map((entry) => ({ ...entry, tz: 2 })) }],
      segments: [{ ...first, hash: '0x1f' }],
    };
    const { url } = await playService(json(201, richer));
    expect(await contentOf(await serviceAt(url).create(project, call))).toEqual(richer);
  });

  test('leaves out optional fields that a service fills with null, and keeps the nulls of the contract', async () => {
    const [language] = whole.targetLanguages;
    const [first] = segments;
    const padded = {
      ...whole,
      description: null,
      eventUrl: null,
      targetLanguages: [
        { ...language, additionalInfo: null, team: language?.team?.map((entry) => ({ ...entry, phone: null })) },
      ],
      segments: [{ ...first, notes: null }],
    };
    const { url } = await playService(json(201, padded));
    const content = await contentOf(await serviceAt(url).create(project, call));
    expect(content).toEqual({ ...whole, segments: [first] });
    expect(content).toMatchObject({ domain: null, targetLanguages: [{ flag: null, team: [{ proofreadedBy: null }] }] });
  });

  test('gives a project that the service made larger than any request may be', async () => {
    const larger = { ...whole, rendered: 'x'.repeat(8_388_608) };
    const { url } = await playService(json(201, larger));
    const document = await serviceAt(url).create(project, call);
    expect(document.json.length).toBeGreaterThan(8_388_608);
    expect(await contentOf(document)).toEqual(larger);
  });

  test('sends nothing where the start date is not now', async () => {
    const { url, received } = await playService(json(201, whole));
    const late = checked({ startDateUtc: nowUtc(-3_600_000) });
    expect((await problemOf(serviceAt(url).create(late, call))).name).toBe('invalid-project');
    expect(received).toHaveLength(0);
  });
});

describe('validate', () => {
  test('asks only whether the custom id is free', async () => {
    const { url, received } = await playService(empty(404));
    await serviceAt(url).validate(project, call);
    expect(received).toMatchObject([{ method: 'GET', url: '/segments/projects/custom/a%2Fb' }]);
  });

  test('asks nothing where there is no custom id', async () => {
    const { url, received } = await playService(empty(500));
    await serviceAt(url).validate(checked(), call);
    expect(received).toHaveLength(0);
  });

  test('refuses a start date that is not now', async () => {
    const { url } = await playService(empty(404));
    const late = checked({ startDateUtc: nowUtc(-3_600_000) });
    expect((await problemOf(serviceAt(url).validate(late, call))).name).toBe('invalid-project');
  });
});

describe('get', () => {
  test('reads the whole project, and gives the segments of the task alone', async () => {
    const { url, received } = await playService(json(200, whole));
    expect(await contentOf(await serviceAt(url).get({ id: 1_000 }, 'other', call))).toEqual(other);
    expect(received.map(({ url: target }) => target)).toEqual(['/segments/projects/1000']);
  });
});

describe('list', () => {
  test('asks for the page and gives it without segments', async () => {
    const link = `<https://service.example/segments/projects?limit=1&cursor=${cursorAfter(1_000)}>; rel="next"`;
    const { url, received } = await playService(json(200, [whole], { link }));
    const page = await serviceAt(url).list({ limit: 1, after: 2_000 }, call);
    expect(received[0]?.url).toBe(`/segments/projects?limit=1&cursor=${cursorAfter(2_000)}`);
    expect(page).toEqual({ projects: [head], next: 1_000 });
  });

  test('gives the last page of an account that has no more', async () => {
    const { url, received } = await playService(json(200, []));
    expect(await serviceAt(url).list({ limit: 50 }, call)).toEqual({ projects: [] });
    expect(received[0]?.url).toBe('/segments/projects?limit=50');
  });

  test('cuts the list of a service that has no pages', async () => {
    const { url } = await playService(
      json(200, [
        { ...head, id: 1 },
        { ...head, id: 3 },
        { ...head, id: 2 },
      ]),
    );
    const page = await serviceAt(url).list({ limit: 2 }, call);
    expect(page.projects.map(({ id }) => id)).toEqual([3, 2]);
    expect(page.next).toBe(2);
  });
});

describe('delete', () => {
  const gone = empty(404);

  test.each([200, 202, 204])(
    'proves a deletion that is answered with %i by reading before and after',
    async (status) => {
      const { url, received } = await playService(json(200, whole), empty(status), gone);
      const receipt = await serviceAt(url).delete({ customId: 'a/b' }, { kind: 'project' }, call);
      expect(received.map(({ method, url: target }) => `${method} ${target}`)).toEqual([
        'GET /segments/projects/custom/a%2Fb',
        // By id: the custom id may name another project by now.
        'DELETE /segments/projects/1000',
        'GET /segments/projects/1000',
      ]);
      expect(received[1]?.body).toBe('');
      expect(receipt).toEqual({
        scope: 'project',
        projectId: 1_000,
        customId: 'a/b',
        taskId: null,
        outcome: 'deleted',
        deletedAtUtc: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        removed: { targetLanguages: 1, segments: 3, tasks: 2 },
      });
    },
  );

  test('proves the deletion of a task by reading the whole project before and after', async () => {
    const { url, received } = await playService(json(200, whole), empty(204), json(200, rest));
    const receipt = await serviceAt(url).delete({ id: 1_000 }, { kind: 'task', taskId: 'other' }, call);
    expect(received.map(({ method, url: target }) => `${method} ${target}`)).toEqual([
      'GET /segments/projects/1000',
      'DELETE /segments/projects/1000?taskId=other',
      'GET /segments/projects/1000',
    ]);
    expect(receipt).toMatchObject({
      scope: 'task',
      taskId: 'other',
      removed: { targetLanguages: 0, segments: 2, tasks: 1 },
    });
  });

  test.each([
    ['404 alone', gone],
    ['404 project-not-found', problem(404, 'project-not-found')],
    ['404 task-not-found of a whole project', problem(404, 'task-not-found')],
  ])('makes no receipt of a task where the service deleted the whole project: %s', async (_, absent) => {
    let isDeleted = false;
    const ignoringTasks: Play = (request, response) => {
      if (request.method === 'DELETE') isDeleted = true;
      const play = request.method === 'DELETE' ? empty(204) : isDeleted ? absent : json(200, whole);
      play(request, response);
    };
    const { url } = await playService(ignoringTasks);
    const deletion = serviceAt(url).delete({ id: 1_000 }, { kind: 'task', taskId: 'other' }, call);
    expect((await problemOf(deletion)).name).toBe('outcome-unknown');
  });

  test('counts the segments without a task of their own to the project’s', async () => {
    const { taskId: _, ...left } = other;
    const { url } = await playService(json(200, whole), empty(204), json(200, left));
    const receipt = await serviceAt(url).delete({ id: 1_000 }, { kind: 'task', taskId: 'own' }, call);
    expect(receipt.removed).toEqual({ targetLanguages: 0, segments: 1, tasks: 1 });
  });

  test('a project without a custom id has none on its receipt', async () => {
    const bare = answered(checked({ targetLanguages: [target({ team: [member()] })] }));
    const { url } = await playService(json(200, bare), empty(204), gone);
    const receipt = await serviceAt(url).delete({ id: 1_000 }, { kind: 'project' }, call);
    expect(receipt).toMatchObject({ customId: null, removed: { targetLanguages: 1, segments: 1, tasks: 0 } });
  });
});
