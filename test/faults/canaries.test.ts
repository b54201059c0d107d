import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { EVENTUALLY } from '../support/eventually.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { type JsonObject, smallProject } from '../support/projects.ts';
import { ask, creationOf, objectIn } from './asking.ts';
import { bytesIn, CANARY, countIn, FIELDS, TASK, tracesOf } from './canary.ts';
import { inDatabase } from './kills/store.ts';
import { SqliteWorld } from './sqlite-world.ts';

const API_KEY = 'secret-canary-of-the-key';
const run = promisify(execFile);

let folder: string;
let gateway: StartedGateway;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'segue-canaries-'));
  gateway = await startGateway({ env: { SEGUE_DATA_DIR: folder, SEGUE_API_KEY: API_KEY } });
});
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Makes a project of canaries whose content fills some pages. */
async function create(fields: JsonObject = {}): Promise<number> {
  const noise = Array.from({ length: 20_000 }, (_, n) => ((n * 7_919_003) % 1_000_003).toString(36)).join(' ');
  const project = smallProject({ ...FIELDS, ...fields, segments: [...FIELDS.segments, { content: noise }] });
  const answer = await ask(gateway, creationOf(project));
  expect(answer.status, answer.text).toBe(201);
  return Number(objectIn(answer)['id']);
}

const PayloadRow = z.object({ bytes: z.instanceof(Uint8Array) });

/** What the store has of payloads, by another connection. */
function payloads(): Buffer[] {
  const rows = inDatabase(folder, (database) => database.prepare('SELECT bytes FROM payloads').all());
  return rows.map((row) => Buffer.from(PayloadRow.parse(row).bytes));
}

describe('the files of a started gateway', () => {
  it('hold nothing of a project a while after it was deleted, as text or as it was stored', async () => {
    const id = await create();
    const traces = payloads().flatMap(tracesOf);
    // Less than all: some lie across two pages.
    expect(countIn(bytesIn(folder), traces)).toBeGreaterThan(1_000);
    expect(bytesIn(folder).includes(CANARY)).toBe(true);
    expect((await ask(gateway, { method: 'DELETE', path: `/segments/projects/${id}` })).status).toBe(204);
    await vi.waitFor(() => {
      const bytes = bytesIn(folder);
      expect({ traces: countIn(bytes, traces), canary: bytes.includes(CANARY) }).toEqual({
        traces: 0,
        canary: false,
      });
    }, EVENTUALLY);
  });
});

describe('the secrets of a started gateway', () => {
  const secrets = () => [API_KEY, gateway.authorization.slice('Basic '.length)];

  it('are not in the arguments of its process, which everybody on the machine can read', async () => {
    const { stdout } = await run('ps', ['-ww', '-o', 'args=', '-p', `${gateway.process.pid}`]);
    expect(stdout).toContain('local/start.ts');
    for (const secret of secrets()) expect(stdout).not.toContain(secret);
  });

  it('are in none of its files, and neither they nor content in its log', async () => {
    const id = await create({ customId: `${CANARY} of a log` });
    await ask(gateway, { method: 'GET', path: `/segments/projects/${id}?taskId=${TASK}` });
    await ask(gateway, { method: 'DELETE', path: `/segments/projects/${id}` });
    expect(gateway.stderr()).toContain('createProject');
    for (const secret of secrets()) {
      expect(bytesIn(folder).includes(secret)).toBe(false);
      expect(gateway.stderr()).not.toContain(secret);
    }
    expect(gateway.stderr()).not.toContain(CANARY);
  });
});

const world = new SqliteWorld();
afterAll(() => world.close());

/** Every row of the store, as text. */
function rows(): string[] {
  const tables = ['items', 'payloads', 'dropped'].flatMap((table) =>
    world.database.prepare(`SELECT * FROM ${table}`).all(),
  );
  return tables.map((row) =>
    Object.values(row)
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
      .join(' '),
  );
}

it('a deleted project leaves ids, times and hashes, and a receipt for who had a key', async () => {
  const companyId = world.newCompany();
  const service = world.service();
  const { id } = await service.create(world.project(FIELDS), world.call(companyId, 'create'));
  expect(rows().join()).toContain(CANARY);
  await service.delete({ id }, { kind: 'task', taskId: 't' }, world.call(companyId));
  await service.delete({ id }, { kind: 'project' }, world.call(companyId));
  await world.sweep();
  expect(rows()).not.toEqual([]);
  expect(rows().filter((row) => row.includes(CANARY))).toEqual([]);
});

it('a receipt kept for a key has the names that its caller gave, and no others', async () => {
  const companyId = world.newCompany();
  const service = world.service();
  const { id } = await service.create(world.project(FIELDS), world.call(companyId, 'create'));
  await service.delete({ id }, { kind: 'project' }, world.call(companyId, 'delete'));
  await world.sweep();
  const left = rows().join().replaceAll(`"customId":"${CANARY} custom id"`, '');
  expect(left).not.toContain(CANARY);
});
