import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventPublisher } from '../../lib/background/event-publisher.ts';
import { checkProject } from '../../lib/contract/check.ts';
import { utc } from '../../lib/contract/date.ts';
import { LANGUAGES } from '../../lib/contract/languages.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { hashApiKey } from '../../lib/credentials/api-key.ts';
import { keyGuard, keyRecordKey, storedKeys } from '../../lib/credentials/key-directory.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { companyPartition } from '../../lib/idempotency/project-item.ts';
import { deadlineAt } from '../../lib/service/deadline.ts';
import type { Call, DeletionScope, ProjectService } from '../../lib/service/port.ts';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import type { Objects } from '../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import { SWEEP_MARKERS } from '../../lib/storage/dynamodb/sweep-markers.ts';
import { sweepObject } from '../../lib/storage/dynamodb/sweeper.ts';
import type { Storage, Write } from '../../lib/storage/port.ts';
import {
  type Capacity,
  type CostedOperation,
  LISTED,
  listUnits,
  OPERATIONS,
  PROJECTS,
  type SizedProject,
} from '../../scripts/docs/cost.ts';
import { streamOf } from '../lib/background/stream.ts';
import { CLOCK, heldNow, NOW_MS } from '../lib/support.ts';
import {
  asObjects,
  type JsonObject,
  member,
  REAL_PROJECTS,
  realProject,
  smallProject,
  target,
} from '../support/projects.ts';
import { type MeteredTable, openMeteredTable } from './metered-table.ts';

const COMPANY = 'acme';
const KEY = 'k'.repeat(12);
/** The same in every run, so that the same bytes come of them. */
const DATES = { startDateUtc: utc(NOW_MS), endDateUtc: utc(NOW_MS + 30 * 86_400_000) };

/** Objects in memory: a removal lists their versions twice. */
class MeteredObjects implements Objects {
  #kept = new Map<string, Uint8Array>();
  #taken = { objectPuts: 0, objectGets: 0 };

  async put(name: string, bytes: Uint8Array): Promise<void> {
    this.#taken.objectPuts++;
    this.#kept.set(name, bytes);
  }
  async get(name: string): Promise<Uint8Array | undefined> {
    this.#taken.objectGets++;
    return this.#kept.get(name);
  }
  async remove(name: string): Promise<void> {
    this.#taken.objectPuts += 2;
    this.#kept.delete(name);
  }
  taken() {
    const taken = this.#taken;
    this.#taken = { objectPuts: 0, objectGets: 0 };
    return taken;
  }
}

let table: MeteredTable;
const objects = new MeteredObjects();
/** What the latest commit of a project held of it. */
let stored: Pick<SizedProject, 'recordBytes' | 'payloadBytes'> = { recordBytes: 0, payloadBytes: 0 };
let service: ProjectService;
/** Does what comes after an answer: publishes events, and sweeps. */
let workBehind: () => Promise<void>;

beforeAll(async () => {
  table = await openMeteredTable();
  vi.stubEnv('AWS_ENDPOINT_URL', table.url);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'nobody');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'nothing');
  const client = dynamoDbClient({ now: heldNow });
  const storage = dynamoDbStorage({ table: 'table', client, objects, now: heldNow, newId: randomUUID });
  const data = {
    hash: hashApiKey(KEY),
    scopes: ['create', 'read', 'delete'],
    state: 'active',
    createdAtUtc: utc(NOW_MS),
  };
  await storage.commit({ writes: [{ kind: 'insert', key: keyRecordKey(COMPANY, KEY), data }] });
  service = hostedService({
    storage: watched(storage),
    now: heldNow,
    random: () => 0.5,
    newEventId: randomUUID,
    guard: keyGuard(storedKeys(storage)),
  });
  const published = new Set<string>();
  const publish = eventPublisher(
    { read: (key) => storage.read(key), publish: async (events) => ({ taken: events.length }) },
    { now: heldNow, log: () => {} },
  );
  workBehind = async () => {
    const options = { table: 'table', client, objects, now: heldNow };
    for (const object of table.sortsIn(SWEEP_MARKERS)) await sweepObject(options, object);
    const partition = companyPartition(COMPANY);
    const sorts = table.sortsIn(partition).filter((sort) => sort.startsWith('event/') && !published.has(sort));
    for (const sort of sorts) published.add(sort);
    await publish(streamOf(sorts.map((sort) => ({ partition, sort }))), { awsRequestId: 'measured' });
  };
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await table[Symbol.asyncDispose]();
});

/** Notes the sizes of what a commit holds of a project. */
function watched(storage: Storage): Storage {
  const note = (write: Write) => {
    if (!('bytes' in write) || !write.bytes) return;
    stored = { recordBytes: JSON.stringify(write.data).length, payloadBytes: write.bytes.length };
  };
  return {
    ...storage,
    commit(batch) {
      batch.writes.forEach(note);
      return storage.commit(batch);
    },
  };
}

