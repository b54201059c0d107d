import { describe, expect, it } from 'vitest';
import { basicHeader } from '../../../lib/contract/basic-credentials.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { storedKeys } from '../../../lib/credentials/key-directory.ts';
import { writeKey } from '../../../lib/credentials/key-record.ts';
import { httpFunction } from '../../../lib/http/http-function.ts';
import { createProject } from '../../../lib/operations/create-project.ts';
import { deleteProject } from '../../../lib/operations/delete-project.ts';
import { getProject } from '../../../lib/operations/get-project.ts';
import { obtainOAuthToken } from '../../../lib/operations/obtain-oauth-token.ts';
import { obtainToken } from '../../../lib/operations/obtain-token.ts';
import { refreshToken } from '../../../lib/operations/refresh-token.ts';
import { failureFields, jsonLog, type LogLine, logToStandardError, VERSION } from '../../../lib/service/log.ts';
import type { ProjectService } from '../../../lib/service/port.ts';
import { traceFrom } from '../../../lib/service/trace.ts';
import { read } from '../../docs/world.ts';
import { loggedLines } from '../../support/logged-lines.ts';
import { member, segment, target } from '../../support/projects.ts';
import { authenticationWith, companyKey, keyTable } from '../credentials/world.ts';
import { openSqlite } from '../storage/folder.ts';
import { NOW_MS, project } from '../support.ts';
import { contextOf, documentWith, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const context = contextOf();
const { requestId, ...who } = { requestId: 'request-1', companyId: 'acme', keyId: 'key-1' };
/** Returns a log line with the fields that every line has while the clock stands still. */
const line = (fields: Partial<LogLine>) => ({
  requestId,
  traceId: traceFrom(fields.requestId ?? requestId),
  alert: undefined,
  ...who,
  durationMs: 0,
  ...fields,
});

/** Returns a text that must never be in a log. */
const canary = (name: string) => `CANARY ${name}`;
const secrets = project({
  customId: canary('custom id'),
  taskId: canary('task'),
  name: canary('name'),
  description: canary('description'),
  targetLanguages: [
    target({ team: [member({ name: canary('person'), username: 'canary@example.com', phone: canary('phone') })] }),
  ],
  segments: [segment({ content: canary('content'), notes: canary('notes') })],
});
const path = encodeURIComponent(canary('custom id'));

describe('a request', () => {
  it('writes one line: operation, company, sizes and result', async () => {
    const { lines, options } = keptLog();
    const service = fakeService({ create: () => documentWith(5) });
    const body = JSON.stringify(project());
    const handler = createProject(service, options);
    const answer = await handler(eventOf('createProject', { body }), context);
    await handler(eventOf('createProject', { body: '{"id":1,"name":5}', requestId: 'request-2' }), context);
    await handler(eventOf('createProject', { body: '{', requestId: 'request-3', authorizer: null }), context);
    const common = { operation: 'createProject' };
    expect(lines).toStrictEqual([
      line({
        ...common,
        status: 201,
        requestBytes: Buffer.byteLength(body),
        answerBytes: Buffer.byteLength(readAnswer(answer).text),
      }),
      line({
        ...common,
        requestId: 'request-2',
        status: 400,
        problem: 'invalid-project',
        faults: ['wrong-type', 'required', 'service-field'],
        requestBytes: 17,
        answerBytes: expect.any(Number),
      }),
      line({
        ...common,
        requestId: 'request-3',
        companyId: undefined,
        keyId: undefined,
        status: 403,
        problem: 'scope-missing',
        requestBytes: 0,
        answerBytes: expect.any(Number),
      }),
    ]);
  });
});

describe('an unexpected failure', () => {
  const failWith = async (error: unknown) => {
    const { lines, options } = keptLog();
    const service = fakeService({ delete: () => Promise.reject(error) });
    const answer = await httpFunction(deleteProject(service, options))(
      eventOf('deleteProjectByCustomId', { segment: path }),
      context,
    );
    return { answer, lines };
  };

  it('is logged by class, code and place, and the caller learns nothing about it', async () => {
    const error = Object.assign(new RangeError(canary('message')), { code: 'ERR_X' });
    const { answer, lines } = await failWith(error);
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toMatch(/canary|RangeError|ERR_X|\.ts/i);
    expect(lines).toHaveLength(1);
    expect(lines).toMatchObject([
      { status: 500, alert: 'request-failed', problem: 'internal-error', cause: { name: 'RangeError', code: 'ERR_X' } },
    ]);
    const frames = lines[0]?.cause?.frames ?? [];
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) expect(frame).toMatch(/^at /);
  });

  it.each<[string, unknown]>([
    ['in a message', new Error(canary('message'))],
    [
      'in a message that looks like a stack',
      new Error(`failed\n    at ${canary('message')} (x.ts:1:1)\n    at CANARY`),
    ],
    ['in a cause', new Error('failed', { cause: canary('cause') })],
    [
      'in the cause of a problem',
      new Problem('unavailable', { detail: 'Not now.' }, { cause: new Error(canary('cause')) }),
    ],
    ['in what is no error', canary('text')],
    [
      'in fields of an error',
      Object.assign(new Error('failed'), { request: canary('request'), code: { of: canary('code') } }),
    ],
  ])('hides secrets: %s', async (_, error) => {
    const { answer, lines } = await failWith(error);
    expect(JSON.stringify(lines)).not.toMatch(/canary/i);
    expect(answer.body).not.toMatch(/canary/i);
  });
});

