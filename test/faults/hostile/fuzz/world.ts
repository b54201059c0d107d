import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basicHeader } from '../../../../lib/contract/basic.ts';
import { createApiKey, hashApiKey } from '../../../../lib/credentials/api-key.ts';
import { type KeyRecord, keyRecordKey } from '../../../../lib/credentials/key-directory.ts';
import { openDatabase } from '../../../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../../../lib/storage/sqlite/storage.ts';
import { type StartedGateway, startGateway } from '../../../support/gateway.ts';
import { type HttpAnswer, send } from '../../../support/http.ts';
import { asObject, asObjects, smallProject } from '../../../support/projects.ts';

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
    const keys = await addKeys(folder);
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

/** Puts a key for each guarded company into a new store. */
async function addKeys(folder: string): Promise<{ readonly companyId: string; readonly apiKey: string }[]> {
  const database = openDatabase(folder);
  const storage = new SqliteStorage(database, Date.now);
  const keys = GUARDED.map((companyId) => ({ companyId, ...createApiKey() }));
  for (const { companyId, keyId, apiKey } of keys) {
    const data: KeyRecord = {
      hash: hashApiKey(apiKey),
      scopes: ['create', 'read', 'delete'],
      state: 'active',
      createdAtUtc: new Date().toISOString(),
    };
    await storage.commit({ writes: [{ kind: 'insert', key: keyRecordKey(companyId, keyId), data }] });
  }
  storage.close();
  return keys;
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
    const answer = await send(url, {
      method: 'POST',
      path: '/segments/projects',
      headers: { Authorization: basic, 'Content-Type': 'application/json' },
      body: JSON.stringify(smallProject({ customId, segments })),
    });
    assert.equal(answer.status, 201, answer.text);
    projects.push({ id: Number(asObject(JSON.parse(answer.text))['id']), customId });
  }
  return { ...key, basic, bearer: `Bearer ${asObject(JSON.parse(token.text))['AccessToken']}`, projects };
}

function get(url: string, basic: string, path: string): Promise<HttpAnswer> {
  return send(url, { method: 'GET', path, headers: { Authorization: basic } });
}
