import { gzipSync } from 'node:zlib';
import { openFloorDatabase } from './floor/database.ts';
import { requireSegments, requireStatus } from './support/answers.ts';
import { cldrLarge } from './support/bodies.ts';
import { temporaryFolder } from './support/floor.ts';
import type { StartSegue } from './support/segue.ts';
import { interleave, timed } from './support/statistics.ts';
import type { Row } from './support/table.ts';

const TARGET = { atMost: 2.5 };
const ROUNDS = { rounds: 21, warmUp: 6 };

/** Creates a project of 29,484 segments: from the first byte of the request to the last of the answer. */
export async function create(startSegue: StartSegue): Promise<Row[]> {
  using folder = temporaryFolder();
  using database = openFloorDatabase(folder.path);
  await using segue = await startSegue();
  using connection = await segue.connect();

  const createWith = (acceptEncoding: string) => async () => {
    const body = cldrLarge();
    const headers = { 'Accept-Encoding': acceptEncoding };
    const request = segue.request({ method: 'POST', path: '/segments/projects', headers, body });
    const { ms, result } = await timed(() => connection.exchange(request));
    requireSegments(requireStatus(result, 201), body);
    return ms;
  };
  const floor = async () => {
    const body = cldrLarge();
    const text = body.toString();
    const { ms } = await timed(() => {
      JSON.parse(text);
      database.insert(gzipSync(body, { level: 6 }));
    });
    return ms;
  };

  const answers = [
    { coding: 'gzip', creation: createWith('gzip') },
    { coding: 'identity', creation: createWith('identity') },
  ];
  const medianOf = await interleave([floor, ...answers.map(({ creation }) => creation)], ROUNDS);
  return answers.map(({ coding, creation }) => ({
    what: `create 29,484 segments, answer ${coding}`,
    unit: 'ms',
    floor: medianOf(floor),
    segue: medianOf(creation),
    target: TARGET,
  }));
}
