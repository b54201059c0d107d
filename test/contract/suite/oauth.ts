import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { smallProject } from '../../support/projects.ts';
import { oauthTokenAnswer } from '../answers.ts';
import { type Answer, type Api, byId, PROJECTS } from '../api.ts';
import { expectOAuthError, problemOf } from '../problems.ts';

const FORM = 'application/x-www-form-urlencoded';
const GRANT = 'grant_type=client_credentials';

/** Tests `POST /oauth/token` of `decisions.md`, under "Lists, plans and other routes". */
export function oauth(api: Api): void {
  const { authorization, companyId, apiKey } = api.target;
  const secret = `client_id=${companyId}&client_secret=${apiKey}`;
  const basic = (id: string, key: string) => `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`;
  const request = (body: string | Uint8Array, headers: Record<string, string | readonly string[] | null> = {}) =>
    api.send('POST', '/oauth/token', { body, headers: { authorization: null, 'content-type': FORM, ...headers } });
  const tokenIn = (answer: Answer) => {
    expect(answer.status, answer.text).toBe(200);
    return oauthTokenAnswer.parse(JSON.parse(answer.text));
  };
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  describe('Operations: OAuth 2.0', () => {
    afterAll(() => api.cleanUp());

    test('returns a Bearer token for credentials in the form, and no refresh token', async () => {
      const answer = await request(`${GRANT}&${secret}`);
      const { access_token: token, expires_in: lifetime, scope } = tokenIn(answer);
      expect(lifetime).toBe(1_800);
      expect(scope.split(' ')).toEqual(expect.arrayContaining(['create', 'read', 'delete']));
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
      const { id } = await api.create(smallProject(), bearer(token));
      await api.read(byId(id), bearer(token));
      expect((await api.delete(byId(id), bearer(token))).status).toBe(204);
    });

    const inHeader = {
      'as they are': authorization,
      'with the scheme in lower case': authorization.replace('Basic', 'basic'),
      'percent-encoded': basic(encoded(companyId), encoded(apiKey)),
    };
    for (const [title, header] of Object.entries(inHeader)) {
      test(`returns the same for Basic credentials: ${title}`, async () => {
        const { access_token: token } = tokenIn(await request(GRANT, { authorization: header }));
        expect((await api.get(PROJECTS, bearer(token))).status).toBe(200);
      });
    }

    const forms = {
      'a client id that is also in the header': `${GRANT}&client_id=${companyId}`,
      'unknown fields, some twice': `resource=a&${GRANT}&resource=b&audience=c&__proto__=d&?=e`,
      'fields without a value': `${GRANT}&scope=&client_id=&client_secret`,
    };
    for (const [title, form] of Object.entries(forms)) {
      test(`accepts ${title}`, async () => {
        tokenIn(await request(form, { authorization }));
      });
    }

    test('accepts a charset, and gzip', async () => {
      tokenIn(await request(`${GRANT}&${secret}`, { 'content-type': `${FORM}; charset=UTF-8` }));
      tokenIn(await request(gzipSync(`${GRANT}&${secret}`), { 'content-encoding': 'gzip' }));
    });

    test('limits the token to the requested scopes', async () => {
      const { access_token: token, scope } = tokenIn(await request(`${GRANT}&scope=read`, { authorization }));
      expect(scope).toBe('read');
      expect((await api.get(PROJECTS, bearer(token))).status).toBe(200);
      const { type, status } = problemOf(await api.post(smallProject(), '', bearer(token)));
      expect([type, status]).toEqual([`${api.target.url}/problems/scope-missing`, 403]);
      const several = await request(`${GRANT}&scope=delete+read%20create+read`, { authorization });
      expect(tokenIn(several).scope.split(' ').sort()).toEqual(['create', 'delete', 'read']);
    });

    test('ignores an Idempotency-Key', async () => {
      const answers = await Promise.all(
        ['key', 'key', 'not\tvalid'].map((key) => request(GRANT, { authorization, 'idempotency-key': key })),
      );
      expect(new Set(answers.map((answer) => tokenIn(answer).access_token)).size).toBe(3);
    });

    const invalid = {
      nothing: '',
      'no grant type': secret,
      'a grant type without a value': `grant_type=&${secret}`,
      'the grant type twice': `${GRANT}&${GRANT}&${secret}`,
      'the client secret twice': `${GRANT}&${secret}&client_secret=${apiKey}`,
      'invalid percent-encoding': `${GRANT}&${secret}&x=%`,
      'bytes that are not UTF-8': `${GRANT}&${secret}&x=%ff`,
      'a broken gzip': gzipSync(`${GRANT}&${secret}`).subarray(0, 20),
    };
    for (const [title, form] of Object.entries(invalid)) {
      test(`is invalid_request for ${title}`, async () => {
        expectOAuthError(await request(form), 'invalid_request', 'invalid-token-request');
      });
    }

    for (const form of [secret, `client_secret=${apiKey}`, 'client_id=another']) {
      test(`is invalid_request for credentials both in the header and in the form: ${form.split('=')[0]}`, async () => {
        const answer = await request(`${GRANT}&${form}`, { authorization });
        expectOAuthError(answer, 'invalid_request', 'invalid-token-request');
      });
    }

    test('is unsupported_grant_type for every other grant, before the credentials are looked at', async () => {
      for (const grant of ['password', 'refresh_token', 'authorization_code', 'Client_Credentials', ' ']) {
        const answer = await request(`grant_type=${grant}&client_id=none`);
        expectOAuthError(answer, 'unsupported_grant_type', 'unsupported-grant-type');
      }
    });

    const wrong = {
      'no credentials': [GRANT, {}],
      'a client id alone': [`${GRANT}&client_id=${companyId}`, {}],
      'a wrong key in the form': [`${GRANT}&${secret}x`, {}],
      'a wrong key in the header': [GRANT, { authorization: basic(companyId, `${apiKey}x`) }],
      'another company': [GRANT, { authorization: basic(`${companyId}x`, apiKey) }],
      'broken percent-encoding': [GRANT, { authorization: basic(companyId, `${apiKey}%`) }],
      'an API key as a Bearer token': [GRANT, { authorization: `Bearer ${apiKey}` }],
      'two Basic headers': [GRANT, { authorization: [authorization, authorization] }],
    } as const;
    for (const [title, [form, headers]] of Object.entries(wrong)) {
      test(`is invalid_client with WWW-Authenticate for ${title}`, async () => {
        const answer = await request(form, headers);
        const description = expectOAuthError(answer, 'invalid_client', 'unauthenticated');
        expect(description).toContain('client_id and client_secret');
        // API Gateway renames the header of an answer that it did not make itself.
        const challenge = answer.headers['www-authenticate'] ?? answer.headers['x-amzn-remapped-www-authenticate'];
        expect(challenge).toMatch(/\bBasic\b/);
      });
    }

    for (const scope of ['admin', 'read admin', 'Read', 'read,create', ' read', 'read  create', 'read\tcreate']) {
      test(`is invalid_scope for a scope that the key lacks, or another separator: ${JSON.stringify(scope)}`, async () => {
        const form = `${GRANT}&scope=${encodeURIComponent(scope)}`;
        const description = expectOAuthError(await request(form, { authorization }), 'invalid_scope', 'invalid-scope');
        expect(description).toMatch(/\bread\b/);
        expect(description).not.toContain('admin');
      });
    }

    test('another media type is invalid_request with status 415', async () => {
      for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
        const answer = await request(`${GRANT}&${secret}`, { 'content-type': type });
        expectOAuthError(answer, 'invalid_request', 'unsupported-media-type');
      }
    });

    test('an error repeats nothing of the request', async () => {
      const answers = [
        await request(`grant_type=${apiKey}&${secret}`),
        await request(`${GRANT}&${secret}&scope=${apiKey}`),
        await request(`${GRANT}&client_id=${apiKey}&client_secret=${apiKey}x`),
      ];
      for (const { status, text } of answers) {
        expect(status).toBeGreaterThanOrEqual(400);
        expect(text).not.toContain(apiKey);
      }
    });
  });
}

/** Encodes every character, as some OAuth clients do with characters that need no encoding. */
function encoded(text: string): string {
  return Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');
}
