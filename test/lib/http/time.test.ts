import { describe, expect, it } from 'vitest';
import { GATEWAY_LIMITS } from '../../../lib/contract/limits.ts';
import type { ProblemType } from '../../../lib/contract/problems.ts';
import { COMMON_PROBLEMS } from '../../../lib/contract/routes.ts';
import type { HttpHandler, OperationOptions } from '../../../lib/http/operation.ts';
import { createProject } from '../../../lib/operations/create-project.ts';
import { deleteProject } from '../../../lib/operations/delete-project.ts';
import { getProject } from '../../../lib/operations/get-project.ts';
import { listProjects } from '../../../lib/operations/list-projects.ts';
import { obtainOAuthToken } from '../../../lib/operations/obtain-oauth-token.ts';
import { obtainToken } from '../../../lib/operations/obtain-token.ts';
import { refreshToken } from '../../../lib/operations/refresh-token.ts';
import type { OperationId } from '../../../lib/operations/routes.ts';
import { type CallContext, operationIdOf } from '../../../lib/service/port.ts';
import { routeOf } from '../../support/routes.ts';
import { authenticationWith } from '../credentials/world.ts';
import { NOW_MS, project } from '../support.ts';
import { contextOf, documentWith, type EventOptions, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const body = JSON.stringify(project());
const never = () => new Promise<never>(() => {});
const stuck = fakeService({ create: never, validate: never, get: never, list: never, delete: never });
const stuckKeys = () =>
  authenticationWith({
    verifyApiKey: never,
    verifyApiKeyAlone: never,
    findActiveKey: never,
    guardKey: never,
    guardCompany: never,
  });
const stuckSecret = () => authenticationWith(stuckKeys().keys, { signingKeys: never });

type Row = [OperationId, (options: OperationOptions) => HttpHandler, EventOptions, ProblemType, number];
const signIn = { body: '{"username":"acme","password":"key"}', authorizer: null };
const refresh = { body: '{"token":"any"}', authorizer: null };
const operations: readonly Row[] = [
  ['createProject', (options) => createProject(stuck, options), { body }, 'outcome-unknown', 504],
  ['deleteProject', (options) => deleteProject(stuck, options)[0], {}, 'outcome-unknown', 504],
  ['getProject', (options) => getProject(stuck, options)[0], {}, 'unavailable', 503],
  ['listProjects', (options) => listProjects(stuck, options), {}, 'unavailable', 503],
  ['obtainToken', (options) => obtainToken(stuckKeys(), options), signIn, 'unavailable', 503],
  ['refreshToken', (options) => refreshToken(stuckSecret(), options), refresh, 'outcome-unknown', 504],
];

it('answers a token request with an error of OAuth before its time is over', async () => {
  const { lines, options } = keptLog();
  const event = eventOf('obtainOAuthToken', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials&client_id=acme&client_secret=key',
    authorizer: null,
  });
  const answer = readAnswer(await obtainOAuthToken(stuckKeys(), options)(event, contextOf(200)));
  expect(answer).toMatchObject({
    status: 503,
    headers: { 'Content-Type': 'application/json', 'Retry-After': '5', 'Cache-Control': 'no-store' },
    json: {
      error: 'temporarily_unavailable',
      error_description: 'Segue ran out of time. Nothing was done.',
      error_uri: 'https://api.example.com/v1/problems/unavailable',
    },
  });
  expect(lines).toMatchObject([{ operation: 'obtainOAuthToken', status: 503, problem: 'unavailable' }]);
});

