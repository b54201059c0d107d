import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OperationId } from '../../lib/contract/routes.ts';
import { createProject } from '../../lib/doors/http/operations/create-project.ts';
import { deleteProject } from '../../lib/doors/http/operations/delete-project.ts';
import { getProject } from '../../lib/doors/http/operations/get-project.ts';
import { listProjects } from '../../lib/doors/http/operations/list-projects.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import { openDatabase } from '../../lib/storage/sqlite/database.ts';
import { contextOf, type EventOptions, eventOf, keptLog, readAnswer } from '../lib/doors/http/fixture.ts';
import { asObject, segment, smallProject } from '../support/projects.ts';
import { World } from './world.ts';

let world: World;
let service: ProjectService;
beforeEach(() => {
  world = new World();
  world.nowMs = Date.now();
  service = hostedService({ storage: world.storage, now: world.now, random: Math.random });
});
afterEach(() => world.close());

/** Nothing makes it smaller. */
const text = () => randomBytes(300_000).toString('base64');
const bodies = new Map<string, string>();
/** A project; the same for the same key. */
function bodyFor(key: string = randomUUID()): string {
  const segments = [segment({ content: text(), taskId: 't' }), segment({ content: text(), taskId: 'u' })];
  const body = bodies.get(key) ?? JSON.stringify(smallProject({ segments }));
  bodies.set(key, body);
  return body;
}

/** Stores that take nothing more, and how they take something again. */
const FAULTS: Readonly<Record<string, (world: World) => () => void>> = {
  'a full disk': ({ database }) => {
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() ?? {};
    database.exec(`PRAGMA max_page_count = ${Number(pages)}`);
    return () => database.exec('PRAGMA max_page_count = 4294967294');
  },
  'a store that may only be read': ({ database }) => {
    database.exec('PRAGMA query_only = ON');
    return () => database.exec('PRAGMA query_only = OFF');
  },
  'a store that another process has for itself': (held) => {
    held.database.exec('PRAGMA busy_timeout = 0');
    const other = openDatabase(held.folder);
    other.exec('BEGIN IMMEDIATE');
    return () => other.close();
  },
};

/** What a client asks over HTTP. */
async function ask(id: OperationId, options: EventOptions = {}) {
  const handlers = { createProject, deleteProject, getProject, listProjects };
  const handler = Object.entries(handlers).find(([name]) => name === id)?.[1];
  if (!handler) throw new RangeError(`There is no ${id} here`);
  return readAnswer(
    await handler(service, { ...keptLog().options, now: world.now })(eventOf(id, options), contextOf()),
  );
}

const create = (key?: string) => ask('createProject', { body: bodyFor(key), ...withKey(key) });
const remove = (id: unknown, taskId?: string, key?: string) =>
  ask('deleteProject', { segment: `${id}`, ...(taskId && { query: { taskId: [taskId] } }), ...withKey(key) });
const withKey = (key?: string) => ({ headers: key ? { 'Idempotency-Key': key } : {} });
const payloads = () => Number(world.database.prepare('SELECT count(*) AS count FROM payloads').get()?.['count']);
const idIn = (answer: { json: unknown }) => asObject(answer.json)['id'];

describe.each(Object.entries(FAULTS))('%s', (name, break_) => {
  it.each([undefined, 'key'])(
    'is told as 503 with nothing half done, and ends without a restart: key %s',
    async (key) => {
      const kept = await create();
      const other = await create();
      const list = await ask('listProjects');
      const mend = break_(world);
      const attempts = {
        create: () => create(key && `${key}-create`),
        task: () => remove(idIn(kept), 't', key && `${key}-task`),
        // A deletion needs little room, and a full disk may have that.
        ...(name !== 'a full disk' && { project: () => remove(idIn(other), undefined, key && `${key}-project`) }),
      };
      for (const attempt of Object.values(attempts)) {
        expect(await attempt()).toMatchObject({
          status: 503,
          headers: { 'Retry-After': expect.any(String) },
          json: { type: expect.stringMatching(/\/unavailable$/), outcome: 'not-applied', retryable: true },
        });
      }
      expect((await ask('getProject', { segment: `${idIn(kept)}` })).json).toEqual(kept.json);
      expect((await ask('listProjects')).json).toEqual(list.json);
      mend();
      const made = await attempts.create();
      expect(made.status).toBe(201);
      expect((await attempts.task()).status).toBe(204);
      expect((await remove(idIn(other), undefined, key && `${key}-project`)).status).toBe(204);
      const ids = (await ask('listProjects')).json;
      expect(ids).toMatchObject([{ id: idIn(made) }, { id: idIn(kept) }]);
      await vi.waitFor(() => expect(payloads()).toBe(2), { timeout: 15_000 });
    },
  );
});
