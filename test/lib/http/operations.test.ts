import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createProject } from '../../../lib/http/operations/create-project.ts';
import { deleteProject } from '../../../lib/http/operations/delete-project.ts';
import { getProject, getProjectByCustomId } from '../../../lib/http/operations/get-project.ts';
import { health } from '../../../lib/http/operations/health.ts';
import type { Call, ProjectRef } from '../../../lib/service/port.ts';
import { checked, project } from '../support.ts';
import { contextOf, documentWith, eventOf, fakeService, keptLog, readAnswer, receiptWith } from './fixture.ts';

const { options } = keptLog();
const context = contextOf();
const body = JSON.stringify(project());

describe('the base URL of an answer', () => {
  it.each([
    ['/v1', 'api.example.com', {}, 'https://api.example.com/v1'],
    ['', 'projects.example.com', {}, 'https://projects.example.com'],
    ['/segments/projects', 'x.example.com', {}, 'https://x.example.com/segments/projects'],
    ['', '127.0.0.1:8787', { 'X-Forwarded-Proto': 'http' }, 'http://127.0.0.1:8787'],
    ['', '[::1]:8787', { 'x-forwarded-proto': 'javascript' }, 'https://[::1]:8787'],
    ['/v1', undefined, {}, 'https://localhost/v1'],
    ['/v1', 'evil.example.com/"><', {}, 'https://localhost/v1'],
  ])('is the path before the route: %j at %s', async (prefix, domainName, headers, base) => {
    const handler = createProject(fakeService({ create: () => documentWith(77) }), options);
    const answer = await handler(eventOf('createProject', { prefix, domainName, headers, body }), context);
    expect(answer.headers['Location']).toBe(`${base}/segments/projects/77`);
    const invalid = await handler(eventOf('createProject', { prefix, domainName, headers, body: '{}' }), context);
    expect(readAnswer(invalid).json).toMatchObject({ type: `${base}/problems/invalid-project` });
  });
});

describe('Strict-Transport-Security', () => {
  const remove = deleteProject(fakeService({ delete: async () => receiptWith() }), options);
  it.each([
    ['JSON', health(options), 'health', {}],
    ['a problem', health(options), 'health', { body: '{}' }],
    ['an answer without a body', remove, 'deleteProject', {}],
  ] as const)('is sent with %s over TLS, and never over plain HTTP', async (_, handler, id, event) => {
    const secure = await handler(eventOf(id, event), context);
    const plain = await handler(eventOf(id, { ...event, headers: { 'X-Forwarded-Proto': 'http' } }), context);
    expect(secure.headers['Strict-Transport-Security']).toBe('max-age=31536000');
    expect(plain.headers).not.toHaveProperty('Strict-Transport-Security');
    expect(plain.statusCode).toBe(secure.statusCode);
  });
});

it('passes the checked project, the company and the request id to the service', async () => {
  const calls: unknown[][] = [];
  const create = async (...args: [unknown, Call]) => {
    calls.push(args);
    return documentWith(77);
  };
  const sent = gzipSync(JSON.stringify({ ...project(), description: null }));
  await createProject(fakeService({ create }), options)(eventOf('createProject', { body: sent }), context);
  expect(calls).toEqual([[checked(), expect.objectContaining({ companyId: 'acme', requestId: 'request-1' })]]);
});

describe('the project in a path', () => {
  const seen: ProjectRef[] = [];
  const service = fakeService({
    async get(ref) {
      seen.push(ref);
      return documentWith(5);
    },
  });

  it.each<[string, ProjectRef[]]>([
    ['1', [{ id: 1 }]],
    ['9007199254740991', [{ id: 9_007_199_254_740_991 }]],
    ...['0', '-1', '01', '1.0', '1e3', '0x1', '%31', '+1', '9007199254740992', '9'.repeat(400), 'custom', ''].map(
      (segment): [string, ProjectRef[]] => [segment, []],
    ),
  ])('has the id %j only if it is a plain positive integer', async (segment, refs) => {
    seen.length = 0;
    const { statusCode } = await getProject(service, options)(eventOf('getProject', { segment }), context);
    expect([statusCode, seen]).toEqual([refs.length > 0 ? 200 : 404, refs]);
  });

  it.each<[string, string | undefined]>([
    ['a%2Fb', 'a/b'],
    ['a%252Fb', 'a%2Fb'],
    ['a+b', 'a+b'],
    ['%E4%B8%96', '世'],
    ['5', '5'],
    ['%00', '\u0000'],
    ...['%', '%zz', '%E4', '%ED%A0%80', '%FF'].map((segment): [string, undefined] => [segment, undefined]),
  ])('has the custom id %s, decoded once', async (segment, customId) => {
    seen.length = 0;
    const handler = getProjectByCustomId(service, options);
    const { statusCode } = await handler(eventOf('getProjectByCustomId', { segment }), context);
    expect([statusCode, seen]).toEqual(customId === undefined ? [404, []] : [200, [{ customId }]]);
  });
});
