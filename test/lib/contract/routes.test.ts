import { describe, expect, it } from 'vitest';
import { PARAMETERS } from '../../../lib/contract/parameters.ts';
import { PROBLEMS } from '../../../lib/contract/problems.ts';
import {
  COMMON_PROBLEMS,
  CREDENTIAL_PROBLEMS,
  ROUTES,
  type Route,
  routeOf,
  SCOPES,
} from '../../../lib/contract/routes.ts';

/** The operations of this version: method, path, scope, query. */
const PUBLISHED: readonly (readonly [string, Route['path'], Route['scope'], string])[] = [
  ['POST', '/segments/projects', 'create', 'validateOnly'],
  ['GET', '/segments/projects', 'read', 'limit cursor'],
  ['GET', '/segments/projects/{id}', 'read', 'taskId'],
  ['GET', '/segments/projects/custom/{customId}', 'read', 'taskId'],
  ['DELETE', '/segments/projects/{id}', 'delete', 'taskId'],
  ['DELETE', '/segments/projects/custom/{customId}', 'delete', 'taskId'],
  ['GET', '/operations/{operationId}', 'read', ''],
  ['GET', '/integrations/languages', 'read', ''],
  ['POST', '/authentication/token', null, ''],
  ['POST', '/authentication/RefreshToken', null, ''],
  ['POST', '/webhooks/{source}', null, ''],
  ['GET', '/health', null, ''],
  ['GET', '/problems/{type}', null, ''],
  ['GET', '/openapi.json', null, ''],
  ['GET', '/docs', null, ''],
];
const routes: readonly Route[] = ROUTES;

describe('the route table', () => {
  it('holds the published operations', () => {
    expect(routes.map(({ method, path, scope, query }) => [method, path, scope, query.join(' ')])).toEqual(PUBLISHED);
  });

  it('has every id once, a file name, and every method of a path once', () => {
    expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
    expect(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size).toBe(routes.length);
    for (const { id } of routes) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });

  it.each(routes)('says what $id needs and answers, in words of the other tables', (route) => {
    const problems = [...route.problems, ...COMMON_PROBLEMS, ...CREDENTIAL_PROBLEMS];
    expect(Object.keys(PROBLEMS)).toEqual(expect.arrayContaining(problems));
    expect(new Set(route.problems).size).toBe(route.problems.length);
    expect(Object.keys(PARAMETERS)).toEqual(expect.arrayContaining([...route.query]));
    expect([...SCOPES, null]).toContain(route.scope);
    expect(route.summary).toMatch(/^[A-Z].*[^.]$/);
  });

  it.each(routes)('gives $id the problems that a body brings about, or the lack of one', ({ body, problems }) => {
    // What a message is, is found out by whoever works on it.
    expect(problems.includes('malformed-json')).toBe(body !== 'none' && body !== 'message');
    expect(problems.includes('unexpected-body')).toBe(body === 'none');
  });

  it('is looked up by id', () => {
    for (const route of ROUTES) expect(routeOf(route.id)).toBe(route);
  });
});