describe('content, names, addresses, custom ids, keys and tokens', () => {
  it('are in no line, whatever the result', async () => {
    const { lines, options } = keptLog();
    const good = JSON.stringify(secrets);
    const body = {
      good,
      broken: good.slice(0, -1),
      wrong: good.replace('"name"', '"nmae"'),
      twice: good.replace('{', '{"name":"CANARY",'),
    };
    const failures = [undefined, new Problem('custom-id-in-use', { detail: 'In use.' }), new TypeError(good)];
    for (const failure of failures) {
      const settle = () => (failure ? Promise.reject(failure) : documentWith(5));
      const service: ProjectService = fakeService({ create: settle, get: settle });
      for (const sent of Object.values(body)) {
        const headers = { Authorization: canary('header'), 'X-Canary': canary('header') };
        await createProject(service, options)(eventOf('createProject', { body: sent, headers }), context);
      }
      const query = { taskId: [canary('task')] };
      await httpFunction(getProject(service, options))(
        eventOf('getProjectByCustomId', { segment: path, query }),
        context,
      );
      await httpFunction(getProject(service, options))(
        eventOf('getProjectByCustomId', { segment: path, query: { CANARY: ['CANARY'] } }),
        context,
      );
    }
    expect(lines).toHaveLength(18);
    expect(JSON.stringify(lines)).not.toMatch(/canary/i);
  });

  it('are in no line about a token', async () => {
    const { lines, options } = keptLog();
    const key = companyKey('acme');
    const keys = storedKeys(keyTable([key]).table);
    const handler = obtainToken(authenticationWith(keys), options);
    const password = key.apiKey;
    const events = [
      { body: JSON.stringify({ username: 'acme', password }) },
      { body: JSON.stringify({ username: password, password }) },
      { headers: { Authorization: basicHeader(key) } },
      { headers: { Authorization: basicHeader({ companyId: 'acme', apiKey: 'seg_mistyped' }) } },
    ];
    const tokens: string[] = [];
    for (const event of events) {
      const { body } = await handler(eventOf('obtainToken', { ...event, authorizer: null }), context);
      tokens.push(body);
    }
    expect(lines.map(({ status }) => status)).toEqual([200, 401, 200, 401]);
    const form = `grant_type=client_credentials&client_id=acme&client_secret=${password}&scope=`;
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const scope of ['read', 'seg_canary']) {
      const event = eventOf('obtainOAuthToken', { body: form + scope, headers: type, authorizer: null });
      tokens.push((await obtainOAuthToken(authenticationWith(keys), options)(event, context)).body);
    }
    expect(lines.slice(-2)).toMatchObject([
      { operation: 'obtainOAuthToken', status: 200, companyId: 'acme', keyId: key.keyId, familyId: expect.any(String) },
      { operation: 'obtainOAuthToken', status: 400, problem: 'invalid-scope' },
    ]);
    const text = JSON.stringify(lines);
    for (const secret of [password, 'seg_', basicHeader(key).slice(6), key.record.hash, ...tokens])
      expect(text).not.toContain(secret);
  });
});

