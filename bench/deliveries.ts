import { randomUUID } from 'node:crypto';
import { senderOf } from '../test/support/senders.ts';
import { addSource } from '../test/support/sources.ts';
import { requestBytes } from './support/connection.ts';
import { RECEIVER, startFloorServer, temporaryFolder } from './support/floor.ts';
import { openAll, rate } from './support/rate.ts';
import type { StartSegue } from './support/segue.ts';
import { interleave } from './support/statistics.ts';
import type { Row } from './support/table.ts';

const TARGET = { atLeast: 0.25 };
const ROUNDS = { rounds: 5, warmUp: 1 };
const CONNECTIONS = 12;
/** The size of a webhook message, in bytes: about as much as a content system sends about one entry. */
const BODY_BYTES = 2_000;

const sender = senderOf('github');

/** Returns the bytes of a request with a new webhook message. */
function message(path: string): Buffer {
  const body = JSON.stringify({ id: randomUUID(), text: 'x'.repeat(BODY_BYTES) });
  const headers = sender.sign({ body, atMs: 0, id: '' });
  return requestBytes({ method: 'POST', path, headers, body: Buffer.from(body) });
}

/**
 * Measures how many webhook messages a second are received. Each connection sends its next message when the last one is
 * answered.
 */
export async function deliveries(startSegue: StartSegue): Promise<Row[]> {
  using folder = temporaryFolder();
  await using server = await startFloorServer(folder.path, RECEIVER, sender.secret);
  await using segue = await startSegue();
  const source = { name: 'bench', companyId: 'sandbox', scheme: sender.settings, secret: sender.secret };
  const added = await addSource(segue.dataDir, { ...source, mapping: 'null' });
  if (added.code !== 0) throw new Error(added.stderr);
  using floorConnections = await openAll(CONNECTIONS, () => server.connect());
  using connections = await openAll(CONNECTIONS, () => segue.connect());

  const floor = () => rate(floorConnections.all, () => message('/'), 202);
  const taken = () => rate(connections.all, () => message('/webhooks/bench'), 202);
  const medianOf = await interleave([floor, taken], ROUNDS);
  return [
    {
      what: `messages of webhooks taken in, ${CONNECTIONS} connections`,
      unit: '/s',
      floor: medianOf(floor),
      segue: medianOf(taken),
      target: TARGET,
    },
  ];
}
