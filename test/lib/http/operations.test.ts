import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import type { Receipt } from '../../../lib/contract/receipt.ts';
import { createProject } from '../../../lib/http/operations/create-project.ts';
import { deleteProject, deleteProjectByCustomId } from '../../../lib/http/operations/delete-project.ts';
import { getProject, getProjectByCustomId } from '../../../lib/http/operations/get-project.ts';
import { health } from '../../../lib/http/operations/health.ts';
import { listLanguages } from '../../../lib/http/operations/list-languages.ts';
import { listProjects } from '../../../lib/http/operations/list-projects.ts';
import type { Call, DeletionScope, ProjectRef } from '../../../lib/service/port.ts';
import { member, target } from '../../support/projects.ts';
import { project } from '../support.ts';
import { contextOf, documentWith, type EventOptions, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const { options } = keptLog();
const context = contextOf();
const body = JSON.stringify(project());
const receipt: Receipt = {
  scope: 'project',
  projectId: 5,
  customId: null,
  taskId: null,
  outcome: 'deleted',
  deletedAtUtc: '2026-11-20T09:30:00.000Z',
  removed: { targetLanguages: 1, segments: 2, tasks: 0 },
  requestedBy: { kind: 'key', id: 'key-1' },
};

describe('Location', () => {
  it.each([
    ['/v1', 'api.example.com', {}, 'https://api.example.com/v1'],
    ['', 'projects.example.com', {}, 'https://projects.example.com'],
    ['/a/b', 'projects.example.com', {}, 'https://projects.example.com/a/b'],
    ['/segments/projects', 'x.example.com', {}, 'https://x.example.com/segments/projects'],
    ['', '127.0.0.1:8787', { 'X-Forwarded-Proto': 'http' }, 'http://127.0.0.1:8787'],
    ['', '[::1]:8787', { 'x-forwarded-proto': 'javascript' }, 'https://[::1]:8787'],
    ['/v1', undefined, {}, 'https://localhost/v1'],
    ['/v1', 'evil.example.com/"><', {}, 'https://localhost/v1'],
  ])('begins with what stands before the route: %j at %s', async (prefix, domainName, headers, base) => {
    const handler = createProject(fakeService({ create: () => documentWith(77) }), options);
    const answer = await handler(eventOf('createProject', { prefix, domainName, headers, body }), context);
    expect(answer.statusCode).toBe(201);
    expect(answer.headers['Location']).toBe(`${base}/segments/projects/77`);
  });

  it('and the pages of problems have the same base', async () => {
    const handler = createProject(fakeService(), options);
    const answer = readAnswer(await handler(eventOf('createProject', { prefix: '/a/b', body: '{}' }), context));
    expect(answer.json).toMatchObject({
      type: 'https://api.example.com/a/b/problems/invalid-project',
      instance: 'request-1',
    });
  });
});

describe('Strict-Transport-Security', () => {
  const remove = deleteProject(fakeService({ delete: async () => receipt }), options);
  const cases = [
    ['JSON', health(options), eventOf('health'), eventOf('health', { headers: { 'X-Forwarded-Proto': 'http' } })],
    [
      'a problem',
      health(options),
      eventOf('health', { body: '{}' }),
      eventOf('health', { body: '{}', headers: { 'X-Forwarded-Proto': 'http' } }),
    ],
    [
      'an answer without a body',
      remove,
      eventOf('deleteProject'),
      eventOf('deleteProject', { headers: { 'X-Forwarded-Proto': 'http' } }),
    ],
  ] as const;
  it.each(cases)('is sent over TLS with %s, and never over plain HTTP', async (_, handler, secure, plain) => {
    const [over, without] = [await handler(secure, context), await handler(plain, context)];
    expect(over.headers['Strict-Transport-Security']).toBe('max-age=31536000');
    expect(without.headers).not.toHaveProperty('Strict-Transport-Security');
    expect(without.statusCode).toBe(over.statusCode);
  });
});

describe('creating', () => {
  it('passes on the checked value, the company and the request id', async () => {
    const calls: unknown[][] = [];
    const create = async (...args: [unknown, Call]) => {
      calls.push(args);
      return documentWith(77);
    };
    const handler = createProject(fakeService({ create }), options);
    const sent = JSON.stringify({ ...project(), description: null });
    const answer = readAnswer(await handler(eventOf('createProject', { body: gzipSync(sent) }), context));
    expect(calls).toHaveLength(1);
    expect(JSON.parse(JSON.stringify(calls[0]?.[0]))).toEqual(JSON.parse(body));
    expect(calls[0]?.[1]).toMatchObject({ companyId: 'acme', requestId: 'request-1' });
    expect(answer.json).toMatchObject({ id: 77, name: 'A small project' });
    expect(answer.headers).toMatchObject({ 'Content-Type': 'application/json', 'X-Request-Id': 'request-1' });
  });

  it('with validateOnly asks the service whether it could, and tells the counts', async () => {
    const handler = createProject(fakeService({ validate: async () => {} }), options);
    const sent = JSON.stringify(project({ segments: [{ content: 'ä😀' }, { content: 'abc' }] }));
    const answer = readAnswer(
      await handler(eventOf('createProject', { body: sent, query: { validateOnly: ['true'] } }), context),
    );
    expect(answer).toMatchObject({
      status: 200,
      json: { valid: true, segments: 2, targetLanguages: 1, characters: 5 },
    });
  });

  it('answers a team without a translator with 500, and asks the service nothing', async () => {
    const team = [member({ isTranslator: false, isProofreader: true })];
    const sent = JSON.stringify(project({ targetLanguages: [target({ team })] }));
    for (const query of [{}, { validateOnly: ['true'] }]) {
      const answer = readAnswer(
        await createProject(fakeService(), options)(eventOf('createProject', { body: sent, query }), context),
      );
      expect(answer).toMatchObject({ status: 500, json: { retryable: false, outcome: 'not-applied' } });
    }
  });
});

describe('the name of a project in a path', () => {
  const seen: ProjectRef[] = [];
  const service = fakeService({
    async get(ref) {
      seen.push(ref);
      return documentWith(5);
    },
  });
  const byId = getProject(service, options);
  const byCustomId = getProjectByCustomId(service, options);

  it.each<[string, ProjectRef]>([
    ['1', { id: 1 }],
    ['9007199254740991', { id: 9_007_199_254_740_991 }],
  ])('%s is an id', async (segment, ref) => {
    expect((await byId(eventOf('getProject', { segment }), context)).statusCode).toBe(200);
    expect(seen.at(-1)).toEqual(ref);
  });

  it.each(['0', '-1', '01', '1.0', '1e3', '0x1', '%31', '+1', ' 1', '9007199254740992', '9'.repeat(400), 'custom', ''])(
    '%j is no id',
    async (segment) => {
      const count = seen.length;
      expect((await byId(eventOf('getProject', { segment }), context)).statusCode).toBe(404);
      expect(seen).toHaveLength(count);
    },
  );

  it.each([
    ['a', 'a'],
    ['a%2Fb', 'a/b'],
    ['a%252Fb', 'a%2Fb'],
    ['a%25252Fb', 'a%252Fb'],
    ['a+b', 'a+b'],
    ['a%20b', 'a b'],
    ['%E4%B8%96', '世'],
    ['5', '5'],
    ['%00', '\u0000'],
  ])('%s is the custom id %j, decoded once', async (segment, customId) => {
    expect((await byCustomId(eventOf('getProjectByCustomId', { segment }), context)).statusCode).toBe(200);
    expect(seen.at(-1)).toEqual({ customId });
  });

  it.each(['%', '%zz', '%E4', '%ED%A0%80', '%FF'])('%s is no custom id', async (segment) => {
    const answer = readAnswer(await byCustomId(eventOf('getProjectByCustomId', { segment }), context));
    expect(answer).toMatchObject({ status: 404, json: { title: 'Project not found' } });
  });
});

describe('deleting', () => {
  const asked: [ProjectRef, DeletionScope][] = [];
  const service = fakeService({
    async delete(ref, scope) {
      asked.push([ref, scope]);
      return receipt;
    },
  });
  const handler = deleteProject(service, options);

  it('asks for the whole project, or for the task that the query names', async () => {
    expect(await handler(eventOf('deleteProject'), context)).toMatchObject({ statusCode: 204, body: '' });
    expect(asked.at(-1)).toEqual([{ id: 5 }, { kind: 'project' }]);
    await deleteProjectByCustomId(service, options)(
      eventOf('deleteProjectByCustomId', { query: { taskId: ['a/ b'] } }),
      context,
    );
    expect(asked.at(-1)).toEqual([{ customId: '5' }, { kind: 'task', taskId: 'a/ b' }]);
  });

  it.each([
    [{ taskId: [''] }],
    [{ taskId: [] }],
    [{ taskId: ['a', 'b'] }],
    [{ taskId: ['\u200b'] }],
    [{ taskid: ['a'] }],
    [{ task_id: ['a'] }],
    [{ taskId: ['a'], force: ['true'] }],
  ])('asks for nothing with the query %j', async (query) => {
    const count = asked.length;
    expect((await handler(eventOf('deleteProject', { query }), context)).statusCode).toBe(400);
    expect(asked).toHaveLength(count);
  });

  it('asks for nothing with a body', async () => {
    const count = asked.length;
    const answer = readAnswer(await handler(eventOf('deleteProject', { body: '{}' }), context));
    expect(answer.json).toMatchObject({ status: 400, title: 'This operation accepts no body' });
    expect(asked).toHaveLength(count);
  });

  it('gives the receipt to whom prefers it', async () => {
    const headers = { Prefer: 'respond-async, return=representation; foo' };
    const answer = readAnswer(await handler(eventOf('deleteProject', { headers }), context));
    expect(answer).toMatchObject({
      status: 200,
      json: receipt,
      headers: { 'Preference-Applied': 'return=representation' },
    });
  });
});

describe('listing', () => {
  it('links to the next page, with the limit that was asked for', async () => {
    const asked: unknown[] = [];
    const service = fakeService({
      async list(page) {
        asked.push(page);
        return { projects: [], next: 36 };
      },
    });
    const handler = listProjects(service, options);
    const first = await handler(eventOf('listProjects', { query: { limit: ['50'] } }), context);
    expect(first.headers['Link']).toBe(
      '<https://api.example.com/v1/segments/projects?limit=50&cursor=c10>; rel="next"',
    );
    await handler(eventOf('listProjects', { query: { limit: ['7'], cursor: ['c10'] } }), context);
    expect(asked).toEqual([
      { limit: 50, after: undefined },
      { limit: 7, after: 36 },
    ]);
  });

  it('links to nothing on the last page', async () => {
    const handler = listProjects(fakeService({ list: async () => ({ projects: [] }) }), options);
    const answer = await handler(eventOf('listProjects'), context);
    expect(readAnswer(answer)).toMatchObject({ status: 200, json: [] });
    expect(answer.headers).not.toHaveProperty('Link');
  });
});

describe('what needs no service', () => {
  it('answers the languages, gzip-encoded where that is accepted, and its health', async () => {
    const languages = listLanguages(options);
    const plain = await languages(eventOf('listLanguages'), context);
    const packed = await languages(eventOf('listLanguages', { headers: { 'accept-encoding': 'br, gzip' } }), context);
    expect(packed.headers['Content-Encoding']).toBe('gzip');
    expect(packed.body.length).toBeLessThan(plain.body.length / 3);
    expect(readAnswer(packed).text).toBe(readAnswer(plain).text);
    const answer = readAnswer(await health(options)(eventOf('health', { authorizer: null }), context));
    expect(answer).toMatchObject({ status: 200, json: { status: 'ok' } });
  });
});

describe('the order of checks', () => {
  it('is scope, Accept, query, type, size, JSON, project, service', async () => {
    const service = fakeService({
      create: () => Promise.reject(new Problem('custom-id-in-use', { detail: 'In use.' })),
    });
    const wrong = {
      authorizer: { companyId: 'acme', keyId: 'key-1', scopes: 'read' },
      headers: { Accept: 'text/html', 'Content-Type': 'text/plain' },
      query: { taskId: ['a'] },
      body: ' '.repeat(4_194_305),
    };
    const repairs: EventOptions[] = [
      {},
      { authorizer: { companyId: 'acme', keyId: 'key-1', scopes: 'create' } },
      { headers: { 'Content-Type': 'text/plain' } },
      { query: {} },
      { headers: {} },
      { body: '{' },
      { body: '{}' },
      { body },
    ];
    let event: EventOptions = wrong;
    const statuses: number[] = [];
    for (const repair of repairs) {
      event = { ...event, ...repair };
      statuses.push((await createProject(service, options)(eventOf('createProject', event), context)).statusCode);
    }
    expect(statuses).toEqual([403, 406, 400, 415, 413, 400, 400, 409]);
  });
});
