import { small } from './support/bodies.ts';
import { requestBytes } from './support/connection.ts';
import { startFloorServer, temporaryFolder } from './support/floor.ts';
import { openAll, rate } from './support/rate.ts';
import type { StartSegue } from './support/segue.ts';
import { interleave } from './support/statistics.ts';
import type { Row } from './support/table.ts';

const TARGET = { atLeast: 0.35 };
const ROUNDS = { rounds: 5, warmUp: 1 };
const CONNECTIONS = 12;

/**
 * Measures how many small creations a second are answered. Each connection sends its next request when it has its
 * answer.
 */
export async function smallCreates(startSegue: StartSegue): Promise<Row[]> {
  using folder = temporaryFolder();
  await using server = await startFloorServer(folder.path);
  await using segue = await startSegue();
  using floorConnections = await openAll(CONNECTIONS, () => server.connect());
  using connections = await openAll(CONNECTIONS, () => segue.connect());

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
