import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { asObject, asObjects, type JsonObject } from '../../../support/projects.ts';
import { requireNoOrphans } from '../../kills/store.ts';
import type { Deeds } from './oracle.ts';
import { CONTENT, type Company, type World } from './world.ts';

/** Everything that is there of the guarded companies, by the API and in the store, and of the free one before anything was asked. */
export interface Before {
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
      .all(`${companyId}/`, `${companyId}0`),
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

function inDatabase<T>(folder: string, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(folder, 'segue.db'), { readOnly: true });
  try {
    return look(database);
  } finally {
    database.close();
  }
}
