import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { basicHeader } from '../../../lib/contract/credentials.ts';
import { ROUTES, type Route } from '../../../lib/contract/routes.ts';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { operationIdOf } from '../../../lib/service/port.ts';
import { openDatabase } from '../../../lib/storage/sqlite/database.ts';
import { SqliteStorage } from '../../../lib/storage/sqlite/storage.ts';
import { problemAnswer } from '../../contract/answers.ts';
import { startGateway } from '../../support/gateway.ts';
import { type HttpAnswer, type HttpRequest, send } from '../../support/http.ts';
import { smallProject } from '../../support/projects.ts';
import { forger, trueSigningKey } from './forge.ts';

const Pair = z.object({ AccessToken: z.string(), RefreshToken: z.string() });
const PROJECTS = '/segments/projects';
const TOKEN = '/authentication/token';
const REFRESH = '/authentication/RefreshToken';

// More wrong credentials than one address may send by default.
const gateway = await startGateway({ env: { SEGUE_WRONG_CREDENTIALS: '99999' } });
afterAll(() => gateway.stop());
const ask = (request: HttpRequest): Promise<HttpAnswer> => send(gateway.url, request);

/** A JSON body, and the headers that go with it. */
function json(value: unknown, headers: HttpRequest['headers'] = {}) {
  return { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}

async function signIn(authorization: string) {
  const { text } = await ask({ method: 'POST', path: TOKEN, headers: { Authorization: authorization } });
  return Pair.parse(JSON.parse(text));
}
const refresh = (token: string) => ask({ method: 'POST', path: REFRESH, ...json({ token }) });

/** A key of each kind, in the store of the running gateway. */
const store = new SqliteStorage(openDatabase(gateway.dataDir), Date.now);
afterAll(() => store.close());
const companies = companiesIn(store, Date.now);
const [acme, revoked, other] = [createApiKey(), createApiKey(), createApiKey()];
await companies.add('acme', acme);
await companies.rotate('acme', revoked);
await companies.add('other', other);
const basicOf = (key: typeof acme) => basicHeader({ companyId: 'acme', apiKey: key.apiKey });
const authorization = basicOf(acme);
const [own, late, ended] = [await signIn(authorization), await signIn(basicOf(revoked)), await signIn(authorization)];
await refresh(ended.RefreshToken);
await refresh(ended.RefreshToken);
await companies.revoke(revoked.keyId);
const token = forger(own.AccessToken, trueSigningKey(gateway.dataDir));

const KEY = 'of-the-only-one';
const created = await ask({
  method: 'POST',
  path: PROJECTS,
  ...json(smallProject({ customId: 'the only one' }), { Authorization: authorization, 'Idempotency-Key': KEY }),
});
const { id } = z.object({ id: z.int() }).parse(JSON.parse(created.text));

/** A request to every operation that requires credentials. Each would have an effect. */
const REQUESTS = ROUTES.filter(({ scope }: Route) => scope !== null).map(
  ({ method, path, body }): HttpRequest => ({
    method,
    path: path
      .replace('{id}', `${id}`)
      .replace('{customId}', 'the%20only%20one')
      .replace('{operationId}', operationIdOf(KEY)),
    ...(body === 'project' && json(smallProject())),
  }),
);

const withHeaders = (request: HttpRequest, headers: HttpRequest['headers']): HttpRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

/** The problem and headers of a refusal, without the request's own id. */
function refusalOf({ status, headers, text }: HttpAnswer) {
  const { instance, ...problem } = problemAnswer.parse(JSON.parse(text));
  expect(instance).toBe(headers['x-request-id']);
  return { status, type: headers['content-type'], schemes: headers['www-authenticate'], problem };
}

const nobody = refusalOf(await ask({ method: 'GET', path: PROJECTS }));

it('a request without credentials gets 401 with the schemes', () => {
  expect(nobody).toMatchObject({ status: 401, type: 'application/problem+json', problem: { status: 401 } });
  expect(nobody.schemes).toMatch(/\bBasic\b.*\bBearer\b/);
});

describe.each([
  ['no credentials', {}],
  ['another company’s API key', { Authorization: `Basic ${btoa(`acme:${other.apiKey}`)}` }],
  ['a revoked API key', { Authorization: `Bearer ${revoked.apiKey}` }],
  ['a token with a wrong signature', { Authorization: `Bearer ${own.AccessToken.slice(0, -1)}` }],
  ['a token of another audience', { Authorization: `Bearer ${token.forge({ claims: { aud: 'other' } })}` }],
  ['a token of a revoked key', { Authorization: `Bearer ${late.AccessToken}` }],
  ['a token of an ended family', { Authorization: `Bearer ${ended.AccessToken}` }],
])('%s', (_, headers) => {
  it.each(REQUESTS)('gets 401 from $method $path', async (request) => {
    expect(refusalOf(await ask(withHeaders(request, headers)))).toEqual(nobody);
  });
});

describe('a wrong refresh token', () => {
  it.each([own.AccessToken, late.RefreshToken, ended.RefreshToken, ''])('gets 401: %#', async (text) => {
    expect(refusalOf(await refresh(text))).toMatchObject({ status: 401, problem: { title: nobody.problem.title } });
  });

  it('of 15 KB gets 413, because its body is over the limit', async () => {
    const type = 'application/problem+json';
    expect(refusalOf(await refresh('x'.repeat(15_000)))).toMatchObject({ status: 413, type });
  });
});

it('a token of a megabyte gets 400 before it is read', async () => {
  const headers = { Authorization: `Bearer ${'x'.repeat(1_048_576)}` };
  const answer = refusalOf(await ask({ method: 'GET', path: PROJECTS, headers }));
  expect(answer).toMatchObject({ status: 400, type: 'application/problem+json' });
});

describe('after all refusals', () => {
  it('nothing has changed', async () => {
    const { text } = await ask({ method: 'GET', path: PROJECTS, headers: { Authorization: authorization } });
    const { segments: _, ...head } = JSON.parse(created.text);
    expect(JSON.parse(text)).toEqual([head]);
  });

  it('forged tokens without a fault are accepted', async () => {
    expect(token.forge()).toBe(own.AccessToken);
    for (const text of [token.forge({ claims: { jti: 'another' } }), token.forgeText({})]) {
      const { status } = await ask({ method: 'GET', path: PROJECTS, headers: { Authorization: `Bearer ${text}` } });
      expect(status).toBe(200);
    }
    expect((await refresh(forger(own.RefreshToken, trueSigningKey(gateway.dataDir)).forge())).status).toBe(200);
  });
});
