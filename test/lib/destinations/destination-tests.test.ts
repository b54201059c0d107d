import { describe, expect, it } from 'vitest';
import { MAX_SHOWN_BODY } from '../../../lib/contract/administration.ts';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import { answered } from '../../support/answered.ts';
import { DestinationWorld } from './world.ts';

const SECRET = { header: 'X-Token', secret: 'CANARY secret' };
const AGAINST = { project: 'page', languageCode: 'de-DE' };

/** A world with a destination and a translated project. */
async function start() {
  const world = new DestinationWorld();
  const destination = await world.add({}, SECRET);
  await world.page({ title: 'Hello' }, { customId: 'page' });
  await world.workUntilDone();
  const deadline = deadlineAt(world.now() + 25_000, world.now);
  return { world, tests: world.tests(), request: { destination, deadline, ...AGAINST } };
}

it('shows the requests without the secret, and sends nothing', async () => {
  const { world, tests, request } = await start();
  const { test, requests, faults } = await tests.show(request);
  expect(test).toMatch(/^\d+-[\w-]{43}$/);
  expect(faults).toEqual([]);
  expect(requests).toMatchObject([{ method: 'PUT', bytes: requests[0]?.body?.length }]);
  expect(requests[0]?.body).toContain('title');
  expect(requests[0]?.headers.map(({ name }) => name)).toEqual(['content-type', 'user-agent', 'idempotency-key']);
  expect(JSON.stringify(requests)).not.toContain('CANARY');
  expect(world.sent).toEqual([]);
});

it('sends what was shown with the secret, and reports only the status and the size of the answer', async () => {
  const { world, tests, request } = await start();
  world.answer = () => ({ ...answered(201), headers: { 'x-a': 'CANARY' }, body: Buffer.from('CANARY answer') });
  const { test = '', requests } = await tests.show(request);
  world.nowMs += 60_000;
  const later = { ...request, deadline: deadlineAt(world.now() + 25_000, world.now) };
  const sent = await tests.send(later, test);
  expect(sent).toMatchObject({ sent: true, ends: [{ status: 201, answerBytes: 13 }] });
  expect(JSON.stringify(sent)).not.toContain('CANARY');
  const [{ headers = {}, body } = {}] = world.sent;
  expect(headers['x-token']).toBe(SECRET.secret);
  expect(body).toBe(requests[0]?.body);
  for (const { name, value } of requests[0]?.headers ?? []) expect(headers[name]).toBe(value);
  await tests.send(later, test);
  expect(world.sent[1]?.headers).toEqual(headers);
});

it('makes the same requests again if the mapping uses the time of its event', async () => {
  const { world, tests, request } = await start();
  world.map = ({ event }) => ({ method: 'POST', url: 'https://cms.example/', body: event.id });
  const { test = '' } = await tests.show(request);
  world.nowMs += 1_000;
  expect(await tests.send(request, test)).toMatchObject({ sent: true });
});

describe('sends nothing', () => {
  it('if the translations have changed since, and shows the new requests', async () => {
    const { world, tests, request } = await start();
    const { test = '' } = await tests.show(request);
    world.map = () => ({ method: 'POST', url: 'https://cms.example/', body: 'other' });
    expect(await tests.send(request, test)).toMatchObject({ sent: false, test: { requests: [{ body: 'other' }] } });
    expect(world.sent).toEqual([]);
  });

  it.each(['', '7', '1-A', `1-${'A'.repeat(43)}`, `99999999999999999999-${'A'.repeat(43)}`])(
    'for the test %j, which was not shown',
    async (shown) => {
      const { world, tests, request } = await start();
      expect(await tests.send(request, shown)).toMatchObject({ sent: false, ends: [] });
      expect(world.sent).toEqual([]);
    },
  );

  it('for a test of another destination or another process', async () => {
    const { world, tests, request } = await start();
    const { test = '' } = await tests.show(request);
    const destination = await world.add({ name: 'shop' });
    expect(await tests.send({ ...request, destination }, test)).toMatchObject({ sent: false });
    expect(await world.tests().send(request, test)).toMatchObject({ sent: false });
    expect(world.sent).toEqual([]);
  });

  it('without a secret that cannot be read', async () => {
    const { world, request } = await start();
    const secretOf = () => Promise.reject(new Error('The file is gone'));
    const tests = world.tests({ secretOf });
    const { test = '' } = await tests.show(request);
    expect(await tests.send(request, test)).toMatchObject({ sent: false, test: { refusal: 'no-secret' } });
    expect(world.sent).toEqual([]);
  });

  it('when the time for another request is over', async () => {
    const { world, tests, request } = await start();
    const url = 'https://cms.example/';
    world.map = () => [1, 2, 3].map((body) => ({ method: 'POST', url, body }));
    const { test = '' } = await tests.show(request);
    world.answer = () => {
      world.nowMs += 9_000;
      return answered(200);
    };
    const { ends } = await tests.send(request, test);
    expect([ends.length, world.sent.length]).toEqual([2, 2]);
  });
});

it.each([
  ['project-deleted', { project: 'none' }],
  ['language-removed', { languageCode: 'fr-FR' }],
  ['language-unknown', { languageCode: 'tlh' }],
  ['project-deleted', { project: '' }],
])('says %s for %j', async (refusal, about) => {
  const { tests, request } = await start();
  expect(await tests.show({ ...request, ...about })).toEqual({ requests: [], faults: [], refusal });
});

it('does not find the project of another company', async () => {
  const { world, tests, request } = await start();
  const id = await world.page({ title: 'CANARY' }, { customId: 'theirs' }, 'other');
  for (const project of ['theirs', String(id)])
    expect(await tests.show({ ...request, project })).toMatchObject({ refusal: 'project-deleted' });
});

it('reports the faults of the requests', async () => {
  const { world, tests, request } = await start();
  world.map = () => [{ method: 'PUT', url: 'https://evil.example/' }, { method: 'TELL' }];
  const { test, requests, faults } = await tests.show(request);
  expect([test, requests]).toEqual([undefined, []]);
  expect(new Set(faults.map(({ request: number }) => number))).toEqual(new Set([1, 2]));
});

it('shows a mapping that makes no requests, and the beginning of a long body', async () => {
  const { world, tests, request } = await start();
  world.map = () => undefined;
  expect(await tests.show(request)).toEqual({ requests: [], faults: [] });
  world.map = () => ({ method: 'POST', url: 'https://cms.example/', body: 'x'.repeat(MAX_SHOWN_BODY + 1) });
  const [shown] = (await tests.show(request)).requests;
  expect([shown?.bytes, shown?.body?.length]).toEqual([MAX_SHOWN_BODY + 1, MAX_SHOWN_BODY]);
});

it('runs one test of a company at a time', async () => {
  const { tests, request } = await start();
  const first = tests.show(request);
  await expect(tests.show(request)).rejects.toMatchObject({ name: 'unavailable' });
  await first;
  expect((await tests.show(request)).requests).toHaveLength(1);
});
