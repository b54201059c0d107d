import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { SCOPES } from '../../../../lib/contract/routes.ts';
import { type StartedGateway, startGateway } from '../../../support/gateway.ts';
import { asObject, asObjects, type JsonObject, smallProject } from '../../../support/projects.ts';
import { addCompany, type PartnerKey } from '../../../support/segue.ts';
import { ask, type Caller, creationOf, listProjects, objectIn } from '../../asking.ts';
import { inDatabase, requireNoOrphans } from '../../kills/store.ts';
import type { Deeds } from './oracle.ts';

/** A text in every request. It must not appear in the logs. */
export const CANARY = 'kanarienvogel';
/** A text in the content of projects. It must appear nowhere else. */
export const CONTENT = `${CANARY} sings`;

/** A project that exists before the fuzz. */
export interface Known {
  readonly id: number;
  readonly customId: string;
  readonly segmentIds: readonly number[];
}

/** A company with both forms of its credentials, and its projects. */
export interface Company extends Caller, Omit<PartnerKey, 'keyId'> {
  readonly bearer: string;
  readonly projects: readonly Known[];
}

export const TASKS = ['one', 'two', 'three'] as const;
const GUARDED = ['guarded-1', 'guarded-2'] as const;
const GUARDED_PROJECTS = 6;
const FREE_PROJECTS = 150;

/** A gateway with three companies. The projects of two must not change; the third may do anything. */
export interface World {
  readonly gateway: StartedGateway;
  readonly free: Company;
  readonly guarded: readonly Company[];
}

/** Starts a gateway on a data folder. The folder stays when the gateway stops. */
export async function startWorld(folder: string): Promise<World> {
  const gateway = await startGateway({ env: { SEGUE_DATA_DIR: folder, SEGUE_WRONG_CREDENTIALS: '99999' } });
  const { url, companyId, apiKey, authorization } = gateway;
  const keys = await Promise.all(GUARDED.map((guarded) => addCompany(folder, guarded, '--scopes', SCOPES.join())));
  const free = await furnish(url, { companyId, apiKey, authorization }, FREE_PROJECTS);
  const guarded = await Promise.all(keys.map((key) => furnish(url, key, GUARDED_PROJECTS)));
  return { gateway, free, guarded };
}

async function furnish(url: string, key: Omit<PartnerKey, 'keyId'>, count: number): Promise<Company> {
  const caller = { url, authorization: key.authorization };
  const token = await ask(caller, { method: 'POST', path: '/authentication/token' });
  const projects: Known[] = [];
  for (let n = 0; n < count; n++) {
    const customId = `${CANARY}/${key.companyId}/${n}`;
    const segments = [...TASKS, ...TASKS].map((taskId) => ({ content: `${CONTENT} ${taskId}`, taskId }));
    const answer = await ask(caller, creationOf(smallProject({ customId, segments })));
    assert.equal(answer.status, 201, answer.text);
    const created = objectIn(answer);
    const segmentIds = asObjects(created['segments']).map(({ id }) => Number(id));
    projects.push({ id: Number(created['id']), customId, segmentIds });
  }
  return { ...key, url, bearer: `Bearer ${objectIn(token)['AccessToken']}`, projects };
}

/** Returns the id of the project that an operation created, or `undefined` if the project is deleted. */
async function createdBy(company: Company, operationId: string): Promise<number | undefined> {
  const { status, project } = objectIn(await ask(company, { method: 'GET', path: `/operations/${operationId}` }));
  assert.equal(status, 'done');
  return project === undefined ? undefined : Number(asObject(project)['id']);
}

/**
 * The projects before the fuzz: those of the guarded companies from the API and the store, the free one's from the API.
 */
interface Before {
  readonly guarded: readonly unknown[];
  readonly free: ReadonlyMap<number, string>;
}

export async function lookAt(world: World): Promise<Before> {
  return {
    guarded: await Promise.all(world.guarded.map((company) => everythingOf(world, company))),
    free: await projectsOf(world.free),
  };
}

/** Requires that the guarded companies are unchanged, and that the free one has the projects of its answers. */
export async function requireOnly(world: World, before: Before, deeds: Deeds): Promise<void> {
  for (const [index, company] of world.guarded.entries()) {
    assert.deepEqual(
      await everythingOf(world, company),
      before.guarded[index],
      `something of ${company.companyId} changed`,
    );
  }
  const now = await projectsOf(world.free);
  const expected = new Map([...before.free, ...deeds.created]);
  for (const operationId of deeds.accepted) {
    const id = await createdBy(world.free, operationId);
    const text = id === undefined ? undefined : now.get(id);
    if (id !== undefined && text !== undefined) expected.set(id, text);
  }
  for (const id of now.keys()) assert(expected.has(id), `nobody was told of project ${id}`);
  for (const [id, text] of expected) {
    const project = asObject(JSON.parse(text));
    const found = now.get(id);
    const deed = deedOn(project, deeds);
    if (isPut(project, deeds)) {
      assert(found !== undefined || deed === 'project', `project ${id} is gone, and no put deletes one`);
    } else if (deed === 'task') requireLessTasks(project, found);
    else if (deed === undefined && isWorkedOn(project, deeds)) requireSameButWork(project, found);
    else if (deed === undefined) assert.equal(found, text, `project ${id} changed`);
  }
}

