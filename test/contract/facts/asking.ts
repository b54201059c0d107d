import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { smallProject } from '../../support/projects.ts';
import type { AskedFact, Exchange, Given } from './fact.ts';
import { expectSeen, expectSome } from './judging.ts';
import { type Asked, send } from './sending.ts';

/**
 * Sends the requests of a fact in their order, and removes the project that it created for them.
 * @throws {OtherwiseSeen} if an answer differs from the expected one
 */
export async function askFor({ given, asks, atOnce }: AskedFact, asked: Asked): Promise<void> {
  const $X = `fact-${randomUUID()}`;
  const id = given && (await create(given.fields($X), asked));
  const meanings = { $X, ...(id !== undefined && { $ID: String(id) }) };
  try {
    for (const exchange of asks) {
      const answers = await Promise.all(Array.from({ length: atOnce ?? 1 }, () => send(exchange, asked, meanings)));
      if (atOnce !== undefined) expectSome(exchange, answers, asked.url);
      else for (const answer of answers) expectSeen(exchange, answer, asked.url);
    }
  } finally {
    if (id !== undefined) await send({ method: 'DELETE', path: `/segments/projects/${id}` }, asked);
  }
}

const Created = z.object({ id: z.int() });

async function create(fields: ReturnType<Given['fields']>, asked: Asked): Promise<number> {
  const exchange: Exchange = {
    method: 'POST',
    path: '/segments/projects',
    headers: [['Content-Type', 'application/json']],
    body: JSON.stringify(smallProject(fields)),
    sees: { status: 201 },
  };
  const answer = await send(exchange, asked);
  expectSeen(exchange, answer, asked.url);
  return Created.parse(JSON.parse(answer.text ?? '')).id;
}
