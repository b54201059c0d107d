import { createServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ProblemType } from '../../lib/contract/problems.ts';
import type { Call, ProjectService } from '../../lib/service/port.ts';
import { MAX_ANSWER_BYTES } from '../../lib/upstream/body.ts';
import { breakOff, empty, json, type Play, playService, portOf, problem, reset, text } from './server.ts';
import { answered, call, checked, problemOf, serviceAt } from './world.ts';

const project = checked({ customId: 'a', taskId: 't' });
const found = json(200, answered(project));
const taskless = json(200, answered(checked({ customId: 'a' })));
const gone = empty(404);

const create = (service: ProjectService) => service.create(project, call);
const get = (service: ProjectService) => service.get({ id: 1_000 }, undefined, call);
const getTask = (service: ProjectService) => service.get({ id: 1_000 }, 't', call);
const list = (service: ProjectService) => service.list({ limit: 50 }, call);
const validate = (service: ProjectService) => service.validate(project, call);
const remove = (service: ProjectService) => service.delete({ id: 1_000 }, { kind: 'project' }, call);
const removeTask = (service: ProjectService) => service.delete({ id: 1_000 }, { kind: 'task', taskId: 't' }, call);

type Row = readonly [what: string, play: Play, type: ProblemType];

/** What an answer means wherever it comes. */
const EVERYWHERE: readonly Row[] = [
  ['401', empty(401), 'upstream-unavailable'],
  ['403', empty(403), 'upstream-unavailable'],
  ['429', empty(429, { 'retry-after': '9' }), 'upstream-unavailable'],
  ['503', empty(503), 'upstream-unavailable'],
  ['400', json(400, { message: 'no' }), 'upstream-refused'],
  ['405 without a body', empty(405), 'upstream-refused'],
  ['413', empty(413), 'upstream-refused'],
  ['422 whose body breaks off', breakOff(422), 'upstream-refused'],
  ['301', empty(301, { location: 'http://127.0.0.1:1/' }), 'upstream-refused'],
  ['307', empty(307, { location: 'http://127.0.0.1:1/' }), 'upstream-refused'],
  ['308', empty(308, { location: 'http://127.0.0.1:1/' }), 'upstream-refused'],
  ['a problem of ours that no door may give here', problem(410, 'project-deleted'), 'upstream-refused'],
];

/** What leaves open whether something was done. */
const AMBIGUOUS: readonly (readonly [what: string, play: Play])[] = [
  ['408', empty(408)],
  ['500', empty(500)],
  ['an HTML 502', text(502, '<html><h1>Bad Gateway</h1></html>', { 'content-type': 'text/html' })],
  ['504', empty(504)],
  ['a reset', reset],
  ['a problem of ours under another status', problem(500, 'project-not-found')],
];

/** Successes without a project in them. */
const UNREADABLE: readonly (readonly [what: string, play: Play])[] = [
  ['an empty body', empty(200)],
  ['HTML', text(200, '<html></html>')],
  ['another shape', json(200, { ok: true })],
  ['a list entry of another shape', json(200, { ...answered(project), segments: [{ id: 1 }] })],
  ['an id above 2^53', text(200, JSON.stringify(answered(project)).replace('"id":1000', '"id":9007199254740993'))],
  ['bytes that are no UTF-8', text(200, Buffer.from('{"name":"\xff"}', 'latin1'))],
  ['gzip that is none', text(200, 'plain', { 'content-encoding': 'gzip' })],
  ['gzip that is cut', text(200, gzipSync('{}').subarray(0, 12), { 'content-encoding': 'gzip' })],
  ['a coding that nobody asked for', text(200, '{}', { 'content-encoding': 'br' })],
];

/** What a service answers for a project that it does not have. */
const ABSENT: readonly (readonly [what: string, play: Play])[] = [
  ['404 alone', empty(404)],
  ['404 in JSON', json(404, { message: 'Not Found' })],
  ['404 in JSON with a charset', text(404, 'null', { 'content-type': 'Application/JSON ; charset=utf-8' })],
  ['404 with a problem of another make', json(404, { status: 404 }, { 'content-type': 'application/problem+json' })],
  ['404 project-not-found', problem(404, 'project-not-found')],
];

