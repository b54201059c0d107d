import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { openFloorDatabase } from './floor/database.ts';
import { accepting, CODINGS, compareRead, reader } from './read.ts';
import { type Created, plainBody, requireSegments, requireStatus } from './support/answers.ts';
import { cldrAutomatic } from './support/bodies.ts';
import { type Connection, requestBytes } from './support/connection.ts';
import { startFloorServer, temporaryFolder } from './support/floor.ts';
import { type Segue, translating } from './support/segue.ts';
import { interleave } from './support/statistics.ts';
import type { Row } from './support/table.ts';

const TARGET = { atMost: 2.5 };
/** Short requests need more rounds until the engine has compiled their code. */
const ROUNDS = { rounds: 201, warmUp: 300 };
const FLOOR = fileURLToPath(new URL('floor/results.ts', import.meta.url));

const Progress = z.object({ total: z.number() });
const Page = z.array(
  z.object({ source: z.unknown(), translations: z.array(z.object({ content: z.nullable(z.string()) })) }),
);

/**
 * Compares reading translations and progress with a bare server that makes as many reads of the same content, and sends
 * the same answer. The project has 29,484 segments, which the pseudo engine has translated into four languages.
 */
export async function results(): Promise<Row[]> {
  await using segue = await translating();
  using connection = await segue.connect();
  const body = Buffer.from(JSON.stringify(cldrAutomatic(4)));
  const creation = segue.request({ method: 'POST', path: '/segments/projects', headers: accepting('gzip'), body });
  const created = requireSegments(requireStatus(await connection.exchange(creation), 201), body);
  const { segments, ...head } = created;
  const get = (path: string) => (coding: string) =>
    segue.request({ method: 'GET', path: `/segments/projects/${head.id}${path}`, headers: accepting(coding) });

  const progress = get('/progress');
  const isDone = async () => {
    const answer = requireStatus(await connection.exchange(progress('identity')), 200);
    return Progress.parse(JSON.parse(answer.body().toString())).total === 100;
  };
  while (!(await isDone())) await setTimeout(100);

  // Segue reads the item and the work record of the project, and after a page the item again.
  const item = Buffer.from(JSON.stringify(head));
  const page = get('/segments?limit=500');
  const first = plainBody(requireStatus(await connection.exchange(page('identity')), 200));
  const pageRows = [item, item, item, ...chunksOf(first)];
  const rows: Row[] = [];
  for (const coding of CODINGS) {
    const what = `read 500 segments in 4 languages, answer ${coding}`;
    rows.push(await compareResults(what, connection, page(coding), { rows: pageRows, coding }));
  }
  requireStatus(await connection.exchange(reopen(segue, created)), 200);
  const what = `read the progress of ${segments.length} segments`;
  rows.push(await compareResults(what, connection, progress('identity'), { rows: [item, item], coding: 'identity' }));
  rows.push(await compareRead('read the translated project, answer gzip', connection, get('')('gzip')));
  return rows;
}

/** Makes a request after which no language is complete, so that Segue cannot tell its progress by that. */
function reopen(segue: Segue, { id, targetLanguages, segments: [segment] }: Created): Buffer {
  const entries = targetLanguages.map(({ targetLanguageCode: languageCode }) => ({
    segmentId: segment?.id,
    languageCode,
    content: 'x',
    status: 'draft',
    reopen: true,
  }));
  const body = Buffer.from(JSON.stringify(entries));
  return segue.request({ method: 'PATCH', path: `/segments/projects/${id}/translations`, body });
}

/** Returns the content of a page as Segue stores it: its segments, and the translations into each language. */
function chunksOf(page: Uint8Array): Uint8Array[] {
  const entries = Page.parse(JSON.parse(Buffer.from(page).toString()));
  const languages = entries[0]?.translations.map((_, index) =>
    entries.map((entry) => entry.translations[index]?.content),
  );
  return [entries.map(({ source }) => source), ...(languages ?? [])].map((chunk) =>
    gzipSync(JSON.stringify(chunk), { level: 3 }),
  );
}

interface FloorRead {
  /** The rows that the floor reads for the answer. */
  readonly rows: readonly Uint8Array[];
  readonly coding: string;
}

/** Compares a request with a bare server that reads the rows of its answer from a database, and sends the answer. */
async function compareResults(
  what: string,
  connection: Connection,
  request: Buffer,
  { rows, coding }: FloorRead,
): Promise<Row> {
  const expected = plainBody(requireStatus(await connection.exchange(request), 200));
  using folder = temporaryFolder();
  storeForFloor(folder.path, [expected, ...rows]);
  await using server = await startFloorServer(folder.path, FLOOR, String(rows.length + 1));
  using floorConnection = await server.connect();
  const floorRequest = requestBytes({ method: 'GET', path: '/', headers: accepting(coding) });
  const floor = reader(floorConnection, floorRequest, expected);
  const reading = reader(connection, request, expected);
  const medianOf = await interleave([floor, reading], ROUNDS);
  return { what, unit: 'ms', floor: medianOf(floor), segue: medianOf(reading), target: TARGET };
}

function storeForFloor(folder: string, rows: readonly Uint8Array[]): void {
  using database = openFloorDatabase(folder);
  for (const row of rows) database.insert(row);
}
