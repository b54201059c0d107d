import assert from 'node:assert/strict';
import type { StartedGateway } from '../../support/gateway.ts';
import { ask, listProjects, objectIn, problemIn } from '../asking.ts';
import { acknowledge, type Change, pathsOf, requestOf, requireContent, type Truth } from './truth.ts';

const SUCCESS = { create: [201], 'delete project': [200, 204], 'delete task': [200, 204] } as const;

/** What a change came to: somebody who may still be at work has its key, or it was done. */
export type Outcome = 'done' | 'claimed';

/** Sends a change, and notes it where it was acknowledged. Rejects where no answer comes. */
export async function change(gateway: StartedGateway, wanted: Change): Promise<Outcome> {
  const answer = await ask(gateway, requestOf(wanted));
  if (problemIn(answer) === 'request-in-progress') return 'claimed';
  const allowed: readonly number[] = SUCCESS[wanted.kind];
  assert(allowed.includes(answer.status), `${wanted.kind} was answered ${answer.status} ${answer.text}`);
  acknowledge(wanted, answer.text === '' ? undefined : objectIn(answer));
  return 'done';
}

/** Gets a project by its id and by its custom id, and requires both to be as the answers so far say. */
export async function check(gateway: StartedGateway, project: Truth): Promise<void> {
  const status = project.state === 'there' ? 200 : 404;
  for (const path of pathsOf(project)) {
    const answer = await ask(gateway, { method: 'GET', path });
    assert.equal(answer.status, status, `${project.state} yet ${answer.status} for ${path}`);
    if (status === 200) requireContent(project, objectIn(answer));
  }
}

/** The names of all projects, by the list. */
export async function listNames(gateway: StartedGateway): Promise<string[]> {
  return (await listProjects(gateway)).map(({ name }) => String(name));
}
