import { join } from 'node:path';
import { createdId, requireStatus } from './support/answers.ts';
import { small } from './support/bodies.ts';
import { type Connection, type RequestParts, requestBytes } from './support/connection.ts';
import { startFloorServer, temporaryFolder } from './support/floor.ts';
import { installPeers } from './support/install-peers.ts';
import { openAll } from './support/rate.ts';
import type { StartSegue } from './support/segue.ts';
import { median, takeTurns, timed } from './support/statistics.ts';
import type { Row } from './support/table.ts';

const CONNECTIONS = 50;
const ROUNDS = { rounds: 5, warmUp: 1 };
const SLICE_MS = 3_000;
const PEER = join(import.meta.dirname, 'fastify');

/** The figures of one time slice. */
interface Slice {
  readonly requestsPerSecond: number;
  readonly readP99Ms: number;
}

/** Compares Segue with Fastify, zod, pino and SQLite: 50 connections create, read and delete small projects. */
export async function projectCycle(startSegue: StartSegue): Promise<Row[]> {
  await installPeers(PEER);
  using folder = temporaryFolder();
  await using peer = await startFloorServer(folder.path, join(PEER, 'server.js'));
  await using segue = await startSegue();
  using peerConnections = await openAll(CONNECTIONS, () => peer.connect());
  using connections = await openAll(CONNECTIONS, () => segue.connect());
  const headers = { 'Content-Type': 'application/json' };
  const peerRequest = (parts: RequestParts) => requestBytes({ ...parts, ...(parts.body && { headers }) });

  const measurePeer = () => measure(peerConnections.all, peerRequest);
  const measureSegue = () => measure(connections.all, segue.request);
  const slicesOf = await takeTurns([measurePeer, measureSegue], ROUNDS);
  const row = (field: keyof Slice) => ({
    floor: median(slicesOf(measurePeer).map((slice) => slice[field])),
    segue: median(slicesOf(measureSegue).map((slice) => slice[field])),
  });
  const what = `create, read, delete, ${CONNECTIONS} connections`;
  return [
    { what, unit: '/s', ...row('requestsPerSecond'), target: { atLeast: 0.55 } },
    { what: `${what}: p99 of reads`, unit: 'ms', ...row('readP99Ms'), target: { atMost: 1.4 } },
  ];
}

async function measure(connections: readonly Connection[], request: (parts: RequestParts) => Buffer): Promise<Slice> {
  const body = small();
  const readMs: number[] = [];
  let answers = 0;
  const began = performance.now();
  const keepSending = async (connection: Connection) => {
    while (performance.now() - began < SLICE_MS) {
      const created = await connection.exchange(request({ method: 'POST', path: '/segments/projects', body }));
      const path = `/segments/projects/${createdId(requireStatus(created, 201))}`;
      const { ms, result } = await timed(() => connection.exchange(request({ method: 'GET', path })));
      requireStatus(result, 200);
      readMs.push(ms);
      requireStatus(await connection.exchange(request({ method: 'DELETE', path })), 204);
      answers += 3;
    }
  };
  await Promise.all(connections.map(keepSending));
  const requestsPerSecond = (answers * 1_000) / (performance.now() - began);
  const p99 = readMs.toSorted((a, b) => a - b)[Math.ceil(readMs.length * 0.99) - 1];
  return { requestsPerSecond, readP99Ms: p99 ?? Number.NaN };
}
