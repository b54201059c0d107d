import assert from 'node:assert/strict';
import type { StartedGateway } from '../../support/gateway.ts';
import { type HttpAnswer, type HttpRequest, send } from '../../support/http.ts';
import { asObject, asObjects, type JsonObject } from '../../support/projects.ts';
import { acknowledge, type Change, pathsOf, requestOf, requireContent, type Truth } from './truth.ts';

const SUCCESS = { create: [201], 'delete project': [200, 204], 'delete task': [200, 204] } as const;

/** What a change came to: somebody who may still be at work has its key, or it was done. */
export type Outcome = 'done' | 'claimed';

/** Sends a change, and notes it where it was acknowledged. Rejects where no answer comes. */
export async function change(gateway: StartedGateway, wanted: Change): Promise<Outcome> {
  const answer = await ask(gateway, requestOf(wanted));
  if (answer.status === 409 && /\brequest-in-progress\b/.test(answer.text)) return 'claimed';
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
  const names: string[] = [];
  let path: string | undefined = '/segments/projects?limit=100';
  while (path !== undefined) {
    const answer = await ask(gateway, { method: 'GET', path });
    assert.equal(answer.status, 200, answer.text);
    names.push(...asObjects(JSON.parse(answer.text)).map(({ name }) => String(name)));
    path = nextPage(gateway, answer);
  }
  return names;
}

/** Path and query of the page that the `Link` header calls the next. */
function nextPage({ url }: StartedGateway, { headers: { link } }: HttpAnswer): string | undefined {
  if (link === undefined) return undefined;
  const reference = /^<([^>]+)>; *rel="next"$/.exec(String(link))?.[1];
  assert(reference !== undefined, `Link: ${link}`);
  const { pathname, search } = new URL(reference, url);
  return pathname + search;
}

function ask({ url, authorization }: StartedGateway, request: HttpRequest): Promise<HttpAnswer> {
  return send(url, { ...request, headers: { ...request.headers, Authorization: authorization } });
}

function objectIn({ text }: HttpAnswer): JsonObject {
  return asObject(JSON.parse(text));
}
