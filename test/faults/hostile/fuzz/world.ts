import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { basicHeader } from '../../../../lib/contract/credentials.ts';
import { type StartedGateway, startGateway } from '../../../support/gateway.ts';
import { type HttpAnswer, send } from '../../../support/http.ts';
import { asObject, asObjects, type JsonObject, smallProject } from '../../../support/projects.ts';
import { addCompany } from '../../../support/segue.ts';
import { creationOf } from '../../asking.ts';
import { inDatabase, requireNoOrphans } from '../../kills/store.ts';
import type { Deeds } from './oracle.ts';

/** A text in everything that is said, which must be nowhere in the logs. */
export const CANARY = 'kanarienvogel';
/** A text in what is to be translated, which must be in projects alone. */
export const CONTENT = `${CANARY} sings`;

/** A project that was there before. */
export interface Known {
  readonly id: number;
  readonly customId: string;
}

/** A company with its credentials in both forms, and its projects. */
export interface Company {
  readonly companyId: string;
  readonly apiKey: string;
  readonly basic: string;
  readonly bearer: string;
  readonly projects: readonly Known[];
}

export const TASKS = ['one', 'two', 'three'] as const;
const GUARDED = ['guarded-1', 'guarded-2'] as const;
const GUARDED_PROJECTS = 6;
const FREE_PROJECTS = 150;

/** A gateway with three companies: what two of them have must not change, and the third is free to do what it may. */
export class World {
  readonly gateway: StartedGateway;
  readonly folder: string;
  readonly free: Company;
  readonly guarded: readonly Company[];

  private constructor(gateway: StartedGateway, folder: string, free: Company, guarded: readonly Company[]) {
    this.gateway = gateway;
    this.folder = folder;
    this.free = free;
    this.guarded = guarded;
  }

  static async start(): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), 'segue-fuzz-'));
    const keys = await Promise.all(GUARDED.map((companyId) => addCompany(folder, companyId)));
    const gateway = await startGateway({ env: { SEGUE_DATA_DIR: folder, SEGUE_WRONG_CREDENTIALS: '99999' } });
    const { url, companyId, apiKey } = gateway;
    const free = await furnish(url, { companyId, apiKey }, FREE_PROJECTS);
    const guarded = await Promise.all(keys.map((key) => furnish(url, key, GUARDED_PROJECTS)));
    return new World(gateway, folder, free, guarded);
  }

  get port(): number {
    return Number(new URL(this.gateway.url).port);
  }

  /** Ends the gateway; the store stays to be looked at until `remove`. */
  async stop(): Promise<void> {
    assert.equal(await this.gateway.stop(), 0);
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }

  /** A project as the API tells it, byte for byte; `undefined` where there is none. */
  async told({ basic }: Company, id: number): Promise<string | undefined> {
    const answer = await get(this.gateway.url, basic, `/segments/projects/${id}`);
    if (answer.status === 404) return undefined;
    assert.equal(answer.status, 200, answer.text);
    return answer.text;
  }

  /** The id of the project that an operation made, `undefined` where it is no more. */
  async madeBy({ basic }: Company, operationId: string): Promise<number | undefined> {
    const answer = await get(this.gateway.url, basic, `/operations/${operationId}`);
    assert.equal(answer.status, 200, answer.text);
    const { status, project } = asObject(JSON.parse(answer.text));
    assert.equal(status, 'done', answer.text);
    return project === undefined ? undefined : Number(asObject(project)['id']);
  }

  /** The ids of all projects of a company, by the list. */
  async listed({ basic }: Company): Promise<number[]> {
    const ids: number[] = [];
    let path: string | undefined = '/segments/projects?limit=100';
    while (path !== undefined) {
      const answer: HttpAnswer = await get(this.gateway.url, basic, path);
      assert.equal(answer.status, 200, answer.text);
      ids.push(...asObjects(JSON.parse(answer.text)).map(({ id }) => Number(id)));
      path = /<[^>]*?(\/segments\/projects\?[^>]*)>; rel="next"/.exec(`${answer.headers['link']}`)?.[1];
    }
    return ids;
  }
}

async function furnish(
  url: string,
  key: { readonly companyId: string; readonly apiKey: string },
  count: number,
): Promise<Company> {
  const basic = basicHeader(key);
  const token = await send(url, {
    method: 'POST',
    path: '/authentication/token',
    headers: { Authorization: basic },
  });
  const projects: Known[] = [];
  for (let n = 0; n < count; n++) {
    const customId = `${CANARY}/${key.companyId}/${n}`;
    const segments = [...TASKS, ...TASKS].map((taskId) => ({ content: `${CONTENT} ${taskId}`, taskId }));
    const answer = await send(url, creationOf(smallProject({ customId, segments }), { Authorization: basic }));
    assert.equal(answer.status, 201, answer.text);
    projects.push({ id: Number(asObject(JSON.parse(answer.text))['id']), customId });
  }
  return { ...key, basic, bearer: `Bearer ${asObject(JSON.parse(token.text))['AccessToken']}`, projects };
}

