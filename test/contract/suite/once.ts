import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { nowUtc } from '../../support/projects.ts';
import type { ProjectAnswer } from '../answers.ts';
import { type Answer, type Api, byCustomId, byId, type Options, projectIn } from '../api.ts';

export const REPRESENTATION = { prefer: 'return=representation' };

/** How a project is named in a path. */
export const PATHS: Readonly<Record<string, (project: ProjectAnswer) => string>> = {
  'by id': ({ id }) => byId(id),
  'by custom id': ({ customId = '' }) => byCustomId(customId),
};

/** A key that no other test has used. */
export function newKey(): string {
  return randomUUID();
}

/** The options of a request that is to happen once. */
export function withKey(key: string | readonly string[], headers: Options['headers'] = {}): Options {
  return { headers: { ...headers, 'idempotency-key': key } };
}

/** Posts a project with a key and gives whatever is answered. */
export function postOnce(api: Api, project: unknown, key: string): Promise<Answer> {
  return api.post(project, '', withKey(key));
}

/** Creates a project with a key that is new, which is expected to succeed. */
export async function createOnce(api: Api, project: unknown, key: string): Promise<ProjectAnswer> {
  const answer = await postOnce(api, project, key);
  const created = projectIn(answer, 201);
  expectReplayed(answer, false);
  return created;
}

/** Expects an answer to say, or not to say, that it is an earlier one's. */
export function expectReplayed(answer: Answer, replayed = true): void {
  expect(answer.headers['idempotent-replayed'], answer.text.slice(0, 500)).toBe(replayed ? 'true' : undefined);
}

/** Expects the first status of a create again, with the project as it now stands. */
export async function expectReplayOf(api: Api, answer: Answer, id: number): Promise<void> {
  expect(projectIn(answer, 201).id).toBe(id);
  expectReplayed(answer);
  expect(answer.headers.location).toBe(`${api.target.url}${byId(id)}`);
  expect(answer.text).toBe((await api.get(byId(id))).text);
}

/** A start date that a new request would be refused for. */
export function tenMinutesAgo(): string {
  return nowUtc(-600_000);
}
