import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ROUTES, type Route } from '../../../lib/contract/routes.ts';
import { operationIdOf } from '../../../lib/service/operation-id.ts';
import { problemAnswer } from '../../contract/answers.ts';
import { startGateway } from '../../support/gateway.ts';
import { type HttpAnswer, type HttpRequest, send } from '../../support/http.ts';
import { smallProject } from '../../support/projects.ts';
import { addCompany, printedKey, segueHere } from '../../support/segue.ts';
import { forger, trueSigningKey } from './forge.ts';
import { wrongBasic } from './wrong-basic.ts';
import { wrongTokens } from './wrong-tokens.ts';

const Pair = z.object({ AccessToken: z.string(), RefreshToken: z.string() });
const PROJECTS = '/segments/projects';
const TOKEN = '/authentication/token';
const REFRESH = '/authentication/RefreshToken';

// Far more wrong credentials than an address may send.
const gateway = await startGateway({ env: { SEGUE_WRONG_CREDENTIALS: '99999' } });
afterAll(() => gateway.stop());
const segueOf = (...args: readonly string[]) => segueHere(gateway.dataDir, ...args);

/** Two keys of one company, one of another, and one that is revoked; what each obtained. */
const acme = await addCompany(gateway.dataDir, 'acme');
const revoked = printedKey('acme', await segueOf('company', 'rotate', 'acme'));
const other = await addCompany(gateway.dataDir, 'other');
const obtain = async ({ authorization }: { readonly authorization: string }) =>
  Pair.parse(JSON.parse((await ask({ method: 'POST', path: TOKEN, headers: { Authorization: authorization } })).text));
const refresh = (token: string) => ask({ method: 'POST', path: REFRESH, ...json({ token }) });
const [own, foreign, late, ended] = [
  await obtain(acme),
  await obtain(other),
  await obtain(revoked),
  await obtain(acme),
];
await refresh(ended.RefreshToken);
await refresh(ended.RefreshToken);
await segueOf('company', 'revoke', revoked.keyId);
const second = printedKey('acme', await segueOf('company', 'rotate', 'acme'));

const PROJECT = smallProject({ customId: 'the only one' });
const KEY = 'of-the-only-one';
const created = await ask({
  method: 'POST',
  path: PROJECTS,
  ...json(PROJECT, { Authorization: acme.authorization, 'Idempotency-Key': KEY }),
});
const { id } = z.object({ id: z.int() }).parse(JSON.parse(created.text));

function ask(request: HttpRequest): Promise<HttpAnswer> {
  return send(gateway.url, request);
}

/** A JSON body, and the headers that go with it. */
function json(value: unknown, headers: HttpRequest['headers'] = {}) {
  return { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(value) };
}

/** A request to every operation that asks for credentials. Each would do something. */
const REQUESTS: readonly HttpRequest[] = ROUTES.filter(({ scope }: Route) => scope !== null).map(
  ({ method, path, body }) => ({
    method,
    path: path
      .replace('{id}', `${id}`)
      .replace('{customId}', 'the%20only%20one')
      .replace('{operationId}', operationIdOf(KEY)),
    ...(body === 'project' && json(smallProject())),
  }),
);

/** The same, with more headers. */
const withHeaders = (request: HttpRequest, headers: HttpRequest['headers']): HttpRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

/** What a refusal says, but for the request's own id. */
function refusalOf({ status, headers, text }: HttpAnswer) {
  const { instance, ...problem } = problemAnswer.parse(JSON.parse(text));
  expect(instance).toBe(headers['x-request-id']);
  return { status, type: headers['content-type'], schemes: headers['www-authenticate'], problem };
}

const nobody = refusalOf(await ask({ method: 'GET', path: PROJECTS }));

/** Expects that headers prove nobody to any operation, in the words for no credentials at all. */
async function expectRefused(headers: HttpRequest['headers']): Promise<void> {
  const answers = await Promise.all(REQUESTS.map((request) => ask(withHeaders(request, headers))));
  for (const answer of answers) expect(refusalOf(answer)).toEqual(nobody);
}

const common = { signingKey: trueSigningKey(gateway.dataDir), now: Math.floor(Date.now() / 1_000) };

