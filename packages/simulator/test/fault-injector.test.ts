import { describe, expect, it } from 'vitest';
import { allAt, FAULT_NAMES, type FaultName, faultInCustomId, planFaults } from '../faults.ts';
import { withFreeCustomIds } from '../free-custom-ids.ts';
import { randomFrom } from '../random.ts';
import { answered, injectorWith } from './world.ts';

it('plans every fault, except one that must be requested, and no later ones if the request is not carried out', () => {
  const random = randomFrom(1);
  const method = () => random.pick(['GET', 'POST', 'DELETE']);
  const plans = Array.from({ length: 2_000 }, () => planFaults(method(), allAt(0.1), random));
  const seen = new Set(plans.flatMap((plan) => Object.values(plan)));
  expect([...seen].sort()).toEqual(FAULT_NAMES.filter((name) => name !== 'widening').sort());
  for (const { before, doing, after, look } of plans) {
    if (before) expect([doing, after, look]).toEqual([undefined, undefined, undefined]);
  }
});

describe('a custom id', () => {
  it.each<[string, FaultName | undefined]>([
    ['fault-timeout-after-commit-order-17', 'timeout-after-commit'],
    ['fault-rate-limited-without-time', 'rate-limited-without-time'],
    ['fault-rate-limited-with', 'rate-limited'],
    ['segue.acme.n.fault-archived', 'archived'],
    ['fault-truncation', undefined],
    ['my-fault-truncated', undefined],
  ])('%s requests %s', (customId, fault) => {
    expect(faultInCustomId(customId)).toBe(fault);
  });

  it('causes its fault once for the creation and once for the deletion', async () => {
    const { send, service, faults } = injectorWith();
    const body = { customId: 'fault-reset-after-commit-1' };
    expect(await send('POST', '', body)).toEqual({ kind: 'reset' });
    const [id] = service.projects.keys();
    expect(answered(await send('POST', '', body)).status).toBe(409);
    expect(answered(await send('GET', '/custom/fault-reset-after-commit-1')).status).toBe(200);
    expect(await send('DELETE', `/${id}`)).toEqual({ kind: 'reset' });
    expect(answered(await send('DELETE', `/${id}`)).status).toBe(404);
    expect(faults).toEqual([['reset-after-commit'], ['reset-after-commit']]);
  });
});

const on = (name: FaultName) => injectorWith({ rates: { [name]: 1 } });

const status = (code: number, headers = {}) => ({ kind: 'answered', response: { status: code, headers } });

it.each<[FaultName, object, number]>([
  ['refused', { kind: 'refused' }, 0],
  ['reset-before-commit', { kind: 'reset' }, 0],
  ['timeout-before-commit', { kind: 'silent' }, 0],
  ['unauthorized', status(401), 0],
  ['request-timeout-before-commit', status(408), 0],
  ['rate-limited', status(429, { 'retry-after': expect.any(String) }), 0],
  ['rate-limited-without-time', status(429), 0],
  ['error-before-commit', status(500), 0],
  ['bad-gateway-before-commit', status(502), 0],
  ['unavailable', status(503), 0],
  ['timeout-after-commit', { kind: 'silent' }, 1],
  ['reset-after-commit', { kind: 'reset' }, 1],
  ['request-timeout-after-commit', status(408), 1],
  ['error-after-commit', status(500), 1],
  ['bad-gateway-after-commit', status(502), 1],
  ['gateway-timeout-after-commit', status(504), 1],
  ['truncated', { kind: 'truncated' }, 1],
  ['ok-for-created', status(200), 1],
])('%s ends a creation with %j and leaves %i projects', async (name, ending, projects) => {
  const { send, service } = on(name);
  expect(await send('POST', '', {})).toMatchObject(ending);
  expect(service.projects.size).toBe(projects);
});

