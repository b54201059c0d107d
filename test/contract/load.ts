import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type HttpAnswer, send } from '../support/http.ts';
import { smallProject } from '../support/projects.ts';
import { PROJECTS, type Target } from './api.ts';

/** How many projects are deleted. */
const PROJECTS_DELETED = 1_000;
const DELETIONS_A_SECOND = 100;
/** The largest share of deletions that may fail. */
const MAX_FAILED = 0.001;
/** The time limit of the test, in milliseconds. At a rate of 50 requests a second, it takes about a minute. */
const TIMEOUT_MS = 600_000;
const CREATED_AT_ONCE = 20;

const Created = z.object({ id: z.int() });

/** Sends a request, and sends it again while the company is over its rate. */
async function sendWithin(target: Target, method: string, path: string, body?: string): Promise<HttpAnswer> {
  const headers = { authorization: target.authorization, accept: 'application/json', 'user-agent': 'segue-verify' };
  for (;;) {
    const answer = await send(target.url, {
      method,
      path,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
    if (answer.status !== 429) return answer;
    await setTimeout(Number(answer.headers['retry-after'] ?? 1) * 1_000);
  }
}

async function create(target: Target): Promise<number> {
  const { status, text } = await sendWithin(target, 'POST', PROJECTS, JSON.stringify(smallProject()));
  expect(status).toBe(201);
  return Created.parse(JSON.parse(text)).id;
}

/** Deletes many projects at once with one key. Requests over the company's rate do not count as failed. */
export function deletionsUnderLoad(target: Target): void {
  describe('many deletions by one key', () => {
    it('fail less than once in a thousand times', { timeout: TIMEOUT_MS }, async () => {
      const ids: number[] = [];
      while (ids.length < PROJECTS_DELETED)
        ids.push(...(await Promise.all(Array.from({ length: CREATED_AT_ONCE }, () => create(target)))));
      const began = performance.now();
      const statuses = await Promise.all(
        ids.map(async (id, n) => {
          await setTimeout((n * 1_000) / DELETIONS_A_SECOND);
          return (await sendWithin(target, 'DELETE', `${PROJECTS}/${id}`)).status;
        }),
      );
      const seconds = (performance.now() - began) / 1_000;
      const failed = statuses.filter((status) => status !== 204);
      process.stdout.write(
        `${failed.length} of ${ids.length} deletions failed, at ${(ids.length / seconds).toFixed(0)} a second\n`,
      );
      expect(failed.length / ids.length).toBeLessThan(MAX_FAILED);
    });
  });
}