function call(once = false, companyId = COMPANY): Call {
  return {
    companyId,
    requestedBy: { kind: 'key', id: KEY },
    keyVersion: 1,
    requestId: randomUUID(),
    deadline: deadlineAt(Date.now() + 20_000, Date.now),
    idempotency: once ? { key: randomUUID(), replayed: () => {} } : undefined,
  };
}

function taken(): Capacity {
  return { ...table.taken(), ...objects.taken() };
}

async function create(body: JsonObject, once = false): Promise<number> {
  const { id } = await service.create(checkProject({ ...body, ...DATES }, CLOCK), call(once));
  await workBehind();
  return id;
}

/** What each operation on a project really takes, with the sweeper's work after it. */
async function measure(makeBody: () => JsonObject): Promise<Partial<Record<CostedOperation, Capacity>>> {
  const body = makeBody();
  const taskId = asObjects(body['segments']).find((segment) => segment['taskId'])?.['taskId'];
  const remove = async (id: number, scope: DeletionScope, once = false) => {
    taken();
    await service.delete({ id }, scope, call(once));
    await workBehind();
    return taken();
  };
  taken();
  const id = await create(body);
  const created = taken();
  await service.get({ id }, undefined, call());
  const read = taken();
  const withTask = typeof taskId === 'string' && { 'delete a task': await remove(id, { kind: 'task', taskId }) };
  taken();
  const other = await create(makeBody(), true);
  const createdWithKey = taken();
  return {
    create: created,
    'create with a key': createdWithKey,
    read,
    ...withTask,
    delete: await remove(other, { kind: 'project' }),
    'delete with a key': await remove(await create(makeBody()), { kind: 'project' }, true),
  };
}

function computed(project: SizedProject, measured: object): Partial<Record<CostedOperation, Capacity>> {
  const names = Object.entries(OPERATIONS).filter(([name]) => name in measured);
  return Object.fromEntries(names.map(([name, capacityOf]) => [name, capacityOf(project)]));
}

/** A project with so many target languages, each with a team of its own. */
function withTeams(languages: number, members: number): JsonObject {
  const others = LANGUAGES.filter(({ langCode }) => !langCode.startsWith('en')).slice(0, languages);
  return smallProject({
    targetLanguages: others.map(({ id, langCode }, at) => {
      const team = Array.from({ length: members }, (_, n) => person(at * members + n));
      return target({ targetLanguageId: id, targetLanguageCode: langCode, serviceTranslation: true, team });
    }),
  });
}

/** A member whose name and address compress as badly as names do. */
function person(n: number): JsonObject {
  const name = createHash('sha256').update(`${n}`).digest('base64url').slice(0, 12);
  return member({ name: `Example ${name}`, username: `${name}@example.com` }, n);
}

describe('docs/cost.md', () => {
  it.each([
    ['small', PROJECTS.small, () => smallProject()],
    ...REAL_PROJECTS.map((name) => [name, PROJECTS[name], () => realProject(name)] as const),
  ] as const)('computes what %s takes of the stores', async (_, project, makeBody) => {
    const measured = await measure(makeBody);
    const found = { ...stored, bodyBytes: Buffer.byteLength(JSON.stringify(makeBody())) };
    expect(measured).toEqual(computed({ ...project, ...found }, measured));
    // Every build of zlib compresses a little differently.
    expect(found.recordBytes / project.recordBytes).toBeCloseTo(1, 1);
    expect(found.payloadBytes / project.payloadBytes).toBeCloseTo(1, 1);
    expect(found.bodyBytes / project.bodyBytes).toBeCloseTo(1, 1);
  });

  it.each([
    ['small', smallProject(), 205],
    ['teams', withTeams(5, 3), 105],
    ['large teams', withTeams(40, 6), 12],
  ] as const)('computes what lists read of projects: %s', async (name, body, projects) => {
    const companyId = name.replace(' ', '-');
    const project = checkProject({ ...body, ...DATES }, CLOCK);
    for (let n = 0; n < projects; n++) await service.create(project, call(false, companyId));
    taken();
    let after: number | undefined;
    let headBytes = 0;
    do {
      const page = await service.list({ limit: LIMITS.listMax, after }, call(false, companyId));
      headBytes = JSON.stringify(page.projects[0]).length;
      after = page.next;
    } while (after !== undefined);
    const { recordBytes } = stored;
    expect(table.taken().readUnits).toBe(listUnits({ ...LISTED[name], recordBytes }, projects));
    expect(headBytes / LISTED[name].headBytes).toBeCloseTo(1, 1);
    expect(recordBytes / LISTED[name].recordBytes).toBeCloseTo(1, 1);
  });

  it('computes what an object takes', async () => {
    const content = () => randomBytes(500_000).toString('base64');
    const segments = () => [{ content: content(), taskId: 'one' }, { content: content() }];
    const measured = await measure(() => smallProject({ customId: randomUUID(), segments: segments() }));
    const project = { title: 'object', bodyBytes: 0, hasCustomId: true, ...stored };
    expect(measured).toEqual(computed(project, measured));
  });
});
