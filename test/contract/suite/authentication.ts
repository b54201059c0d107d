import { afterAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { smallProject } from '../../support/projects.ts';
import { tokenAnswer } from '../answers.ts';
import { type Answer, type Api, byId, examplePath, type Options, PROJECTS } from '../api.ts';
import { expectProblem } from '../problems.ts';

const TOKEN = '/authentication/token';

/** Tests "Authentication" of `service.md` and "Credentials" of `decisions.md`. */
export function authentication(api: Api): void {
  const { authorization, companyId, apiKey } = api.target;
  const credentials = { username: companyId, password: apiKey };
  const basic = (company: string, key: string) => `Basic ${Buffer.from(`${company}:${key}`).toString('base64')}`;
  const obtain = async () => {
    const answer = await api.send('POST', TOKEN, { json: credentials, headers: { authorization: null } });
    return tokenOf(answer).AccessToken;
  };

  describe('Authentication', () => {
    afterAll(() => api.cleanUp());

    test('accepts Basic authentication with company id and API key', async () => {
      expect(authorization).toBe(basic(companyId, apiKey));
      expect((await api.get(PROJECTS)).status).toBe(200);
    });

    const bearers = {
      'an access token of the obtain-token operation': obtain,
      'an API key': async () => apiKey,
    };
    for (const [what, tokenOf] of Object.entries(bearers)) {
      test(`accepts ${what} as a Bearer token, on every kind of call`, async () => {
        const headers = { authorization: `Bearer ${await tokenOf()}` };
        const { id } = await api.create(smallProject(), { headers });
        await api.read(byId(id), { headers });
        expect((await api.get('/integrations/languages', { headers })).status).toBe(200);
        expect((await api.delete(byId(id), { headers })).status).toBe(204);
      });
    }

    test('a 401 names every accepted form of credentials', async () => {
      const keyAlone = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`;
      const withoutForm: NonNullable<Options['headers']>[] = [
        { authorization: null, 'x-api-key': apiKey },
        { authorization: keyAlone },
      ];
      for (const headers of withoutForm) {
        const { detail } = expectProblem(await api.get(PROJECTS, { headers }), 'unauthenticated');
        expect(detail).toContain('Basic base64(<company id>:<API key>)');
        expect(detail).toContain('Bearer <API key>');
        expect(detail).toContain('Bearer <access token>');
      }
    });

    test('a 401 says whether credentials are missing, of an unknown form, or wrong', async () => {
      const wrongKey = basic(companyId, `${apiKey}x`);
      const kinds: [about: RegExp, headers: readonly (string | null)[]][] = [
        [/^The request has no credentials\b/, [null, '']],
        [/^Segue does not know this form of credentials\b/, ['Basic', `Digest ${apiKey}`, apiKey, `Basic ${apiKey}`]],
        [/^The credentials are wrong\b/, [wrongKey, `Bearer ${apiKey}x`, 'Bearer a.b.c', basic(companyId, '')]],
      ];
      for (const [about, headers] of kinds) {
        for (const header of headers) {
          const answer = await api.get(PROJECTS, { headers: { authorization: header } });
          expect(expectProblem(answer, 'unauthenticated').detail, String(header)).toMatch(about);
        }
      }
      const signIns: [about: RegExp, options: Options][] = [
        [/^The request has no credentials\b/, { headers: { authorization: null } }],
        [/^Segue does not know this form of credentials\b/, { headers: { authorization: `Bearer ${apiKey}` } }],
        [/^Segue does not know this form of credentials\b/, { json: { companyId, apiKey } }],
        [/^The credentials are wrong\b/, { headers: { authorization: wrongKey } }],
        [/^The credentials are wrong\b/, { json: { ...credentials, password: 'x' } }],
      ];
      for (const [about, options] of signIns) {
        expect(expectProblem(await api.send('POST', TOKEN, options), 'unauthenticated').detail).toMatch(about);
      }
    });

    test('the name of a scheme is case-insensitive', async () => {
      for (const header of [authorization.replace('Basic', 'basic'), `bearer ${await obtain()}`, `BEARER ${apiKey}`]) {
        expect((await api.get(PROJECTS, { headers: { authorization: header } })).status).toBe(200);
      }
    });

    for (const { method, path, scope } of ROUTES) {
      if (scope === null) continue;
      test(`a call without credentials in its headers is 401: ${method} ${path}`, async () => {
        const answer = await api.send(method, examplePath(path), { headers: { authorization: null } });
        expectUnauthenticated(answer);
      });
    }

    test('credentials in the query are not accepted', async () => {
      const query = `?username=${companyId}&password=${apiKey}&access_token=${await obtain()}`;
      expectUnauthenticated(await api.get(PROJECTS + query, { headers: { authorization: null } }));
    });
  });

  describe('Credentials', () => {
    const wrong = {
      empty: '',
      'a scheme alone': 'Basic',
      'another scheme': `Digest ${authorization.slice(6)}`,
      'no base64': 'Basic %%%',
      'no colon': `Basic ${Buffer.from(companyId).toString('base64')}`,
      'a wrong key': basic(companyId, `${apiKey}x`),
      'a key cut short': basic(companyId, apiKey.slice(0, -1)),
      'no key': basic(companyId, ''),
      'another company': basic(`${companyId}x`, apiKey),
      'no company': basic('', apiKey),
      'a company id of another shape': basic('a b/c', apiKey),
      'a wrong key as a token': `Bearer ${apiKey}x`,
      'a key cut short as a token': `Bearer ${apiKey.slice(0, -1)}`,
      'company id and key as a token': `Bearer ${companyId}:${apiKey}`,
      'a token that is none': 'Bearer a.b.c',
      'a token over 8 KB': `Bearer ${'a'.repeat(8_200)}.b.c`,
    };
    for (const [title, header] of Object.entries(wrong)) {
      test(`returns 401 with WWW-Authenticate: ${title}`, async () => {
        expectUnauthenticated(await api.get(PROJECTS, { headers: { authorization: header } }));
      });
    }

    test('an access token has a fixed algorithm and a signature over its whole text', async () => {
      const [header = '', payload = '', signature = ''] = (await obtain()).split('.');
      const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
      const forged = [
        `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
        `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.${signature}`,
        `${header}.${payload}.`,
        `${header}.${payload}`,
        `${header}.${encode({ ...Object(claims), exp: 99_999_999_999 })}.${signature}`,
        `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      ];
      for (const token of forged) {
        expectUnauthenticated(await api.get(PROJECTS, { headers: { authorization: `Bearer ${token}` } }));
      }
    });

    test('a 401 does not say which part of the credentials was wrong', async () => {
      const problems = [];
      for (const header of [basic(companyId, `${apiKey}x`), basic(`${companyId}x`, apiKey)]) {
        const answer = await api.get(PROJECTS, { headers: { authorization: header } });
        const { instance: _, ...problem } = expectProblem(answer, 'unauthenticated');
        problems.push(problem);
      }
      expect(problems[0]).toEqual(problems[1]);
    });

    test('the company is never read from a body, header or path', async () => {
      const { id } = await api.create(smallProject());
      const headers = { 'x-company-id': 'other', 'company-id': 'other', 'x-segue-company-id': 'other' };
      await api.read(byId(id), { headers });
      await api.cleanUp();
    });
  });

  describe('Operations: Obtain token', () => {
    test('returns AccessToken and an expiresIn of 30 minutes for username and password', async () => {
      const answer = await api.send('POST', TOKEN, { json: credentials, headers: { authorization: null } });
      expect(tokenOf(answer).expiresIn).toBe(1_800);
    });

    test('returns the same for Basic credentials without a body', async () => {
      expect(tokenOf(await api.send('POST', TOKEN)).expiresIn).toBe(1_800);
    });

    const shapes = {
      'nothing at all': undefined,
      'an empty object': {},
      'a wrong password': { ...credentials, password: `${apiKey}x` },
      'a wrong username': { ...credentials, username: `${companyId}x` },
      'no password': { username: companyId },
      'a password of another type': { ...credentials, password: [apiKey] },
      'other names': { companyId, apiKey },
      'a list': [credentials],
      null: null,
    };
    for (const [title, json] of Object.entries(shapes)) {
      test(`returns 401 for wrong credentials and for a body of the wrong shape: ${title}`, async () => {
        const answer = await api.send('POST', TOKEN, { json, headers: { authorization: null } });
        expectAcceptedHere(answer);
      });
    }

    test('returns 401 for an API key as a Bearer token: this operation takes a body or Basic credentials', async () => {
      const headers = { authorization: `Bearer ${apiKey}` };
      expectAcceptedHere(await api.send('POST', TOKEN, { headers }));
    });

    test('returns 401 for wrong Basic credentials', async () => {
      const headers = { authorization: basic(companyId, `${apiKey}x`) };
      expectAcceptedHere(await api.send('POST', TOKEN, { headers }));
    });
  });
}

function tokenOf(answer: Answer) {
  expect(answer.status, answer.text).toBe(200);
  return tokenAnswer.parse(JSON.parse(answer.text));
}

/** Expects a 401 that names only the credentials that `POST /authentication/token` accepts. */
function expectAcceptedHere(answer: Answer): void {
  const { detail } = expectProblem(answer, 'unauthenticated');
  expect(detail).toContain('username and password');
  expect(detail).toContain('Basic base64(<company id>:<API key>)');
  expect(detail).not.toContain('Bearer');
}

function expectUnauthenticated(answer: Answer): void {
  expectProblem(answer, 'unauthenticated');
  const schemes = `${answer.headers['www-authenticate']}`;
  expect(schemes).toMatch(/\bBasic\b/);
  expect(schemes).toMatch(/\bBearer\b/);
}
