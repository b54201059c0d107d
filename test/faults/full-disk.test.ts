import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { utc } from '../../lib/contract/date.ts';
import type { OperationId } from '../../lib/contract/routes.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import { createProject } from '../../lib/http/operations/create-project.ts';
import { deleteProjectByCustomId } from '../../lib/http/operations/delete-project.ts';
import { getProjectByCustomId } from '../../lib/http/operations/get-project.ts';
import { listProjects } from '../../lib/http/operations/list-projects.ts';
import { contextOf, type EventOptions, eventOf, readAnswer } from '../lib/http/fixture.ts';
import { smallProject } from '../support/projects.ts';
import { CUSTOM_ID, snapshotOf } from './snapshot.ts';
import { SqliteWorld } from './sqlite-world.ts';

const world = new SqliteWorld();
afterAll(() => world.close());

/** Texts of so many pages that no space which is left over in the store is enough for them. */
const CONTENT = randomBytes(90_000).toString('base64');
const SEGMENTS = [{ content: CONTENT }, { content: 'x', taskId: 'task' }];
const OTHER = 'another project';

/** What happens to the store, and how it ends. */
interface Fault {
  readonly begin: () => void;
  readonly end: () => void;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'a full disk': {
    begin() {
      world.database.exec('VACUUM'); // Pages that became free could still be written to.
      const { page_count: pages } = Pages.parse(world.database.prepare('PRAGMA page_count').get());
      world.database.exec(`PRAGMA max_page_count = ${pages}`);
    },
    end: () => world.database.exec('PRAGMA max_page_count = 1000000'),
  },
  'a store that may only be read': {
    begin: () => world.database.exec('PRAGMA query_only = ON'),
    end: () => world.database.exec('PRAGMA query_only = OFF'),
  },
};
const Pages = z.object({ page_count: z.int() });

const OPERATIONS = {
  createProject,
  deleteProjectByCustomId,
  getProjectByCustomId,
  listProjects,
} satisfies Partial<Record<OperationId, unknown>>;

/** Sends a request of a company as the gateway hands it over. */
async function send(companyId: string, id: keyof typeof OPERATIONS, options: EventOptions = {}) {
  const service = hostedService({ storage: world.storage, now: world.now, random: () => 0.5 });
  const handler = OPERATIONS[id](service, { now: world.now, log: () => {} });
  const authorizer = { companyId, keyId: 'key', scopes: 'create read delete' };
  return readAnswer(await handler(eventOf(id, { segment: CUSTOM_ID, authorizer, ...options }), contextOf(5_000)));
}

function projectWith(customId: string): string {
  const dates = { startDateUtc: utc(world.nowMs), endDateUtc: '2059-01-01T00:00:00Z' };
  return JSON.stringify(smallProject({ ...dates, customId, segments: SEGMENTS }));
}

const create = (companyId: string, customId: string, headers: Record<string, string> = {}) =>
  send(companyId, 'createProject', { headers, body: projectWith(customId) });

const remove =
  (query: EventOptions['query'] = {}): Request =>
  (companyId, headers) =>
    send(companyId, 'deleteProjectByCustomId', { headers, query });

type Request = (companyId: string, headers: Record<string, string>) => ReturnType<typeof send>;

interface Scenario {
  /** Whether the project that the request is about exists before. */
  readonly exists: boolean;
  readonly request: Request;
  readonly success: number;
  /** What the request is answered when it has succeeded already, and has no key. */
  readonly again: number;
  /** Whether it takes so little that even a full disk may have room for it. */
  readonly isSmall: boolean;
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a creation': {
    exists: false,
    request: (companyId, headers) => create(companyId, CUSTOM_ID, headers),
    success: 201,
    again: 409,
    isSmall: false,
  },
  'a deletion': { exists: true, request: remove(), success: 204, again: 404, isSmall: true },
  'the deletion of a task': {
    exists: true,
    request: remove({ taskId: ['task'] }),
    success: 204,
    again: 404,
    isSmall: false,
  },
};

const KEYS = [
  ['without a key', {}],
  ['with a key', { 'Idempotency-Key': 'the-key' }],
] as const;

/** A company that has a project, and perhaps the one that the request is about. */
async function companyBefore({ exists }: Scenario): Promise<string> {
  const companyId = world.newCompany();
  await create(companyId, OTHER);
  if (exists) await create(companyId, CUSTOM_ID);
  world.nowMs += 1_000;
  return companyId;
}

/** What a company can read, and what the store keeps of its contents. */
async function stateOf(companyId: string) {
  const list = await send(companyId, 'listProjects');
  const names = [CUSTOM_ID, encodeURIComponent(OTHER)];
  const projects = await Promise.all(names.map((segment) => send(companyId, 'getProjectByCustomId', { segment })));
  const told = [list, ...projects].map(({ status, json }) => (status === 200 ? json : status));
  return { told, payloads: (await world.payloads(companyId)).map(({ id }) => id) };
}

/** Repeats a request that has succeeded, and gives what is left then. */
async function repeat({ request, success, again }: Scenario, companyId: string, headers: Record<string, string>) {
  const repeated = await request(companyId, headers);
  const hasKey = Object.keys(headers).length > 0;
  expect(repeated.status).toBe(hasKey ? success : again);
  expect(repeated.headers['Idempotent-Replayed']).toBe(hasKey ? 'true' : undefined);
  return snapshotOf(world, companyId);
}

describe.each(Object.entries(FAULTS))('with %s', (what, { begin, end }) => {
  describe.each(Object.entries(SCENARIOS))('%s', (_, scenario) => {
    it.each(KEYS)('%s is refused as a whole, and succeeds once when the fault is over', async (_withKey, headers) => {
      const companyId = await companyBefore(scenario);
      const before = await stateOf(companyId);
      begin();
      const answer = await scenario.request(companyId, headers);
      const meanwhile = await stateOf(companyId);
      end();
      if (answer.status === scenario.success) {
        expect([what, scenario.isSmall]).toEqual(['a full disk', true]);
      } else {
        expect(answer.status).toBe(503);
        expect(answer.headers['Retry-After']).toBe('5');
        expect(answer.json).toMatchObject({ retryable: true, retryAfterSeconds: 5, outcome: 'not-applied' });
        expect(meanwhile).toEqual(before);
        expect((await scenario.request(companyId, headers)).status).toBe(scenario.success);
      }
      const faultless = await companyBefore(scenario);
      expect((await scenario.request(faultless, headers)).status).toBe(scenario.success);
      expect(await repeat(scenario, companyId, headers)).toBe(await repeat(scenario, faultless, headers));
    });
  });
});
