import { randomBytes, randomUUID } from 'node:crypto';
import type { HttpRequest } from '../../support/http.ts';
import { type JsonObject, nowUtc, segments, smallProject } from '../../support/projects.ts';

/** What a project is made of. */
export interface Draft {
  readonly customId: string;
  readonly name: string;
  /** The idempotency key of its creation. */
  readonly key: string;
  readonly isLarge: boolean;
}

/** A project that exists, as the answers say. */
export interface Live extends Draft {
  readonly id: number;
  /** Whether it still has the task that every project is made with. */
  hasTask: boolean;
}

export const TASK = 'the task';
const DAY_MS = 86_400_000;
const END_UTC = nowUtc(30 * DAY_MS);
/** Of the two segments of a large project. */
const LARGE_CHARACTERS = 1_000_000;
/** Texts that no compression makes much smaller. */
const TEXTS = Array.from({ length: 5 }, () =>
  randomBytes(LARGE_CHARACTERS).toString('base64').slice(0, LARGE_CHARACTERS),
);

export function draft(isLarge: boolean): Draft {
  return { customId: randomUUID(), name: randomUUID(), key: randomUUID(), isLarge };
}

/** The request that makes a project: the same each time but for its start date. */
export function creation({ customId, name, key, isLarge }: Draft): HttpRequest {
  const fields = { customId, name, endDateUtc: END_UTC, segments: isLarge ? longSegments(name) : shortSegments() };
  return {
    method: 'POST',
    path: '/segments/projects',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(smallProject(fields)),
  };
}

function shortSegments(): JsonObject[] {
  return [...segments(5), ...segments(2, { taskId: TASK })];
}

/** Always the same for a name. */
function longSegments(name: string): JsonObject[] {
  const first = name.charCodeAt(0);
  const text = (n: number) => TEXTS[(first + n) % TEXTS.length] ?? '';
  return [{ content: text(0) }, { content: text(1), taskId: TASK }];
}

/** The request that deletes a project, or its task. */
export function deletion({ id, customId }: Live, what: 'project' | 'task', byCustomId: boolean): HttpRequest {
  const path = `/segments/projects/${byCustomId ? `custom/${customId}` : id}`;
  const query = what === 'task' ? `?taskId=${encodeURIComponent(TASK)}` : '';
  return { method: 'DELETE', path: path + query, headers: { 'Idempotency-Key': randomUUID() } };
}

/** How many deleted projects are remembered. */
const MOST_GONE = 100;

/** The projects that exist and that nobody is at work on, and some that were deleted. */
export class Pool {
  readonly #free: Live[] = [];
  readonly #gone: Live[] = [];

  /** A free project, which is the caller's until it is put back. */
  take(pick: number): Live | undefined {
    return this.#free.splice(pick % Math.max(1, this.#free.length), 1)[0];
  }

  put(project: Live): void {
    this.#free.push(project);
  }

  bury(project: Live): void {
    this.#gone.push(project);
    if (this.#gone.length > MOST_GONE) this.#gone.shift();
  }

  gone(pick: number): Live | undefined {
    return this.#gone[pick % Math.max(1, this.#gone.length)];
  }

  /** How many small or large ones are free. */
  count(isLarge: boolean): number {
    return this.#free.filter((project) => project.isLarge === isLarge).length;
  }
}