/** What is answered by something that is not the service, or not asked for a project. */
const NOT_THE_SERVICE: readonly (readonly [what: string, play: Play])[] = [
  ['404 in HTML', text(404, '<html><h1>404 Not Found</h1></html>', { 'content-type': 'text/html' })],
  ['404 in HTML under the type of JSON', text(404, '<html></html>', { 'content-type': 'application/json' })],
  ['404 in plain text', text(404, '404 page not found', { 'content-type': 'text/plain' })],
  ['404 in text that only reads like JSON', text(404, '404', { 'content-type': 'text/plain; is=application/json' })],
  ['404 in JSON without its type', text(404, '{}')],
  ['404 that breaks off', breakOff(404)],
  ['404 route-not-found', problem(404, 'route-not-found')],
];

async function typeOf(work: (service: ProjectService) => Promise<unknown>, ...plays: readonly Play[]) {
  const { url, received } = await playService(...plays);
  const { name, occurrence } = await problemOf(work(serviceAt(url)));
  return { name, occurrence, requests: received.length };
}

describe('create', () => {
  const rows: readonly Row[] = [
    ...EVERYWHERE,
    ...AMBIGUOUS.map(([what, play]): Row => [what, play, 'outcome-unknown']),
    ...UNREADABLE.map(([what, play]): Row => [`a success with ${what}`, play, 'outcome-unknown']),
    ['a success that breaks off', breakOff(201), 'outcome-unknown'],
    ['202', empty(202), 'outcome-unknown'],
    ['204', empty(204), 'outcome-unknown'],
    ['303, which may follow on a creation', empty(303, { location: '/' }), 'outcome-unknown'],
    ['404', empty(404), 'upstream-refused'],
    ['409 without a type', empty(409), 'upstream-refused'],
    ['409 custom-id-in-use', problem(409, 'custom-id-in-use'), 'custom-id-in-use'],
    ['500 team-without-translator', problem(500, 'team-without-translator'), 'team-without-translator'],
    ['400 invalid-project', problem(400, 'invalid-project'), 'upstream-refused'],
    ['404 project-not-found', problem(404, 'project-not-found'), 'upstream-refused'],
  ];
  test.each(rows)('%s', async (_, play, type) => {
    expect(await typeOf(create, play)).toMatchObject({ name: type, requests: 1 });
  });
});

describe('reads', () => {
  const rows: readonly Row[] = [
    ...EVERYWHERE,
    ...AMBIGUOUS.map(([what, play]): Row => [what, play, 'upstream-unavailable']),
    ...UNREADABLE.map(([what, play]): Row => [`a success with ${what}`, play, 'upstream-invalid']),
    ['a success that breaks off', breakOff(200), 'upstream-unavailable'],
    ['204', empty(204), 'upstream-invalid'],
    ['302', empty(302, { location: '/' }), 'upstream-refused'],
  ];
  test.each(rows)('get: %s', async (_, play, type) => {
    expect(await typeOf(get, play)).toMatchObject({ name: type, requests: 1 });
  });
  test.each(rows)('list: %s', async (_, play, type) => {
    expect(await typeOf(list, play)).toMatchObject({ name: type, requests: 1 });
  });
  test.each(rows)('validate: %s', async (_, play, type) => {
    expect(await typeOf(validate, play)).toMatchObject({ name: type, requests: 1 });
  });

  test.each(ABSENT)('a project is not there: %s', async (_, play) => {
    expect(await typeOf(get, play)).toMatchObject({ name: 'project-not-found', requests: 1 });
    expect(await typeOf(getTask, play)).toMatchObject({ name: 'project-not-found', requests: 1 });
    const { url } = await playService(play);
    await expect(validate(serviceAt(url))).resolves.toBeUndefined();
  });
  test.each(NOT_THE_SERVICE)('nothing shows that a project is not there: %s', async (_, play) => {
    for (const work of [get, getTask, validate]) {
      expect(await typeOf(work, play)).toMatchObject({ name: 'upstream-refused', requests: 1 });
    }
  });

  test.each([
    ['404 task-not-found, where no task was asked for', getTask, problem(404, 'task-not-found'), 'upstream-refused'],
    ['a project without the task', getTask, taskless, 'task-not-found'],
    ['404 of a list', list, empty(404), 'upstream-refused'],
    ['another project', get, json(200, answered(project, 1_001)), 'upstream-invalid'],
    ['a project with another custom id', validate, json(200, answered(checked())), 'upstream-invalid'],
    ['a custom id in use', validate, found, 'custom-id-in-use'],
    [
      'further pages behind a link of another make',
      list,
      json(200, [], { link: '<?page=2>; rel="next"' }),
      'upstream-invalid',
    ],
  ] as const)('%s', async (_, work, play, type) => {
    expect(await typeOf(work, play)).toMatchObject({ name: type, requests: 1 });
  });
});

