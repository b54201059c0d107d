import { openFloorDatabase } from './floor/database.ts';
import { plainBody, requireSegments, requireStatus } from './support/answers.ts';
import { cldrLarge } from './support/bodies.ts';
import { type Connection, requestBytes } from './support/connection.ts';
import { startFloorServer, temporaryFolder } from './support/floor.ts';
import type { StartSegue } from './support/segue.ts';
import { type Candidate, interleave, timed } from './support/statistics.ts';
import type { Row } from './support/table.ts';

const TARGET = { atMost: 3 };
const ROUNDS = { rounds: 41, warmUp: 10 };
export const CODINGS = ['gzip', 'identity'] as const;

/** Compares reading a project of 29,484 segments with a bare server that sends the same bytes. */
export async function read(startSegue: StartSegue): Promise<Row[]> {
  await using segue = await startSegue();
  using connection = await segue.connect();
  const body = cldrLarge();
  const creation = segue.request({ method: 'POST', path: '/segments/projects', headers: accepting('gzip'), body });
  const { id } = requireSegments(requireStatus(await connection.exchange(creation), 201), body);

  const rows: Row[] = [];
  for (const coding of CODINGS) {
    const request = segue.request({ method: 'GET', path: `/segments/projects/${id}`, headers: accepting(coding) });
    requireSegments(requireStatus(await connection.exchange(request), 200), body);
    rows.push(await compareRead(`read 29,484 segments, answer ${coding}`, connection, request));
  }
  return rows;
}

/** Compares a request with a bare server that reads the bytes of its answer from a database, and sends them. */
export async function compareRead(what: string, connection: Connection, request: Buffer): Promise<Row> {
  const answer = requireStatus(await connection.exchange(request), 200);
  const expected = plainBody(answer);
  using folder = temporaryFolder();
  const rowId = storeForFloor(folder.path, answer.body());
  await using server = await startFloorServer(folder.path);
  using floorConnection = await server.connect();
  const floorRequest = requestBytes({ method: 'GET', path: `/${rowId}` });
  const floor = reader(floorConnection, floorRequest, expected);
  const reading = reader(connection, request, expected);
  const medianOf = await interleave([floor, reading], ROUNDS);
  return { what, unit: 'ms', floor: medianOf(floor), segue: medianOf(reading), target: TARGET };
}

export function accepting(coding: string) {
  return { 'Accept-Encoding': coding };
}

function storeForFloor(folder: string, bytes: Uint8Array): number {
  using database = openFloorDatabase(folder);
  return database.insert(bytes);
}

/** Makes a candidate that reads an answer. @param expected the body of the answer, without compression */
export function reader(connection: Connection, request: Buffer, expected: Buffer): Candidate {
  let checked = false;
  return async () => {
    const { ms, result } = await timed(() => connection.exchange(request));
    requireStatus(result, 200);
    // Only the first answer is compared. Joining megabytes leaves garbage, whose collection would slow down the next
    // read.
    if (!checked && !plainBody(result).equals(expected)) throw new Error('The second answer differs from the first');
    checked = true;
    return ms;
  };
}
