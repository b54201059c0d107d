import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import type { HttpAnswer } from '../support/http.ts';
import { asObjects, type JsonObject, nowUtc, segments, smallProject } from '../support/projects.ts';
import { ask, creationOf, listProjects, objectIn, problemIn } from './asking.ts';
import { requireNoOrphans } from './kills/store.ts';

const MANY = 50;
/** Long enough to write that the others come in meanwhile. */
const LONG = 1_000;
/** Of so many races one is about a long project. */
const LONG_EVERY = 4;

/** How many answers repeated an earlier one, and how many said that it was still being worked on. */
interface Counts {
  replayed: number;
  inProgress: number;
}

/**
 * Sends fifty creates with one key at once, so many times, to two processes that share a store: each time one project
 * is made.
 */
export async function checkParallel(times: number): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), 'segue-parallel-'));
  const start = () => startGateway({ env: { SEGUE_DATA_DIR: folder } });
  const gateways: StartedGateway[] = [];
  const counts: Counts = { replayed: 0, inProgress: 0 };
  try {
    const [one, other] = [await start(), await start()];
    gateways.push(one, other);
    const made: number[] = [];
    for (let race = 0; race < times; race++) {
      made.unshift(await raceOnce([one, other], race % LONG_EVERY === 0 ? LONG : 1, counts));
      // The newest first: nothing was made between two races.
      const { text } = await ask(other, { method: 'GET', path: '/segments/projects?limit=2' });
      assert.deepEqual(idsIn(asObjects(JSON.parse(text))), made.slice(0, 2));
    }
    assert.deepEqual(idsIn(await listProjects(one)), made);
    for (const gateway of gateways.splice(0)) assert.equal(await gateway.stop(), 0);
    requireNoOrphans(folder);
    return counts;
  } finally {
    for (const gateway of gateways) await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns the id of the one project that was made */
async function raceOnce(
  [one, other]: readonly [StartedGateway, StartedGateway],
  length: number,
  counts: Counts,
): Promise<number> {
  const key = randomUUID();
  const project = smallProject({ name: key, segments: segments(length) });
  const requests = Array.from({ length: MANY }, (_, n) => () => create(n % 2 ? one : other, project, key));
  const answers = await Promise.all(requests.map((request) => request()));
  const done = answers.filter((answer) => answer.status === 201 && !isReplayed(answer));
  assert.equal(done.length, 1, `${done.length} requests with one key made a project`);
  const ids = answers.map((answer) => (answer.status === 201 ? objectIn(answer)['id'] : undefined));
  const id = Number(ids.find((made) => made !== undefined));
  for (const [n, answer] of answers.entries()) {
    if (answer.status === 201) {
      assert.equal(ids[n], id);
      if (isReplayed(answer)) counts.replayed += 1;
      continue;
    }
    assert.equal(problemIn(answer), 'request-in-progress', answer.text);
    counts.inProgress += 1;
    const repeated = await requests[n]?.();
    assert(repeated && isReplayed(repeated), 'A repetition is the replay');
    assert.equal(repeated.status, 201);
    assert.equal(objectIn(repeated)['id'], id);
  }
  return id;
}

/** As a client does that stamps each attempt. */
function create(gateway: StartedGateway, project: JsonObject, key: string): Promise<HttpAnswer> {
  return ask(gateway, creationOf({ ...project, startDateUtc: nowUtc() }, { 'Idempotency-Key': key }));
}

function isReplayed({ headers }: HttpAnswer): boolean {
  return headers['idempotent-replayed'] === 'true';
}

function idsIn(projects: readonly JsonObject[]): number[] {
  return projects.map(({ id }) => Number(id));
}