describe('delete', () => {
  const rows: readonly Row[] = [
    ...EVERYWHERE,
    ...AMBIGUOUS.map(([what, play]): Row => [what, play, 'outcome-unknown']),
    ['302', empty(302, { location: '/' }), 'outcome-unknown'],
  ];
  test.each(rows)('%s', async (_, play, type) => {
    expect(await typeOf(remove, found, play)).toMatchObject({ name: type, requests: 2 });
  });

  test.each([
    ['still there', remove, empty(204), found, 'upstream-refused'],
    ['still there after 202', remove, empty(202), found, 'outcome-unknown'],
    ['the task still there', removeTask, empty(204), found, 'upstream-refused'],
    ['unreadable afterwards', remove, empty(204), empty(500), 'outcome-unknown'],
    ['locked out afterwards', remove, empty(204), empty(401), 'outcome-unknown'],
    ['the whole project gone with its task', removeTask, empty(204), empty(404), 'outcome-unknown'],
  ] as const)('accepted, and %s', async (_, work, answer, after, type) => {
    expect(await typeOf(work, found, answer, after)).toMatchObject({ name: type, requests: 3 });
  });

  test.each(NOT_THE_SERVICE)('accepted, and nothing shows that it is done: %s', async (_, after) => {
    expect(await typeOf(remove, found, empty(204), after)).toMatchObject({ name: 'outcome-unknown', requests: 3 });
  });

  test.each(NOT_THE_SERVICE)('nothing shows that there was nothing to delete: %s', async (_, play) => {
    expect(await typeOf(remove, play)).toMatchObject({ name: 'upstream-refused', requests: 1 });
    expect(await typeOf(remove, found, play)).toMatchObject({ name: 'upstream-refused', requests: 2 });
  });

  test.each([...ABSENT, ['404 task-not-found', problem(404, 'task-not-found')] as const])(
    'somebody else was faster, or the service does not delete: %s, and reading tells',
    async (_, play) => {
      const rows = [
        [remove, gone, 'project-not-found'],
        [remove, found, 'upstream-refused'],
        [remove, empty(500), 'outcome-unknown'],
        [removeTask, gone, 'project-not-found'],
        [removeTask, taskless, 'task-not-found'],
        [removeTask, found, 'upstream-refused'],
      ] as const;
      for (const [work, after, type] of rows) {
        expect(await typeOf(work, found, play, after)).toMatchObject({ name: type, requests: 3 });
      }
    },
  );

  test.each([
    ['no such project', remove, gone, 'project-not-found'],
    ['no such project of a task', removeTask, gone, 'project-not-found'],
    ['no such task', removeTask, taskless, 'task-not-found'],
    ['another project', remove, json(200, answered(project, 1_001)), 'upstream-invalid'],
    ['a project that cannot be read', remove, empty(500), 'upstream-unavailable'],
  ] as const)('nothing is deleted where the reading before gives %s', async (_, work, play, type) => {
    expect(await typeOf(work, play)).toMatchObject({ name: type, requests: 1 });
  });
});

