import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { retentionMsOf } from '../../lib/contract/retentions.ts';
import { checkTranslations } from '../../lib/contract/translations.ts';
import { EVENT_DELIVERIES } from '../../lib/events/deliveries.ts';
import { jobWorker } from '../../lib/hosted/work/job-worker.ts';
import { decodeText } from '../../lib/service/encoded-text.ts';
import { answered } from '../support/answered.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { type JsonObject, smallProject } from '../support/projects.ts';
import { everyOperation } from '../support/world.ts';
import { ask, creationOf, objectIn } from './asking.ts';
import { bytesIn, CANARY, FIELDS, TASK } from './canary.ts';
import { deliverEvents, moveEvents, sendEvents } from './events.ts';
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

describe('the secrets of a started gateway', () => {
  const secrets = () => [API_KEY, gateway.authorization.slice('Basic '.length)];

  it('are not in the arguments of its process, which every user of the machine can read', async () => {
    const { stdout } = await run('ps', ['-ww', '-o', 'args=', '-p', `${gateway.process.pid}`]);
    expect(stdout).toContain('local/start.ts');
    for (const secret of secrets()) expect(stdout).not.toContain(secret);
  });

  it('are in none of its files; neither secrets nor content are in its log', async () => {
    const created = await ask(gateway, creationOf(smallProject({ ...FIELDS, customId: `${CANARY} of a log` })));
    const id = objectIn(created)['id'];
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

/** Returns the rows of the store as text. */
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

/** Returns the rows of the store that have text of the project. */
const revealing = () => rows().filter((row) => row.includes(CANARY));

/** Creates a project, and deletes a task and then the project without a key. @returns the company */
async function deleted(): Promise<string> {
  const companyId = world.newCompany();
  const service = world.service();
  const { id } = await service.create(world.checked(FIELDS), world.callOf(companyId, 'create'));
  // The record of the event has the URL of its receiver, and another record has the project.
  expect(revealing().length).toBeGreaterThan(1);
  await service.delete({ id }, { kind: 'task', taskId: TASK }, world.callOf(companyId));
  await service.delete({ id }, { kind: 'project' }, world.callOf(companyId));
  await world.sweep();
  return companyId;
}

it('after deletions without a key, only events that wait for their receiver have its URL, and no other text', async () => {
  const companyId = await deleted();
  for (const [prefix, ready] of [
    [`company/${companyId}/events outbox/`, async () => {}],
    ['event-delivery/', () => moveEvents(world, companyId)],
  ] as const) {
    await ready();
    await world.sweep();
    const waiting = revealing();
    expect(waiting).toHaveLength(3);
    for (const row of waiting) {
      expect(row).toMatch(new RegExp(`^${prefix}`));
      expect(row.replace(`"eventUrl":"${FIELDS.eventUrl}"`, '')).not.toContain(CANARY);
    }
  }
  await deliverEvents(world, companyId);
  await world.sweep();
  expect(rows()).not.toEqual([]);
  expect(revealing()).toEqual([]);
});

it('an event that could not be sent keeps the URL of its receiver until the record of the failure expires', async () => {
  const companyId = await deleted();
  await moveEvents(world, companyId);
  world.nowMs += EVENT_DELIVERIES.retry.openMs;
  // The events of a project are sent one after the other.
  for (const _ of ['project.created', 'task.deleted', 'project.deleted']) {
    await sendEvents(world, async () => answered(410));
    world.nowMs += 1_000;
  }
  const expiring = z.object({ expires_at_ms: z.int() });
  const kept = world.database.prepare(`SELECT expires_at_ms FROM items WHERE data LIKE '%${CANARY}%'`).all();
  expect(kept).toHaveLength(3);
  for (const row of kept) {
    expect(expiring.parse(row).expires_at_ms).toBeLessThanOrEqual(world.nowMs + retentionMsOf('event'));
  }
  world.database.exec(`DELETE FROM items WHERE expires_at_ms <= ${world.nowMs + retentionMsOf('event')}`);
  expect(revealing()).toEqual([]);
});

it('a receipt that is kept for a key has the custom id, and no other text of the project', async () => {
  const companyId = world.newCompany();
  const service = world.service();
  const { id } = await service.create(world.checked(FIELDS), world.callOf(companyId, 'create'));
  await service.delete({ id }, { kind: 'project' }, world.callOf(companyId, 'delete'));
  await deliverEvents(world, companyId);
  await world.sweep();
  const left = rows().join().replaceAll(`"customId":"${CANARY} custom id"`, '');
  expect(left).not.toContain(CANARY);
});

it('of a deleted project and its tasks, no translation, edit or assignment is left', async () => {
  const companyId = world.newCompany();
  const service = everyOperation(world.service());
  const worker = jobWorker({
    storage: world.storage,
    now: world.now,
    sleep: async () => {},
    newEventId: world.newEventId,
    translate: async ({ texts }) => ({
      results: texts.map((text) => ({ kind: 'translated', text: `${text} ${CANARY} by an engine` })),
      usedCharacters: 1,
    }),
    onAttempt: (_, { error }) => expect(error).toBeUndefined(),
  });
  const work = () => worker.workOnDue({ remainingMs: () => 60_000 });
  const targetLanguages = FIELDS.targetLanguages.map((each) => ({
    ...each,
    managedProject: true,
    serviceAutomaticTranslation: true,
    serviceProofreading: true,
  }));
  // The events of an assignment have the id of its task, and stay in the feed.
  const fields = { ...FIELDS, taskId: 'own task', targetLanguages };
  const { id } = await service.create(world.checked(fields), world.callOf(companyId));
  await work();
  const { json } = await service.segments({ id }, { maxBytes: 100_000, isGzip: false }, world.callOf(companyId));
  const shown = z
    .array(z.object({ source: z.object({ id: z.int() }) }))
    .parse(JSON.parse(Buffer.from(decodeText(json)).toString()));
  for (const isFolded of [true, false]) {
    const entries = shown.map(({ source }) => ({
      segmentId: source.id,
      languageCode: 'de-DE',
      content: `${CANARY} by hand`,
      status: 'translated',
    }));
    await service.writeTranslations({ id }, checkTranslations(entries), world.callOf(companyId, `write ${isFolded}`));
    if (isFolded) await work();
  }
  const kinds = () => rows().flatMap((row) => /^company\S+ (translation|edit|assignment|work)\//.exec(row)?.[1] ?? []);
  expect(new Set(kinds())).toEqual(new Set(['translation', 'edit', 'assignment', 'work']));
  await service.delete({ id }, { kind: 'task', taskId: TASK }, world.callOf(companyId));
  await service.delete({ id }, { kind: 'project' }, world.callOf(companyId));
  await work();
  await deliverEvents(world, companyId);
  await world.sweep();
  expect(kinds()).toEqual([]);
  expect(revealing().filter((row) => row.includes(companyId))).toEqual([]);
  expect(rows().some((row) => row.includes(`${CANARY} by`))).toBe(false);
});

it('of the segments and languages that a put removes, no route shows a byte, and the store has none after the work', async () => {
  const companyId = world.newCompany();
  const service = everyOperation(world.service());
  const call = () => world.callOf(companyId);
  const ref = { customId: 'page' };
  const [german, french] = ['de', 'fr'].map((targetLanguageCode) => ({
    targetLanguageCode,
    serviceAutomaticTranslation: true,
    ...(targetLanguageCode === 'fr' && { additionalInfo: `${CANARY} info` }),
  }));
  const kept = { content: 'kept', customId: 'kept' };
  const before = [
    kept,
    { content: `${CANARY} changed`, notes: `${CANARY} notes`, customId: 'changed' },
    { content: `${CANARY} removed`, customId: `${CANARY} id`, taskId: `${CANARY} task` },
  ];
  const put = (fields: JsonObject) => service.put({ ref, project: world.checked(fields) }, call());
  await put({ targetLanguages: [german, french].flatMap((each) => each ?? []), segments: before });
  await world.work();
  const byHand = ['de', 'fr'].map((languageCode) => ({
    segmentCustomId: `${CANARY} id`,
    languageCode,
    content: `${CANARY} by hand`,
    status: 'translated',
  }));
  await service.writeTranslations(ref, checkTranslations(byHand), call());
  const ofCompany = () => revealing().filter((row) => row.includes(companyId));
  expect(ofCompany().length).toBeGreaterThan(1);

  const result = await put({
    targetLanguages: [german].flatMap((each) => each ?? []),
    segments: [kept, { content: 'other', customId: 'changed' }],
  });
  if (result.outcome === 'outdated') throw new Error('The put has no revision');
  const { projectId, document } = result;
  const query = { maxBytes: 100_000, isGzip: false };
  const documents = [await document(), await service.get({ id: projectId }, undefined, call())];
  const pages = [await service.segments(ref, query, call())];
  const shown = [
    ...[...documents, ...pages].map(({ json }) => Buffer.from(decodeText(json)).toString()),
    JSON.stringify(await service.progress(ref, undefined, call())),
    JSON.stringify(await service.list({ limit: 9 }, call())),
  ];
  for (const text of shown) expect(text.toLowerCase()).not.toContain(CANARY);
  const ofTask = service.get(ref, `${CANARY} task`, call());
  await expect(ofTask).rejects.toMatchObject({ name: 'task-not-found' });
  await world.work();
  await deliverEvents(world, companyId);
  await world.sweep();
  expect(rows().filter((row) => row.includes(companyId) && row.toLowerCase().includes(CANARY))).toEqual([]);
});
