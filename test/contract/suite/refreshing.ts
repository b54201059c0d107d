import { describe, expect, test } from 'vitest';
import { tokenAnswer } from '../answers.ts';
import { type Answer, type Api, type Options, PROJECTS } from '../api.ts';
import { expectProblem } from '../problems.ts';

const REFRESH = '/authentication/RefreshToken';

/** Tests "Operations: Refresh token" and "Credentials" of `decisions.md`. */
export function refreshing(api: Api): void {
  const { companyId: username, apiKey: password } = api.target;
  const pairOf = (answer: Answer) => {
    expect(answer.status, answer.text).toBe(200);
    return tokenAnswer.parse(JSON.parse(answer.text));
  };
  const obtain = async () =>
    pairOf(
      await api.send('POST', '/authentication/token', {
        json: { username, password },
        headers: { authorization: null },
      }),
    );
  const post = (json: unknown, headers: Options['headers'] = {}) =>
    api.send('POST', REFRESH, { json, headers: { authorization: null, ...headers } });
  const refresh = async (token: string, headers?: Options['headers']) => pairOf(await post({ token }, headers));
  const list = (token: string) => api.get(PROJECTS, { headers: { authorization: `Bearer ${token}` } });

  describe('Operations: Refresh token', () => {
    test('returns the answer of Obtain token for a body with token, with two new tokens', async () => {
      const first = await obtain();
      const second = await refresh(first.RefreshToken);
      expect(second.expiresIn).toBe(1_800);
      expect(second.RefreshToken).not.toBe(first.RefreshToken);
      expect(second.AccessToken).not.toBe(first.AccessToken);
      expect((await list(second.AccessToken)).status).toBe(200);
    });

    const shapes = {
      'an empty object': {},
      'no text': { token: 5 },
      'other names': { refreshToken: 'a.b.c' },
      'a field more': { token: 'a.b.c', more: true },
      'a list': ['a.b.c'],
      null: null,
      'no token of ours': { token: 'a.b.c' },
      'a token of 8 KB': { token: 'x'.repeat(8_000) },
    };
    for (const [title, json] of Object.entries(shapes)) {
      test(`returns 401 for a wrong token and for a body of the wrong shape: ${title}`, async () => {
        const { detail } = expectProblem(await post(json), 'unauthenticated');
        expect(detail).toContain('newest refresh token');
        expect(detail).not.toMatch(/Basic|Bearer/);
      });
    }

    test('refuses an access token here, and a refresh token as credentials', async () => {
      const { AccessToken, RefreshToken } = await obtain();
      expectProblem(await post({ token: AccessToken }), 'unauthenticated');
      expectProblem(await list(RefreshToken), 'unauthenticated');
    });
  });

  describe('Credentials: refresh tokens', () => {
    test('work once: a second use revokes the token family, and nothing else', async () => {
      const other = await obtain();
      const first = await obtain();
      const second = await refresh(first.RefreshToken);
      expectProblem(await post({ token: first.RefreshToken }), 'unauthenticated');
      expectProblem(await post({ token: second.RefreshToken }), 'unauthenticated');
      // These tokens were never sent before, so no cache on the way knows them.
      for (const { AccessToken } of [first, second]) expectProblem(await list(AccessToken), 'unauthenticated');
      expect((await list(other.AccessToken)).status).toBe(200);
    });

    test('may be sent again with the same Idempotency-Key', async () => {
      const { RefreshToken } = await obtain();
      const headers = { 'idempotency-key': `refresh-${RefreshToken.slice(-20)}` };
      const first = await refresh(RefreshToken, headers);
      const again = await post({ token: RefreshToken }, headers);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(pairOf(again)).toEqual({ ...first, expiresIn: expect.any(Number) });
      await refresh(first.RefreshToken);
      const other = await obtain();
      expectProblem(await post({ token: other.RefreshToken }, headers), 'idempotency-key-reused');
      expectProblem(await post({ token: other.RefreshToken }, { 'idempotency-key': 'a b' }), 'invalid-header');
    });
  });
}
