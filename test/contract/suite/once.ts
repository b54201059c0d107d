import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { nowUtc } from '../../support/projects.ts';
import type { ProjectAnswer } from '../answers.ts';
import { type Answer, type Api, byCustomId, byId, type Options, projectIn } from '../api.ts';

export const REPRESENTATION = { prefer: 'return=representation' };

/** The two kinds of path of a project. */
export const PATHS: Readonly<Record<string, (project: ProjectAnswer) => string>> = {
  'by id': ({ id }) => byId(id),
  'by custom id': ({ customId = '' }) => byCustomId(customId),
};

/** Returns a key that no other test has used. */
export function newKey(): string {
  return randomUUID();
}

/** Returns the options of a request with an idempotency key. */
export function withKey(key: string | readonly string[], headers: Options['headers'] = {}): Options {
  return { headers: { ...headers, 'idempotency-key': key } };
}

/** Posts a project with a key and returns the answer, whatever its status. */
export function postOnce(api: Api, project: unknown, key: string): Promise<Answer> {
  return api.post(project, '', withKey(key));
}

/** Creates a project with a new key. Fails unless the create succeeds. */
export async function createOnce(api: Api, project: unknown, key: string): Promise<ProjectAnswer> {
  const answer = await postOnce(api, project, key);
  const created = projectIn(answer, 201);
  expectReplayed(answer, false);
  return created;
}

/** Expects an answer to be marked as a replay, or not to be. */
export function expectReplayed(answer: Answer, replayed = true): void {
  expect(answer.headers['idempotent-replayed'], answer.text.slice(0, 500)).toBe(replayed ? 'true' : undefined);
}

/** Expects a replay of a create: its first status, with the current state of the project. */
export async function expectReplayOf(api: Api, answer: Answer, id: number): Promise<void> {
  expect(projectIn(answer, 201).id).toBe(id);
  expectReplayed(answer);
  expect(answer.headers.location).toBe(`${api.target.url}${byId(id)}`);
  expect(answer.text).toBe((await api.get(byId(id))).text);
}

/** Returns a start date that is too old for a new request. */
export function tenMinutesAgo(): string {
  return nowUtc(-600_000);
}
