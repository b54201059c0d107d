import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type StartedGateway, startGateway } from '../../../test/support/gateway.ts';
import { asObject, nowUtc, smallProject, uniqueId } from '../../../test/support/projects.ts';
import { FAULT_NAMES, planFaults } from '../faults.ts';
import { readSimulatorSettings } from '../flags.ts';
import { randomFrom } from '../random.ts';

let simulator: StartedGateway;
beforeAll(async () => {
  simulator = await startGateway({ script: 'simulator', args: ['--seed', '1', '--settle-lag', '60000'] });
});
afterAll(() => simulator.stop());

function send(method: string, path: string, body?: object, { url, authorization } = simulator): Promise<Response> {
  const headers = { Authorization: authorization, ...(body && { 'Content-Type': 'application/json' }) };
  return fetch(`${url}/segments/projects${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

const project = (customId: string) => smallProject({ customId, startDateUtc: nowUtc() });
const named = (customId: string) => `/custom/${encodeURIComponent(customId)}`;
const statusOf = async (...request: Parameters<typeof send>) => (await send(...request)).status;

it('is the hosted service at its own address without faults', async () => {
  const customId = uniqueId();
  const created = await send('POST', '', project(customId));
  const { id } = asObject(await created.json());
  expect(created.status).toBe(201);
  expect(created.headers.get('location')).toBe(`${simulator.url}/segments/projects/${id}`);
  expect(await statusOf('GET', named(customId))).toBe(200);
  const refused = await send('POST', '', {});
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ type: `${simulator.url}/problems/invalid-project` });
  expect([await statusOf('DELETE', `/${id}`), await statusOf('GET', `/${id}`)]).toEqual([204, 404]);
  expect((await fetch(`${simulator.url}/health`)).status).toBe(200);
});

it('answers segments and progress like the service, by id and by custom id', async () => {
  const customId = `${uniqueId()}/segments`;
  const { id } = asObject(await (await send('POST', '', project(customId))).json());
  for (const path of [`/${id}`, named(customId)]) {
    const segments = await send('GET', `${path}/segments?status=untranslated`);
    expect(await segments.json()).toMatchObject([{ translations: [{ languageId: 53, status: 'untranslated' }] }]);
    expect(await (await send('GET', `${path}/progress`)).json()).toMatchObject({ total: 0 });
  }
  await send('DELETE', `/${id}`);
  for (const end of ['segments', 'progress']) expect(await statusOf('GET', `/${id}/${end}`)).toBe(404);
});

it('has no paths for translations, as the public service', async () => {
  const paths = ['/1/translations', '/custom/a/translations?x=1', '/1/languages/de', '/custom/a/languages/de'];
  for (const path of paths) {
    for (const method of ['PATCH', 'GET']) expect(await statusOf(method, path)).toBe(404);
  }
  for (const method of ['PATCH', 'PUT']) expect(await statusOf(method, '/1')).toBe(405);
  expect(await statusOf('PUT', '/custom/a')).toBe(405);
});

it.each(['refused', 'error-before-commit'])('creates nothing if the custom id requests %s', async (fault) => {
  const customId = uniqueId(`fault-${fault}`);
  await send('POST', '', project(customId)).catch(() => undefined);
  expect(await statusOf('GET', named(customId))).toBe(404);
  expect(await statusOf('POST', '', project(customId))).toBe(201);
  expect(simulator.stderr()).toContain(`{"level":"info","method":"POST","faults":["${fault}"]}\n`);
  expect(simulator.stderr()).not.toContain(customId);
});

it.each(['reset-after-commit', 'bad-gateway-after-commit', 'truncated', 'timeout-after-commit'])(
  'creates a project and loses the response if the custom id requests %s',
  async (fault) => {
    const customId = uniqueId(`fault-${fault}`);
    const waits = new AbortController();
    const response = fetch(`${simulator.url}/segments/projects`, {
      method: 'POST',
      headers: { Authorization: simulator.authorization, 'Content-Type': 'application/json' },
      body: JSON.stringify(project(customId)),
      signal: waits.signal,
    }).then((got) => got.json());
    const lost = expect(response).rejects.toThrow();
    while ((await statusOf('GET', named(customId))) === 404);
    if (fault.startsWith('timeout')) waits.abort();
    await lost;
    expect(await statusOf('POST', '', project(customId))).toBe(409);
  },
);

it('draws faults from its seed, and lets custom ids repeat', async () => {
  const args = ['--seed', '7', '--fault', 'error-before-commit=0.5', '--custom-ids', 'free', '--settle-lag', '0'];
  const gateway = await startGateway({ script: 'simulator', args });
  onTestFinished(async () => void (await gateway.stop()));
  expect(gateway.stdout()).toMatch(/^Seed: 7\n/);
  const statuses: number[] = [];
  for (let n = 0; n < 12; n++) statuses.push(await statusOf('POST', '', project('same'), gateway));
  const random = randomFrom(7);
  const planned = statuses.map(() => planFaults('POST', { 'error-before-commit': 0.5 }, random).before);
  expect(statuses).toEqual(planned.map((fault) => (fault ? 500 : 201)));
  expect(new Set(statuses).size).toBe(2);
});

it.each<[string, string[]]>([
  [
    '--sed is not a flag of npm run simulator (did you mean --seed?): the flags are --port <port>, --seed <number>, --rate <rate>, --fault <name>=<rate>, --settle-lag <milliseconds>, --custom-ids unique|free',
    ['--sed', '1'],
  ],
  ['--rate takes a rate from 0 (never) to 1 (always)', ['--rate', '5']],
  [
    '--fault takes <name>=<rate>, but there is no fault with this name: did you mean archived?',
    ['--fault', 'archive=1'],
  ],
  [
    `--fault takes <name>=<rate>, but there is no fault with this name; the faults are ${FAULT_NAMES.join(', ')}`,
    ['--fault', 'nope=1'],
  ],
  ['--fault truncated takes a rate from 0 (never) to 1 (always)', ['--fault', 'truncated']],
  ['--custom-ids must be unique or free', ['--custom-ids', 'no']],
  ['--seed takes a whole number of at most 9 digits', ['--seed', 'x']],
])('says %s', (line, args) => {
  expect(() => readSimulatorSettings(args, {})).toThrow(line);
});
