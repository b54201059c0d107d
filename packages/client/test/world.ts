import { PROBLEMS, type ProblemType } from '../../../lib/contract/problems.ts';
import { json, type Play, playService } from '../../../test/lib/upstream/server.ts';
import { answered, checked } from '../../../test/lib/upstream/world.ts';
import { SegueError } from '../error.ts';
import { SegueClient } from '../segue-client.ts';
import type { NewProject, SegueClientOptions } from '../types.ts';

export const KEY = { companyId: 'acme', apiKey: 'key-of-acme' };

export const newProject: NewProject = {
  name: 'A',
  endDateUtc: '2099-12-31T12:00:00Z',
  sourceLanguageCode: 'en-GB',
  targetLanguages: [{ targetLanguageCode: 'de-DE' }],
  segments: [{ content: 'Hello' }],
};
export const project = answered(checked({ customId: 'a' }));

export const receipt = {
  scope: 'project',
  projectId: 1_000,
  customId: 'a',
  taskId: null,
  outcome: 'deleted',
  deletedAtUtc: '2026-11-20T12:00:00.000Z',
  removed: { targetLanguages: 1, segments: 1, tasks: 0 },
  requestedBy: { kind: 'key', id: 'key-1' },
};

/** Returns a client of a simulated Segue, on a clock that only its pauses move. */
export async function world(plays: readonly Play[], options: Partial<SegueClientOptions> = {}) {
  const { url, received } = await playService(...plays);
  let nowMs = Date.UTC(2026, 10, 20, 12);
  const pausesMs: number[] = [];
  const client = new SegueClient({
    baseUrl: url,
    ...KEY,
    now: () => nowMs,
    random: () => 0.5,
    async sleep(ms) {
      pausesMs.push(ms);
      nowMs += ms;
    },
    ...options,
  });
  return { client, received, pausesMs, keys: () => received.map(({ headers }) => headers['idempotency-key']) };
}

/** Answers with a problem as Segue does. */
export function refuse(type: ProblemType, fields: object = {}, headers: Readonly<Record<string, string>> = {}): Play {
  const { status, title, retryable, outcome } = PROBLEMS[type];
  const body = { type: `https://segue.example/problems/${type}`, title, status, detail: 'D', instance: 'request-1' };
  const content = { 'content-type': 'application/problem+json', ...headers };
  return json(status, { ...body, retryable, outcome, ...fields }, content);
}

/** Returns the error with which a call fails. */
export async function errorOf(work: Promise<unknown>): Promise<SegueError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof SegueError) return error;
  throw new Error('The call did not end in an error of the client', { cause: error });
}