/** Returns the last path segments that can name a project. */
const namesOf = (project: JsonObject) => [`${project['id']}`, `${project['customId']}`];

function isWorkedOn(project: JsonObject, { changed }: Deeds): boolean {
  return namesOf(project).some((name) => changed.has(name));
}

function isPut(project: JsonObject, { put }: Deeds): boolean {
  return [...namesOf(project), `${project['projectId']}`].some((name) => put.has(name));
}

function deedOn(project: JsonObject, { deleted }: Deeds) {
  const deeds = namesOf(project).map((name) => deleted.get(name));
  return deeds.includes('project') ? 'project' : deeds.find((deed) => deed !== undefined);
}

/** Returns a project without the state and the progress of its target languages. */
function withoutWork(project: JsonObject): JsonObject {
  const targetLanguages = asObjects(project['targetLanguages']);
  return { ...project, targetLanguages: targetLanguages.map(({ state: _, progress: __, ...rest }) => rest) };
}

/** Requires that a project exists, and that at most the state and the progress of its languages changed. */
function requireSameButWork(before: JsonObject, found: string | undefined): void {
  assert(found !== undefined, `project ${before['id']} is gone, and only translations were to be written`);
  assert.deepEqual(withoutWork(asObject(JSON.parse(found))), withoutWork(before));
}

/** Requires that a project exists, and lost only whole tasks. */
function requireLessTasks(before: JsonObject, found: string | undefined): void {
  assert(found !== undefined, `project ${before['id']} is gone, and only tasks of it were to be deleted`);
  const now = asObject(JSON.parse(found));
  const left = new Set(asObjects(now['segments']).map(({ taskId }) => taskId));
  const segments = asObjects(before['segments']).filter(({ taskId }) => left.has(taskId ?? null));
  assert(
    isDeepStrictEqual(withoutWork(now), withoutWork({ ...before, segments })),
    `project ${before['id']} changed otherwise`,
  );
}

/** Returns the projects of a company byte for byte, as the API answers. */
async function projectsOf(company: Company): Promise<Map<number, string>> {
  const projects = new Map<number, string>();
  for (const { id } of await listProjects(company)) {
    const { status, text } = await ask(company, { method: 'GET', path: `/segments/projects/${id}` });
    assert.equal(status, 200, text);
    projects.set(Number(id), text);
  }
  return projects;
}

async function everythingOf(world: World, company: Company): Promise<unknown> {
  return { projects: await projectsOf(company), ...inStore(world.gateway.dataDir, company.companyId) };
}

/**
 * The ids of a company's events, as they are in the outbox. The gateway moves events to the feed at any time, which adds
 * the position to the id.
 */
const EVENT_IDS = `SELECT DISTINCT rtrim(rtrim(json_extract(data, '$.event.id'), '0123456789'), '-') AS id FROM items
  WHERE partition = ? AND sort LIKE 'feed/%'
  UNION SELECT json_extract(data, '$.event.id') FROM items WHERE partition = ? AND sort LIKE 'outbox/%' ORDER BY id`;

/**
 * Returns the events and the other items of a company in the store, without token families and request records. A
 * refused request leaves an empty record.
 */
function inStore(folder: string, companyId: string) {
  return inDatabase(folder, (database) => ({
    events: database.prepare(EVENT_IDS).all(`company/${companyId}/events`, `company/${companyId}/events`),
    items: database
      .prepare(
        `SELECT * FROM items WHERE partition = ? AND sort NOT LIKE 'request/%' AND sort NOT LIKE 'token-famil%'
          ORDER BY sort`,
      )
      .all(`company/${companyId}`),
    payloads: database
      .prepare('SELECT * FROM payloads WHERE id >= ? AND id < ? ORDER BY id')
      .all(`company/${companyId}/`, `company/${companyId}0`),
  }));
}

/**
 * Requires that a store contains content only in projects, and no bytes without a project. No process may have it open.
 */
export function requireTidy({ gateway: { dataDir } }: World): void {
  requireNoOrphans(dataDir);
  const sql = "SELECT count(*) AS count FROM items WHERE sort NOT LIKE 'project/%' AND data LIKE ?";
  const found = inDatabase(dataDir, (database) => database.prepare(sql).get(`%${CONTENT}%`));
  assert.equal(found?.['count'], 0, 'content outside of a project');
}