test('Retry-After is passed on', async () => {
  const { occurrence } = await typeOf(create, empty(429, { 'retry-after': '9' }));
  expect(occurrence.retryAfterSeconds).toBe(9);
});

test('an answer larger than the limit is not read', async () => {
  const chunk = Buffer.alloc(8_388_608, ' ');
  const endless: Play = (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on('drain', more);
    more();
  };
  expect(await typeOf(get, endless)).toMatchObject({ name: 'upstream-invalid' });
});

test('a small answer that unpacks to more than the limit is not unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(MAX_ANSWER_BYTES + 1, ' '), { level: 1 });
  expect(await typeOf(get, text(200, bomb, { 'content-encoding': 'gzip' }))).toMatchObject({
    name: 'upstream-invalid',
  });
});

test.each([
  ['within the request', 401, 2],
  ['for the next request', 403, 1],
])('refused credentials are read anew once, %s after a %i', async (_, status, reads) => {
  const { url, received } = await playService(found, empty(status), found);
  const service = serviceAt(url);
  await get(service);
  await problemOf(get(service));
  expect(service.secretReads()).toBe(reads);
  await get(service);
  expect(service.secretReads()).toBe(2);
  expect(received).toHaveLength(3);
});

describe('the deadline', () => {
  const inTime: Call = { ...call, deadline: { remainingMs: () => 10_000 } };

  /** Lets the time of the request run out as soon as the service has it. */
  function runOutOfTime(): Play {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    return () => void vi.advanceTimersByTime(10_000);
  }

  test('ends a creation in an unknown outcome once it was sent', async () => {
    const { url } = await playService(runOutOfTime());
    expect((await problemOf(serviceAt(url).create(project, inTime))).name).toBe('outcome-unknown');
  });

  test('ends a reading in unavailable', async () => {
    const { url } = await playService(runOutOfTime());
    expect((await problemOf(serviceAt(url).get({ id: 1_000 }, undefined, inTime))).name).toBe('upstream-unavailable');
  });

  test('holds for the body of the answer too', async () => {
    const play = runOutOfTime();
    const { url } = await playService((request, response) => {
      response.writeHead(200).write('{', () => play(request, response));
    });
    expect((await problemOf(serviceAt(url).get({ id: 1_000 }, undefined, inTime))).name).toBe('upstream-unavailable');
  });

  test('that is over sends nothing', async () => {
    const { url, received } = await playService(found);
    const late: Call = { ...call, deadline: { remainingMs: () => 0 } };
    expect((await problemOf(serviceAt(url).create(project, late))).name).toBe('upstream-unavailable');
    expect(received).toHaveLength(0);
  });
});

describe('a request that cannot have left', () => {
  test('is no unknown outcome where nobody listens', async () => {
    const server = await listen(createServer());
    const url = `http://127.0.0.1:${portOf(server.address())}`;
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    await closed.promise;
    expect((await problemOf(create(serviceAt(url)))).name).toBe('upstream-unavailable');
  });

  test('is no unknown outcome where the server does not speak TLS', async () => {
    const { url, received } = await playService(found);
    expect((await problemOf(create(serviceAt(url.replace('http:', 'https:'))))).name).toBe('upstream-unavailable');
    expect(received).toHaveLength(0);
  });
});

test.each([
  ['hangs up at once', ''],
  ['answers with something else than HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'],
])('a creation is an unknown outcome where the server %s', async (_, words) => {
  const server = await listen(createServer((socket) => socket.once('data', () => socket.end(words))));
  onTestFinished(() => void server.close());
  expect((await problemOf(create(serviceAt(`http://127.0.0.1:${portOf(server.address())}`)))).name).toBe(
    'outcome-unknown',
  );
});

async function listen(server: Server): Promise<Server> {
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  return server;
}
