import { requireStatus } from './support/answers.ts';
import { small } from './support/bodies.ts';
import { type Connection, requestBytes } from './support/connection.ts';
import { startFloorServer, temporaryFolder } from './support/floor.ts';
import type { StartSegue } from './support/segue.ts';
import { interleave } from './support/statistics.ts';
import type { Row } from './support/table.ts';

const TARGET = { atLeast: 0.25 };
const ROUNDS = { rounds: 5, warmUp: 1 };
const CONNECTIONS = 12;
const SLICE_MS = 2_000;

/** Small creates a second on kept-alive connections, each sending its next request when it has its answer. */
export async function smallCreates(startSegue: StartSegue): Promise<Row[]> {
  using folder = temporaryFolder();
  await using server = await startFloorServer(folder.path);
  await using segue = await startSegue();
  using floorConnections = await openAll(() => server.connect());
  using connections = await openAll(() => segue.connect());

  const floor = () => rate(floorConnections.all, requestBytes({ method: 'POST', path: '/', body: small() }));
  const creations = () =>
    rate(connections.all, segue.request({ method: 'POST', path: '/segments/projects', body: small() }));
  const medianOf = await interleave([floor, creations], ROUNDS);
  return [
    {
      what: `small creates, ${CONNECTIONS} connections`,
      unit: '/s',
      floor: medianOf(floor),
      segue: medianOf(creations),
      target: TARGET,
    },
  ];
}

async function openAll(open: () => Promise<Connection>): Promise<Disposable & { readonly all: readonly Connection[] }> {
  const all = await Promise.all(Array.from({ length: CONNECTIONS }, open));
  return {
    all,
    [Symbol.dispose]: () => {
      for (const connection of all) connection[Symbol.dispose]();
    },
  };
}

/** Answers a second, counted over one slice of time. */
async function rate(connections: readonly Connection[], request: Buffer): Promise<number> {
  const began = performance.now();
  let answers = 0;
  const keepSending = async (connection: Connection) => {
    while (performance.now() - began < SLICE_MS) {
      requireStatus(await connection.exchange(request), 201);
      answers++;
    }
  };
  await Promise.all(connections.map(keepSending));
  return (answers * 1_000) / (performance.now() - began);
}
