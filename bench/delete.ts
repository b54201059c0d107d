import { createdId, requireStatus } from './support/answers.ts';
import { cldrOf } from './support/bodies.ts';
import type { StartSegue } from './support/segue.ts';
import { interleave, timed } from './support/statistics.ts';
import type { Row } from './support/table.ts';

const TARGET = { atMost: 1.5 };
const ROUNDS = { rounds: 41, warmUp: 5 };
const MANY = 30_000;
const FEW = 30;

/**
 * Measures the deletion of projects with 30,000 segments and with 30 segments, in turn. All projects are created before
 * the first deletion.
 */
export async function deletion(startSegue: StartSegue): Promise<Row[]> {
  await using segue = await startSegue();
  using connection = await segue.connect();

  const make = async (segments: number): Promise<number> => {
    const body = cldrOf(segments);
    const headers = { 'Accept-Encoding': 'gzip' };
    const request = segue.request({ method: 'POST', path: '/segments/projects', headers, body });
    return createdId(requireStatus(await connection.exchange(request), 201));
  };
  const few: number[] = [];
  const many: number[] = [];
  for (let round = -ROUNDS.warmUp; round < ROUNDS.rounds; round++) {
    few.push(await make(FEW));
    many.push(await make(MANY));
  }

  const removeNextOf = (ids: number[]) => async () => {
    const path = `/segments/projects/${ids.shift()}`;
    const request = segue.request({ method: 'DELETE', path });
    const { ms, result } = await timed(() => connection.exchange(request));
    requireStatus(result, 204);
    requireStatus(await connection.exchange(segue.request({ method: 'GET', path })), 404);
    return ms;
  };
  const removeFew = removeNextOf(few);
  const removeMany = removeNextOf(many);
  const medianOf = await interleave([removeFew, removeMany], ROUNDS);
  return [
    {
      what: 'delete 30,000 segments, against 30',
      unit: 'ms',
      floor: medianOf(removeFew),
      segue: medianOf(removeMany),
      target: TARGET,
    },
  ];
}
