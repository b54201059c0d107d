import { setTimeout } from 'node:timers/promises';
import * as z from 'zod/mini';
import { accepting, CODINGS, compareRead } from './read.ts';
import { requireSegments, requireStatus } from './support/answers.ts';
import { cldrLarge } from './support/bodies.ts';
import { translating } from './support/segue.ts';
import type { Row } from './support/table.ts';

const Progress = z.object({ total: z.number() });

/**
 * Compares reading translations and progress with a bare server that sends the same bytes. The project has 29,484
 * segments, which the pseudo engine has translated into four languages.
 */
export async function results(): Promise<Row[]> {
  await using segue = await translating();
  using connection = await segue.connect();
  const body = cldrLarge();
  const creation = segue.request({ method: 'POST', path: '/segments/projects', headers: accepting('gzip'), body });
  const { id } = requireSegments(requireStatus(await connection.exchange(creation), 201), body);
  const get = (path: string, coding: string) =>
    segue.request({ method: 'GET', path: `/segments/projects/${id}${path}`, headers: accepting(coding) });

  const progress = get('/progress', 'identity');
  const isDone = async () => {
    const answer = requireStatus(await connection.exchange(progress), 200);
    return Progress.parse(JSON.parse(answer.body().toString())).total === 100;
  };
  while (!(await isDone())) await setTimeout(100);

  const rows: Row[] = [];
  for (const coding of CODINGS) {
    const page = get('/segments?limit=500', coding);
    rows.push(await compareRead(`read 500 segments in 4 languages, answer ${coding}`, connection, page));
  }
  rows.push(await compareRead('read the progress of 29,484 segments', connection, progress));
  return rows;
}