function get(url: string, basic: string, path: string): Promise<HttpAnswer> {
  return send(url, { method: 'GET', path, headers: { Authorization: basic } });
}

/** Everything that is there of the guarded companies, by the API and in the store, and of the free one before anything was asked. */
interface Before {
  readonly guarded: readonly unknown[];
  readonly free: ReadonlyMap<number, string>;
}

export async function lookAt(world: World): Promise<Before> {
  return {
    guarded: await Promise.all(world.guarded.map((company) => everythingOf(world, company))),
    free: await toldOf(world, world.free),
  };
}

/** Requires the store to be what the answers say that it is: nothing of the guarded companies is another. */
export async function requireOnly(world: World, before: Before, deeds: Deeds): Promise<void> {
  for (const [index, company] of world.guarded.entries()) {
    assert.deepEqual(
      await everythingOf(world, company),
      before.guarded[index],
      `something of ${company.companyId} changed`,
    );
  }
  const now = await toldOf(world, world.free);
  const expected = new Map([...before.free, ...deeds.created]);
  for (const operationId of deeds.accepted) {
    const id = await world.madeBy(world.free, operationId);
    const text = id === undefined ? undefined : now.get(id);
    if (id !== undefined && text !== undefined) expected.set(id, text);
  }
  for (const id of now.keys()) assert(expected.has(id), `nobody was told of project ${id}`);
  for (const [id, text] of expected) {
    const project = asObject(JSON.parse(text));
    const found = now.get(id);
    const deed = deedOn(project, deeds);
    if (deed === undefined) assert.equal(found, text, `project ${id} changed`);
    else if (deed === 'task') requireLessTasks(project, found);
  }
}

function deedOn(project: JsonObject, { deleted }: Deeds) {
  const deeds = [`${project['id']}`, `${project['customId']}`].map((name) => deleted.get(name));
  return deeds.includes('project') ? 'project' : deeds.find((deed) => deed !== undefined);
}

/** Requires a project to be there, with some of its tasks gone as a whole, and otherwise as it was. */
function requireLessTasks(before: JsonObject, found: string | undefined): void {
  assert(found !== undefined, `project ${before['id']} is gone, and only tasks of it were to be deleted`);
  const now = asObject(JSON.parse(found));
  const left = new Set(asObjects(now['segments']).map(({ taskId }) => taskId));
  const segments = asObjects(before['segments']).filter(({ taskId }) => left.has(taskId ?? null));
  assert(isDeepStrictEqual(now, { ...before, segments }), `project ${before['id']} changed otherwise`);
}

async function toldOf(world: World, company: Company): Promise<Map<number, string>> {
  const told = new Map<number, string>();
  for (const id of await world.listed(company)) told.set(id, (await world.told(company, id)) ?? 'nothing');
  return told;
}

async function everythingOf(world: World, company: Company): Promise<unknown> {
  return { told: await toldOf(world, company), ...inStore(world.folder, company.companyId) };
}

/**
 * What the store has of a company, but for the records of its requests, of which a refused one leaves an empty one, and
 * for its families of tokens.
 */
function inStore(folder: string, companyId: string) {
  return inDatabase(folder, (database) => ({
    items: database
      .prepare(
        "SELECT * FROM items WHERE partition = ? AND sort NOT LIKE 'request/%' AND sort NOT LIKE 'token-famil%' ORDER BY sort",
      )
      .all(`company/${companyId}`),
    payloads: database
      .prepare('SELECT * FROM payloads WHERE id >= ? AND id < ? ORDER BY id')
      .all(`company/${companyId}/`, `company/${companyId}0`),
  }));
}

/** How the keys of all items begin. */
const KINDS: ReadonlySet<string> = new Set([
  'company/',
  'custom-id/',
  'key/',
  'project/',
  'request/',
  'token-families/',
  'token-family/',
  'tombstone/',
  'tombstone-of/',
]);

/** Requires a store that nobody has open to hold nothing that nobody knows of, and what is kept of requests to hold no content. */
export function requireTidy({ folder, free, guarded }: World): void {
  requireNoOrphans(folder);
  inDatabase(folder, (database) => {
    const partitions = database
      .prepare("SELECT DISTINCT partition FROM items WHERE partition <> 'store' ORDER BY partition")
      .all();
    const companies = [free, ...guarded].map(({ companyId }) => `company/${companyId}`);
    assert.deepEqual(
      partitions.map(({ partition }) => partition),
      ['companies', ...companies].sort(),
    );
    const kinds = database
      .prepare(
        "SELECT DISTINCT substr(sort, 1, instr(sort, '/')) AS kind FROM items WHERE partition <> 'store' AND sort <> 'company' ORDER BY kind",
      )
      .all();
    for (const { kind } of kinds) assert(KINDS.has(String(kind)), `an item that is a ${kind}`);
    const told = database
      .prepare("SELECT count(*) AS count FROM items WHERE sort NOT LIKE 'project/%' AND data LIKE ?")
      .get(`%${CONTENT}%`);
    assert.equal(told?.['count'], 0, 'content in what is no project');
  });
}