describe('a function whose time is nearly over', () => {
  it.each(operations)('answers before its time is over: %s', async (id, make, event, problem, status) => {
    const { lines, options } = keptLog();
    const answer = readAnswer(await make(options)(eventOf(id, event), contextOf(200)));
    expect(answer).toMatchObject({ status, json: { type: `https://api.example.com/v1/problems/${problem}` } });
    expect(lines).toMatchObject([{ operation: id, status, problem }]);
    expect([...COMMON_PROBLEMS, ...routeOf(id).problems]).toContain(problem);
  });

  it.each(operations)(
    'answers before the time of API Gateway is over, after a cold start: %s',
    async (id, make, event, problem, status) => {
      const { lines, options } = keptLog();
      // The start took 20 seconds, and reading the request takes the rest. Lambda would still wait for half a minute.
      const times = [NOW_MS + 20_000];
      const now = () => times.shift() ?? NOW_MS + GATEWAY_LIMITS.timeoutMs - 100;
      const answer = readAnswer(await make({ ...options, now })(eventOf(id, event), contextOf(30_000)));
      expect(answer).toMatchObject({ status, json: { type: `https://api.example.com/v1/problems/${problem}` } });
      expect(lines).toMatchObject([{ operation: id, status, problem }]);
    },
  );

  it.each(operations.slice(0, 2))('names the operation of a request with a key: %s', async (id, make, event) => {
    const headers = { 'Idempotency-Key': 'order-4711' };
    const operationId = operationIdOf('order-4711');
    const answer = readAnswer(await make(keptLog().options)(eventOf(id, { ...event, headers }), contextOf(200)));
    expect(answer).toMatchObject({
      status: 504,
      headers: { Location: `https://api.example.com/v1/operations/${operationId}` },
      json: { operationId },
    });
  });
});

describe('the deadline of a call', () => {
  it.each([
    ['the gateway’s, where that is earlier', 0, 60_000, GATEWAY_LIMITS.timeoutMs - 500],
    ['the gateway’s, less the time that a cold start took', 8_000, 29_000, 20_500],
    ['the gateway’s, less the longest start', 20_000, 29_000, 8_500],
    ['the gateway’s, however long the upload took', 20_001, 60_000, GATEWAY_LIMITS.timeoutMs - 500],
    ['the gateway’s, if the clocks differ by hours', 7_200_000, 60_000, GATEWAY_LIMITS.timeoutMs - 500],
    ['the gateway’s, if its clock is ahead', -5_000, 60_000, GATEWAY_LIMITS.timeoutMs - 500],
    ['the function’s, if a cold start leaves more than that', 8_000, 10_000, 9_500],
    ['the function’s, where that is earlier', 0, 10_000, 9_500],
    ['over, never negative', 0, 400, 0],
  ])('is %s', async (_, passedMs, remainingMs, leftMs) => {
    const calls: CallContext[] = [];
    const service = fakeService({
      async get(_ref, _taskId, call) {
        calls.push(call);
        return documentWith(5);
      },
    });
    const options = { ...keptLog().options, now: () => NOW_MS + passedMs };
    await getProject(service, options)[0](eventOf('getProject'), contextOf(remainingMs));
    expect(calls.map(({ deadline }) => deadline.remainingMs())).toEqual([leftMs]);
  });
});

describe('two requests at the same time', () => {
  it('do not affect each other', async () => {
    const { lines, options } = keptLog();
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const calls: CallContext[] = [];
    const service = fakeService({
      async create(request, call) {
        await gates[calls.push(call) - 1]?.promise;
        return { ...(await documentWith(request.name === 'One' ? 1 : 2)), id: request.name === 'One' ? 1 : 2 };
      },
    });
    const handler: HttpHandler = createProject(service, options);
    const send = (name: string, prefix: string) =>
      handler(
        eventOf('createProject', {
          body: JSON.stringify(project({ name })),
          prefix,
          requestId: name,
          authorizer: { companyId: `company-${name}`, keyId: `key-${name}`, scopes: 'create' },
        }),
        contextOf(),
      );
    const one = send('One', '/v1');
    const two = send('Two', '/v2');
    gates[1]?.resolve();
    expect((await two).headers).toMatchObject({
      Location: 'https://api.example.com/v2/segments/projects/2',
      'X-Request-Id': 'Two',
    });
    gates[0]?.resolve();
    expect((await one).headers).toMatchObject({
      Location: 'https://api.example.com/v1/segments/projects/1',
      'X-Request-Id': 'One',
    });
    expect(calls.map(({ companyId }) => companyId)).toEqual(['company-One', 'company-Two']);
    expect(lines.map(({ requestId, companyId, keyId }) => [requestId, companyId, keyId])).toEqual([
      ['Two', 'company-Two', 'key-Two'],
      ['One', 'company-One', 'key-One'],
    ]);
  });
});
