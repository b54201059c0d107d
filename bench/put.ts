import { createdId, requireStatus } from './support/answers.ts';
import { cldrLarge, cldrWithOne } from './support/bodies.ts';
import type { StartSegue } from './support/segue.ts';
import { interleave, timed } from './support/statistics.ts';
import type { Row } from './support/table.ts';

const ROUNDS = { rounds: 21, warmUp: 5 };
const HEADERS = { 'Accept-Encoding': 'gzip' };
const PATH = '/segments/projects/custom/bench-put';

/**
 * Measures puts of a project with 29,484 segments, against its creation, in turn: one that changes nothing, and one that
 * changes the content of one segment.
 */
export async function put(startSegue: StartSegue): Promise<Row[]> {
  const body = cldrLarge();
  await using segue = await startSegue();
  using connection = await segue.connect();
  const create = segue.request({ method: 'POST', path: '/segments/projects', headers: HEADERS, body });
  const named = { method: 'PUT', path: PATH, headers: HEADERS } as const;
  const same = cldrWithOne('same');
  requireStatus(await connection.exchange(segue.request({ ...named, body: same })), 201);

  async function creation(): Promise<number> {
    const { ms, result } = await timed(() => connection.exchange(create));
    const path = `/segments/projects/${createdId(requireStatus(result, 201))}`;
    requireStatus(await connection.exchange(segue.request({ method: 'DELETE', path })), 204);
    return ms;
  }

  /** Puts the project as it is, after a put that made it so. */
  async function unchanged(): Promise<number> {
    const request = segue.request({ ...named, body: same });
    requireStatus(await connection.exchange(request), 200);
    const { ms, result } = await timed(() => connection.exchange(request));
    requireStatus(result, 200);
    return ms;
  }

  let count = 0;
  async function changed(): Promise<number> {
    const request = segue.request({ ...named, body: cldrWithOne(`change ${count++}`) });
    const { ms, result } = await timed(() => connection.exchange(request));
    requireStatus(result, 200);
    return ms;
  }

  const medianOf = await interleave([creation, unchanged, changed], ROUNDS);
  const floor = medianOf(creation);
  return [
    {
      what: 'put 29,484 segments, unchanged, against their creation',
      unit: 'ms',
      floor,
      segue: medianOf(unchanged),
      target: { atMost: 1 },
    },
    {
      what: 'put 29,484 segments, one changed, against their creation',
      unit: 'ms',
      floor,
      segue: medianOf(changed),
      target: { atMost: 1.15 },
    },
  ];
}