it('a request without credentials is told the schemes', () => {
  expect(nobody).toMatchObject({ status: 401, type: 'application/problem+json', problem: { status: 401 } });
  expect(nobody.schemes).toMatch(/\bBasic\b.*\bBearer\b/);
  expect(REQUESTS).toHaveLength(8);
});

const basic = Object.entries(wrongBasic({ acme, second, other, revoked }));

describe.each(basic)('Basic credentials: %s', (_, headers) => {
  it('are 401 to every operation, and get no token', async () => {
    await expectRefused(headers);
    const answer = await ask({ method: 'POST', path: TOKEN, headers });
    expect(refusalOf(answer)).toMatchObject({ status: 401, problem: { title: nobody.problem.title } });
  });
});

const access = wrongTokens({
  ...common,
  good: own.AccessToken,
  otherKind: own.RefreshToken,
  otherCompany: foreign.AccessToken,
  revoked: late.AccessToken,
  ended: ended.AccessToken,
});

describe.each(Object.entries(access))('an access token: %s', (_, token) => {
  it('is 401 to every operation', () => expectRefused({ Authorization: `Bearer ${token}` }));
});

const { apiKey } = acme;
const keysAlone = {
  'a revoked key': revoked.apiKey,
  'the id of another key with the own secret': apiKey.replace(acme.keyId, second.keyId),
  'the key cut short': apiKey.slice(0, -1),
  'the key in upper case': apiKey.toUpperCase(),
  'the id of a key': acme.keyId,
  'the key and its hash': `${apiKey}.${apiKey}`,
  'the key with padding': `${apiKey}==`,
  'the key in base64': Buffer.from(apiKey).toString('base64'),
  'the key after its company': `${acme.companyId}:${apiKey}`,
};

describe.each(Object.entries(keysAlone))('an API key by itself: %s', (_, token) => {
  it('is 401 to every operation', () => expectRefused({ Authorization: `Bearer ${token}` }));
});

const refreshing = wrongTokens({
  ...common,
  good: own.RefreshToken,
  otherKind: own.AccessToken,
  otherCompany: foreign.RefreshToken,
  revoked: late.RefreshToken,
  ended: ended.RefreshToken,
});

const { '15 KB': tooLarge = '', ...withinLimit } = refreshing;

describe.each(Object.entries(withinLimit))('a refresh token: %s', (_, token) => {
  it('is 401, and gets nothing', async () => {
    expect(refusalOf(await refresh(token))).toMatchObject({ status: 401, problem: { title: nobody.problem.title } });
  });
});

it('a refresh token of 15 KB is 413, because its body is over the limit', async () => {
  expect(refusalOf(await refresh(tooLarge))).toMatchObject({ status: 413, type: 'application/problem+json' });
});

it('a token of a megabyte is refused before anybody reads it', async () => {
  const answer = await ask({
    method: 'GET',
    path: PROJECTS,
    headers: { Authorization: `Bearer ${'x'.repeat(1_048_576)}` },
  });
  expect(refusalOf(answer)).toMatchObject({ status: 400, type: 'application/problem+json' });
});

describe('when all of them have been refused', () => {
  it('there are at least 40 kinds of each, and nothing has changed', async () => {
    for (const tried of [basic, Object.keys(access), Object.keys(withinLimit)]) {
      expect(tried.length).toBeGreaterThanOrEqual(40);
    }
    const { text } = await ask({ method: 'GET', path: PROJECTS, headers: { Authorization: acme.authorization } });
    const { segments: _, ...head } = JSON.parse(created.text);
    expect(JSON.parse(text)).toEqual([head]);
  });

  it('the forger’s token is good where nothing is changed', async () => {
    const { forge, forgeText } = forger(own.AccessToken, trueSigningKey(gateway.dataDir));
    expect(forge()).toBe(own.AccessToken);
    for (const token of [forge({ claims: { jti: 'another' } }), forgeText({})]) {
      for (const request of REQUESTS.filter(({ method }) => method === 'GET')) {
        const { status } = await ask(withHeaders(request, { Authorization: `Bearer ${token}` }));
        expect(status).toBe(200);
      }
    }
    const { status } = await refresh(forger(own.RefreshToken, trueSigningKey(gateway.dataDir)).forge());
    expect(status).toBe(200);
  });
});