describe('a fault after the service', () => {
  it('repeats a response to the same caller during the lag', async () => {
    const { send, clock } = on('repeated');
    const first = answered(await send('POST', '', { customId: 'a' }));
    await clock.advance(2_000);
    expect(answered(await send('POST', '', { customId: 'b' }))).toEqual(first);
    await clock.advance(2_001);
    expect(answered(await send('POST', '', { customId: 'c' })).text).toContain('"customId":"c"');
  });

  it('adds fields, and writes dates in other forms', async () => {
    expect(answered(await on('unknown-fields').send('POST', '', {})).text).toContain('"workflowVersion":3');
    const { send } = on('odd-dates');
    const dates = new Set<string>();
    for (let n = 0; n < 100; n++) {
      dates.add(/"creationDateUtc":"([^"]*)"/.exec(answered(await send('POST', '', {})).text)?.[1] ?? '');
    }
    const whole = '2026-11-20T09:30:00.1230000Z';
    const fractions = [1, 2, 3, 4, 5, 6, 7].map((digits) => `${whole.slice(0, 20 + digits)}Z`);
    expect([...dates].sort()).toEqual(['2026-11-20T09:30:00Z', ...fractions].sort());
  });
});

describe('a fault of the service', () => {
  it('creates and deletes twice', async () => {
    const { send, service } = on('twice');
    expect(answered(await send('POST', '', { customId: 'a' })).status).toBe(409);
    expect(service.projects.size).toBe(1);
    expect(answered(await send('DELETE', '/custom/a')).status).toBe(404);
    expect(service.projects.size).toBe(0);
  });

  it('archives a project, and deletes a task', async () => {
    const { send, service, injector } = on('archived');
    const { text } = answered(await send('POST', '', { customId: 'a' }));
    const { id } = JSON.parse(text);
    expect(answered(await send('DELETE', `/${id}?taskId=t`)).status).toBe(204);
    expect(service.projects.get(id)?.tasks).toEqual(['u']);
    expect(answered(await send('DELETE', '/custom/a')).status).toBe(204);
    expect(injector.hasArchived(id)).toBe(true);
    expect(answered(await send('GET', `/${id}`)).text).toContain('"archived":true');
    expect(answered(await send('GET', '')).text).toContain('"archived":true');
    expect(answered(await send('DELETE', '/99')).status).toBe(404);
  });

  it('deletes later', async () => {
    const { send, service, clock } = on('delete-later');
    const { id } = JSON.parse(answered(await send('POST', '', { customId: 'a' })).text);
    expect(answered(await send('DELETE', '/custom/a?taskId=t')).status).toBe(202);
    expect(service.projects.get(id)?.tasks).toEqual(['t', 'u']);
    await clock.advance(2_000);
    expect(service.projects.get(id)?.tasks).toEqual(['u']);
    expect(answered(await send('DELETE', '/99')).status).toBe(404);
  });

  it('accepts a deletion for hours, and drops some', async () => {
    const { send, injector, service, clock } = on('accepted-for-hours');
    for (let n = 0; n < 40; n++) await send('POST', '', { customId: `c${n}` });
    const ids = [...service.projects.keys()];
    for (const id of ids) expect(answered(await send('DELETE', `/${id}`)).status).toBe(202);
    const again = new Set<number>();
    for (const id of ids) again.add(answered(await send('DELETE', `/${id}`)).status);
    expect([...again].sort()).toEqual([202, 409]);
    expect(service.projects.size).toBe(40);
    await clock.advance(3_600_000);
    expect(service.projects.size).toBeGreaterThan(10);
    expect(service.projects.size).toBeLessThan(40);
    await clock.advance(19 * 3_600_000);
    expect(service.projects.size).toBeGreaterThan(0);
    expect(service.projects.size).toBeLessThan(20);
    const [forgotten = 0] = service.projects.keys();
    injector.isOn = false;
    expect(answered(await send('DELETE', `/${forgotten}`)).status).toBe(204);
  });

  it('answers from a stale replica until it catches up', async () => {
    const { send, service, clock } = injectorWith({ random: { ...randomFrom(1), below: () => 1 } });
    const status = async (method: string, path: string) => answered(await send(method, path)).status;
    await send('POST', '', { customId: 'fault-stuck-replica' });
    await clock.advance(1);
    expect(await status('DELETE', '/custom/fault-stuck-replica')).toBe(204);
    await clock.advance(1);
    await send('POST', '', { customId: 'young' });
    const [id] = service.projects.keys();
    expect(await status('GET', '/custom/fault-stuck-replica')).toBe(200);
    expect([await status('GET', `/${id}`), await status('DELETE', `/${id}`)]).toEqual([404, 404]);
    for (const end of ['segments', 'progress']) {
      expect(await status('GET', `/${id}/${end}`)).toBe(404);
      expect(await status('GET', `/custom/young/${end}`)).toBe(404);
    }
    expect(service.projects.size).toBe(1);
    await clock.advance(2_000);
    expect(await status('GET', '/custom/fault-stuck-replica')).toBe(404);
    expect(await status('GET', '/custom/young/segments')).toBe(200);
    expect([await status('GET', `/${id}`), await status('DELETE', `/${id}`)]).toEqual([200, 204]);
  });

  it('reads old states, not older than the lag', async () => {
    const { send, clock, service } = on('lagging');
    const read = async () => answered(await send('GET', '/custom/a'));
    await send('POST', '', { customId: 'a' });
    await clock.advance(1_000);
    const soon = new Set<number>();
    for (let n = 0; n < 100; n++) soon.add((await read()).status);
    expect([...soon].sort()).toEqual([200, 404]);
    await clock.advance(1_001);
    expect((await read()).status).toBe(200);
    await send('DELETE', `/${[...service.projects.keys()].join()}?taskId=t`);
    await send('DELETE', '/custom/a');
    const texts = new Set<string>();
    await clock.advance(1_000);
    for (let n = 0; n < 100; n++) texts.add((await read()).text);
    expect([...texts].some((text) => text.includes('"tasks":["t","u"]'))).toBe(true);
    await clock.advance(1_001);
    expect((await read()).status).toBe(404);
  });

  it('deletes the project instead of the task if that is requested', async () => {
    const { send, service } = on('widening');
    await send('POST', '', { customId: 'a' });
    expect(answered(await send('DELETE', '/custom/a?taskId=t')).status).toBe(204);
    expect(service.projects.size).toBe(0);
  });
});

