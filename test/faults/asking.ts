import assert from 'node:assert/strict';
import type { StartedGateway } from '../support/gateway.ts';
import { type HttpAnswer, type HttpRequest, send } from '../support/http.ts';
import { asObject, asObjects, type JsonObject } from '../support/projects.ts';

/** A gateway, and the credentials for requests to it. */
export type Caller = Pick<StartedGateway, 'url' | 'authorization'>;

/** Sends a request to a gateway with its credentials. */
export function ask({ url, authorization }: Caller, request: HttpRequest): Promise<HttpAnswer> {
  return send(url, { ...request, headers: { ...request.headers, Authorization: authorization } });
}

/** Returns the request that creates a project. */
export function creationOf(project: JsonObject, headers: HttpRequest['headers'] = {}): HttpRequest {
  return {
    method: 'POST',
    path: '/segments/projects',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(project),
  };
}

/** Returns every project of the company, page by page. */
export function listProjects(gateway: Caller): Promise<JsonObject[]> {
  return readPages(gateway, '/segments/projects?limit=100');
}

/** Returns every event of the company's feed, page by page. */
export function listEvents(gateway: Caller): Promise<JsonObject[]> {
  return readPages(gateway, '/events?limit=100');
}

async function readPages(gateway: Caller, first: string): Promise<JsonObject[]> {
  const entries: JsonObject[] = [];
  let path: string | undefined = first;
  while (path !== undefined) {
    const answer = await ask(gateway, { method: 'GET', path });
    assert.equal(answer.status, 200, answer.text);
    entries.push(...asObjects(JSON.parse(answer.text)));
    path = nextPage(gateway, answer);
  }
  return entries;
}

/** Returns path and query of the next page from the `Link` header. */
function nextPage({ url }: Caller, { headers: { link } }: HttpAnswer): string | undefined {
  if (link === undefined) return undefined;
  const reference = /^<([^>]+)>; *rel="next"$/.exec(String(link))?.[1];
  assert(reference !== undefined, `Link: ${link}`);
  const { pathname, search } = new URL(reference, url);
  return pathname + search;
}

export function objectIn({ text }: HttpAnswer): JsonObject {
  return asObject(JSON.parse(text));
}

/** Returns the last part of a problem's type, or `undefined` if the answer is not a problem. */
export function problemIn({ status, text }: HttpAnswer): string | undefined {
  return status < 400
    ? undefined
    : String(asObject(JSON.parse(text))['type'])
        .split('/')
        .at(-1);
}