describe('a sign-in', () => {
  /** Signs in, and refreshes `times` times with the first token. */
  async function refreshed(times: number) {
    const store = openSqlite(() => NOW_MS);
    const key = companyKey('acme');
    await store.commit({ writes: writeKey(key.keyId, undefined, key.record) });
    const { lines, options } = keptLog();
    const authentication = authenticationWith(storedKeys(store), { store });
    const headers = { Authorization: basicHeader(key) };
    const event = eventOf('obtainToken', { headers, authorizer: null });
    const answer = readAnswer(await obtainToken(authentication, options)(event, context));
    const token = JSON.parse(answer.text).RefreshToken;
    const refresh = eventOf('refreshToken', { body: JSON.stringify({ token }), authorizer: null });
    for (let time = 0; time < times; time++) await refreshToken(authentication, options)(refresh, context);
    expect(JSON.stringify(lines)).not.toContain(token);
    return { lines, keyId: key.keyId };
  }

  it('and each refresh log the company, the key and the family of tokens', async () => {
    const { lines, keyId } = await refreshed(1);
    const familyId = expect.stringMatching(/^[0-9a-f-]{36}$/);
    const whose = { companyId: 'acme', keyId, familyId, status: 200 };
    expect(lines).toMatchObject([
      { operation: 'obtainToken', ...whose },
      { operation: 'refreshToken', ...whose },
    ]);
    expect(lines[0]?.familyId).toBe(lines[1]?.familyId);
  });

  it('logs one line of its own when its refresh token is reused', async () => {
    const { lines, keyId } = await refreshed(3);
    const familyId = lines[0]?.familyId;
    const whose = { companyId: 'acme', keyId, familyId };
    expect(lines.slice(2)).toMatchObject([
      { operation: 'refreshTokenReused', requestId, ...whose },
      { operation: 'refreshToken', ...whose, status: 401, refusal: 'reused-token' },
      { operation: 'refreshToken', ...whose, status: 401, refusal: 'ended-family' },
    ]);
  });

  it('that is refused logs the reason, and a hash of the sender', async () => {
    const { lines, options } = keptLog();
    const handler = obtainToken(authenticationWith(storedKeys(keyTable([]).table)), options);
    const events = ['not-a-key', companyKey('acme').apiKey].map((password) =>
      eventOf('obtainToken', { body: JSON.stringify({ username: 'acme', password }), authorizer: null }),
    );
    for (const event of events) await handler(event, context);
    const senderHash = expect.stringMatching(/^[0-9a-f]{16}$/);
    expect(lines).toMatchObject([
      { status: 401, refusal: 'malformed-key', senderHash, problem: 'unauthenticated' },
      { status: 401, refusal: 'unknown-company', senderHash, problem: 'unauthenticated' },
    ]);
  });
});

describe('standard error', () => {
  it('gets one line of JSON for each request, and a team without a translator is not an error', async () => {
    const base = { operation: 'createProject', requestId: 'r', durationMs: 1, requestBytes: 2, answerBytes: 3 };
    const lines = await loggedLines(() => {
      logToStandardError({ ...base, status: 201 });
      logToStandardError({ ...base, status: 400, problem: 'invalid-project', faults: ['required'] });
      logToStandardError({ ...base, status: 500, problem: 'team-without-translator' });
      logToStandardError({ ...base, status: 500, ...failureFields(null) });
    });
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(['info', 'info', 'info', 'error']);
  });

  it('has the versions on Lambda, and the cold start in the first line of an environment', () => {
    const linesIn = (environment: Parameters<typeof jsonLog>[0]) => {
      const lines: unknown[] = [];
      const log = jsonLog(environment, (text) => lines.push(JSON.parse(text)));
      for (const id of ['one', 'two']) log({ operation: 'health', requestId: id, durationMs: 1 });
      return lines;
    };
    const both = (fields: object) =>
      ['one', 'two'].map((id) => ({ level: 'info', operation: 'health', requestId: id, durationMs: 1, ...fields }));
    const [first, second] = both({ functionVersion: '7', release: VERSION });
    const lambda = { AWS_LAMBDA_FUNCTION_VERSION: '7', AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand' };
    expect(linesIn(lambda)).toEqual([{ ...first, coldStart: true }, second]);
    expect(linesIn({ ...lambda, AWS_LAMBDA_INITIALIZATION_TYPE: 'provisioned-concurrency' })).toEqual([first, second]);
    expect(linesIn({})).toEqual(both({}));
    expect(VERSION).toBe(JSON.parse(read('package.json')).version);
  });

  it('gets the alarm of an alert and its points', async () => {
    const [line = ''] = await loggedLines(() =>
      logToStandardError({ operation: 'deliveries', requestId: 'r', durationMs: 1, alert: 'dead-deliveries' }),
    );
    expect(JSON.parse(line)).toMatchObject({ alert: 'dead-deliveries', alarm: 'TicketAlerts', points: 100 });
  });
});
