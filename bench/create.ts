import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createdId, requireSegments, requireStatus } from './support/answers.ts';
import { cldrLarge } from './support/bodies.ts';
import { temporaryFolder } from './support/floor.ts';
import type { StartSegue } from './support/segue.ts';
import { type Candidate, interleave, timed } from './support/statistics.ts';
import type { Row } from './support/table.ts';

const TARGET = { atMost: 2.5 };
const ROUNDS = { rounds: 31, warmUp: 10 };
const CODINGS = ['gzip', 'identity'] as const;
const FLOOR = fileURLToPath(new URL('floor/create.ts', import.meta.url));

/**
 * Measures the creation of a project with 29,484 segments, from the first byte of the request to the last byte of the
 * answer.
 */
export async function create(startSegue: StartSegue): Promise<Row[]> {
  const body = cldrLarge();
  using folder = temporaryFolder();
  await using floor = startFloor(folder.path, body);
  await using segue = await startSegue();
  using connection = await segue.connect();

  const creations = CODINGS.map((coding) => {
    const headers = { 'Accept-Encoding': coding };
    const request = segue.request({ method: 'POST', path: '/segments/projects', headers, body });
    let checked = false;
    const measure = async () => {
      const { ms, result } = await timed(() => connection.exchange(request));
      requireStatus(result, 201);
      // Only the first answer is read. Reading megabytes leaves garbage, whose collection would slow down the next
      // request.
      if (!checked) requireSegments(result, body);
      checked = true;
      // The project is deleted again, so that its custom id is free for the next creation.
      const path = `/segments/projects/${createdId(result)}`;
      requireStatus(await connection.exchange(segue.request({ method: 'DELETE', path })), 204);
      return ms;
    };
    return { coding, measure };
  });

  const medianOf = await interleave([floor.measure, ...creations.map(({ measure }) => measure)], ROUNDS);
  return creations.map(({ coding, measure }) => ({
    what: `create 29,484 segments, answer ${coding}`,
    unit: 'ms',
    floor: medianOf(floor.measure),
    segue: medianOf(measure),
    target: TARGET,
  }));
}

function startFloor(folder: string, body: Uint8Array): AsyncDisposable & { readonly measure: Candidate } {
  writeFileSync(join(folder, 'body.json'), body);
  const child = fork(FLOOR, [folder], { execArgv: ['--disable-warning=ExperimentalWarning'] });
  const ended = once(child, 'exit');
  const early = () => ended.then(() => Promise.reject(new Error('The floor’s process ended early')));
  return {
    async measure() {
      child.send('measure');
      const [ms] = await Promise.race([once(child, 'message'), early()]);
      return Number(ms);
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