it('has no faults once it is off, or for other requests', async () => {
  const { send, injector, service } = injectorWith({ rates: allAt(1) });
  const other = { method: 'GET', path: '/integrations/languages', headers: {} };
  expect(await injector.exchange(other)).toEqual({ kind: 'answered', response: await service.answer(other) });
  injector.isOn = false;
  expect(answered(await send('POST', '', {})).status).toBe(201);
});

it('lets several projects have one custom id, and finds the newest', async () => {
  const { service } = injectorWith();
  const free = withFreeCustomIds(service.answer);
  const send = async (method: string, path: string, body?: object) => {
    const asked = { method, path: `/segments/projects${path}`, headers: {} };
    const response = await free({ ...asked, body: body && Buffer.from(JSON.stringify(body)) });
    return answered({ kind: 'answered', response });
  };
  const idOf = ({ text }: { readonly text: string }) => JSON.parse(text).id;
  const [one, two] = [idOf(await send('POST', '', { customId: 'a' })), idOf(await send('POST', '', { customId: 'a' }))];
  expect(idOf(await send('GET', '/custom/a'))).toBe(two);
  expect(JSON.parse((await send('GET', '/custom/a/segments')).text)).toEqual({ segments: two });
  expect(JSON.parse((await send('GET', '/custom/a/progress?taskId=t')).text)).toEqual({ progress: two });
  expect(JSON.parse((await send('GET', '')).text)).toMatchObject([{ customId: 'a' }, { customId: 'a' }]);
  expect((await send('DELETE', '/custom/a')).status).toBe(204);
  expect(idOf(await send('GET', '/custom/a'))).toBe(one);
  expect((await send('DELETE', `/${one}`)).status).toBe(204);
  expect((await send('GET', '/custom/a')).status).toBe(404);
});
