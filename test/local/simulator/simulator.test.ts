import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type StartedGateway, spawnStart, startGateway, textOf } from '../../support/gateway.ts';
import { asObject, nowUtc, smallProject, uniqueId } from '../../support/projects.ts';

let simulator: StartedGateway;
beforeAll(async () => {
  simulator = await startGateway({ script: 'simulator', args: ['--seed', '1', '--settle-lag', '60000'] });
});
afterAll(() => simulator.stop());

function send(method: string, path: string, body?: object, { url, authorization } = simulator): Promise<Response> {
  const headers = { Authorization: authorization, ...(body && { 'Content-Type': 'application/json' }) };
  return fetch(`${url}/segments/projects${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

/** @returns the id of a project whose custom id begins with a text */
async function made(beginning: string): Promise<unknown> {
  const answer = await send('POST', '', project(uniqueId(beginning)));
  return asObject(await answer.json())['id'];
}

const project = (customId: string) => smallProject({ customId, startDateUtc: nowUtc() });
const named = (customId: string) => `/custom/${encodeURIComponent(customId)}`;

describe('the simulator without faults', () => {
  it('is the service: as it speaks at its own address', async () => {
    const customId = uniqueId();
    const created = await send('POST', '', project(customId));
    const { id } = asObject(await created.json());
    expect([created.status, created.headers.get('location')]).toEqual([
      201,
      `${simulator.url}/segments/projects/${id}`,
    ]);
    expect((await send('GET', named(customId))).status).toBe(200);
    const refused = await send('POST', '', {});
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { type: `${simulator.url}/problems/invalid-project` },
    ]);
    expect((await send('DELETE', `/${id}`)).status).toBe(204);
    expect((await send('GET', `/${id}`)).status).toBe(404);
    expect((await fetch(`${simulator.url}/health`)).status).toBe(200);
  });
});

describe('a custom id that asks for a fault', () => {
  it.each(['refused', 'reset-before-commit', 'error-before-commit'])('makes nothing: %s', async (fault) => {
    const customId = uniqueId(`fault-${fault}`);
    await send('POST', '', project(customId)).catch(() => undefined);
    expect((await send('GET', named(customId))).status).toBe(404);
    expect((await send('POST', '', project(customId))).status).toBe(201);
  });

  it.each(['reset-after-commit', 'bad-gateway-after-commit', 'truncated'])(
    'makes one and loses the answer: %s',
    async (fault) => {
      const customId = uniqueId(`fault-${fault}`);
      const answer = send('POST', '', project(customId)).then((got) => got.json());
      await expect(answer).rejects.toThrow();
      expect((await send('GET', named(customId))).status).toBe(200);
      expect((await send('POST', '', project(customId))).status).toBe(409);
    },
  );

  it('says nothing for as long as anybody waits', async () => {
    const customId = uniqueId('fault-timeout-after-commit');
    const waits = new AbortController();
    const answer = fetch(`${simulator.url}/segments/projects`, {
      method: 'POST',
      headers: { Authorization: simulator.authorization, 'Content-Type': 'application/json' },
      body: JSON.stringify(project(customId)),
      signal: waits.signal,
    });
    while ((await send('GET', named(customId))).status === 404);
    waits.abort();
    await expect(answer).rejects.toThrow();
  });

  it('deletes later, and archives', async () => {
    const later = await made('fault-delete-later');
    expect((await send('DELETE', `/${later}`)).status).toBe(202);
    expect((await send('GET', `/${later}`)).status).toBe(200);
    const archived = await made('fault-archived');
    expect((await send('DELETE', `/${archived}`)).status).toBe(204);
    expect(await (await send('GET', `/${archived}`)).json()).toMatchObject({ archived: true });
  });

  it('is logged by the names of its faults alone', async () => {
    const customId = uniqueId('fault-unavailable');
    await send('POST', '', project(customId));
    expect(simulator.stderr()).toContain('{"level":"info","method":"POST","faults":["unavailable"]}\n');
    expect(simulator.stderr()).not.toContain(customId);
  });
});

it('lets the same go wrong with the same seed', async () => {
  const args = ['--seed', '7', '--rate', '0.05', '--fault', 'delay=0', '--settle-lag', '0'];
  const silent = ['--fault', 'timeout-before-commit=0', '--fault', 'timeout-after-commit=0'];
  const traces = await Promise.all(
    [1, 2].map(async () => {
      const gateway = await startGateway({ script: 'simulator', args: [...args, ...silent] });
      onTestFinished(() => gateway.stop().then(() => undefined));
      const trace: (number | string)[] = [];
      for (let n = 0; n < 60; n++) {
        const answer = send('POST', '', smallProject({ startDateUtc: nowUtc() }), gateway);
        trace.push(
          await answer.then(
            ({ status }) => status,
            () => 'hung up',
          ),
        );
      }
      return trace;
    }),
  );
  expect(traces[0]).toEqual(traces[1]);
  expect(new Set(traces[0]).size).toBeGreaterThan(3);
});

it.each<[string, string[]]>([
  ['the flags are --port, --seed, --rate, --fault, --settle-lag, --custom-ids, each with its value', ['--sed', '1']],
  ['--rate takes a rate from 0 (never) to 1 (always)', ['--rate', '5']],
  ['--fault takes <name>=<rate>, and no fault has that name: archived is near', ['--fault', 'archive=1']],
  ['--fault truncated takes a rate from 0 (never) to 1 (always)', ['--fault', 'truncated']],
  ['--custom-ids takes unique or free', ['--custom-ids', 'no']],
  ['--seed takes a whole number of at most 9 digits', ['--seed', 'x']],
])('says %s', async (line, args) => {
  const child = spawnStart(args, {}, 'true', 'simulator');
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  expect(await once(child, 'close')).toEqual([1, null]);
  expect([stdout(), stderr()]).toEqual(['', `segue: ${line}\n`]);
});
