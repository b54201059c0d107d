import { createdId, requireSegments, requireStatus } from './support/answers.ts';
import { cldrLarge, small } from './support/bodies.ts';
import type { Connection } from './support/connection.ts';
import { fsyncMs } from './support/fsync.ts';
import { openAll, rate } from './support/rate.ts';
import { openPair, type Segue } from './support/segue.ts';
import { interleave, timed } from './support/statistics.ts';
import type { Row } from './support/table.ts';

const SMALL_ROUNDS = { rounds: 301, warmUp: 100 };
const RATE_ROUNDS = { rounds: 5, warmUp: 1 };
const LARGE_ROUNDS = { rounds: 15, warmUp: 5 };
const CONNECTIONS = 12;
/** How often Segue waits for the disk: it stores what it is going to send, and then the result. */
const FSYNCS = 2;

/** Compares Segue in front of the simulator with the simulator alone. The simulator has no faults. */
export async function inFront(): Promise<Row[]> {
  await using pair = await openPair();
  const { front, upstream } = pair;
  return [await one(upstream, front), await many(upstream, front), await large(upstream, front)];
}

/** Measures the time of small creations, one after the other. */
async function one(upstream: Segue, front: Segue): Promise<Row> {
  using direct = await upstream.connect();
  using passing = await front.connect();
  const floor = () => creation(direct, upstream, small());
  const segue = () => creation(passing, front, small());
  const medianOf = await interleave([floor, segue], SMALL_ROUNDS);
  return {
    what: 'small create in front of the simulator',
    unit: 'ms',
    floor: medianOf(floor),
    segue: medianOf(segue),
    target: { addsAtMost: 2 + FSYNCS * fsyncMs() },
  };
}

/** Measures how many small creations a second are answered. */
async function many(upstream: Segue, front: Segue): Promise<Row> {
  using direct = await openAll(CONNECTIONS, () => upstream.connect());
  using passing = await openAll(CONNECTIONS, () => front.connect());
  const request = (segue: Segue) => segue.request({ method: 'POST', path: '/segments/projects', body: small() });
  const floor = () => rate(direct.all, request(upstream));
  const segue = () => rate(passing.all, request(front));
  const medianOf = await interleave([floor, segue], RATE_ROUNDS);
  return {
    what: `small creates in front of the simulator, ${CONNECTIONS} connections`,
    unit: '/s',
    floor: medianOf(floor),
    segue: medianOf(segue),
    target: { atLeast: 0.4 },
  };
}

/** Measures the time of creating a project with 29,484 segments. */
async function large(upstream: Segue, front: Segue): Promise<Row> {
  using direct = await upstream.connect();
  using passing = await front.connect();
  const body = cldrLarge();
  const floor = () => creation(direct, upstream, body);
  const segue = () => creation(passing, front, body);
  const medianOf = await interleave([floor, segue], LARGE_ROUNDS);
  return {
    what: 'create 29,484 segments in front of the simulator',
    unit: 'ms',
    floor: medianOf(floor),
    segue: medianOf(segue),
    target: { atMost: 2.5 },
  };
}

/** Returns how many milliseconds a creation takes. The project is deleted again, so that its custom id is free. */
async function creation(connection: Connection, segue: Segue, body: Buffer): Promise<number> {
  const headers = { 'Accept-Encoding': 'gzip' };
  const request = segue.request({ method: 'POST', path: '/segments/projects', headers, body });
  const { ms, result } = await timed(() => connection.exchange(request));
  requireStatus(result, 201);
  requireSegments(result, body);
  const path = `/segments/projects/${createdId(result)}`;
  requireStatus(await connection.exchange(segue.request({ method: 'DELETE', path })), 204);
  return ms;
}
