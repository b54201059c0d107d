import { describe, expect, it } from 'vitest';
import { ACCESS_TOKEN_SECONDS } from '../../../lib/contract/limits.ts';
import { signingKeyIdOf, signToken, verifyToken } from '../../../lib/credentials/tokens.ts';
import { NOW_MS } from '../support.ts';
import { refusalOf, SIGNING_KEYS } from './world.ts';
import { forger, partsOf } from './wrong-tokens.ts';

const subject = { companyId: 'acme', keyId: 'key-1', familyId: 'family-1', generation: 1 };
const [newest, older] = SIGNING_KEYS;
const token = await signToken('access', subject, newest, NOW_MS);
const stateOf = (text: string, atMs = NOW_MS) => refusalOf(verifyToken('access', text, SIGNING_KEYS, atMs));

describe('an access token', () => {
  it('has these claims and no others', async () => {
    expect(await verifyToken('access', token, SIGNING_KEYS, NOW_MS)).toEqual(subject);
    const now = NOW_MS / 1_000;
    expect(partsOf(token)).toEqual({
      header: { alg: 'HS256', typ: 'at+jwt', kid: 'new' },
      claims: {
        iss: 'segue',
        aud: 'segue-api',
        sub: 'acme',
        client_id: 'key-1',
        sid: 'family-1',
        gen: 1,
        jti: 'family-1.1',
        iat: now,
        nbf: now,
        exp: now + 1_800,
      },
    });
  });

  it.each([
    ['more than a minute before it begins', -61, 'wrong-token'],
    ['on a clock that is a minute behind', -60, 'good'],
    ['until it expires', ACCESS_TOKEN_SECONDS - 1, 'good'],
    ['for nearly a minute after it expired', ACCESS_TOKEN_SECONDS + 59, 'good'],
    ['a minute after it expired', ACCESS_TOKEN_SECONDS + 60, 'expired-token'],
    ['a day later', 86_400, 'expired-token'],
  ])('%s: %i seconds, %s', async (_, offsetSeconds, state) => {
    expect(await stateOf(token, NOW_MS + offsetSeconds * 1_000)).toBe(state);
  });

  it('names the ids of an expired token in its problem', async () => {
    const late = verifyToken('access', token, SIGNING_KEYS, NOW_MS + 86_400_000);
    await expect(late).rejects.toMatchObject({ ids: { companyId: 'acme', keyId: 'key-1', familyId: 'family-1' } });
  });

  it('is accepted with an older key while that key is kept', async () => {
    const old = await signToken('access', subject, older, NOW_MS);
    expect(await verifyToken('access', old, SIGNING_KEYS, NOW_MS)).toEqual(subject);
    expect(await refusalOf(verifyToken('access', old, [newest], NOW_MS))).toBe('wrong-token');
  });

  it('is accepted if a forger changes nothing, or only the id', async () => {
    const { forge, forgeText } = forger(token, newest);
    expect(forge()).toBe(token);
    for (const text of [forge({ claims: { jti: 'another' } }), forgeText({})]) expect(await stateOf(text)).toBe('good');
  });

  it('is refused if any character of its signature is changed', async () => {
    for (let at = token.lastIndexOf('.') + 1; at < token.length; at++) {
      // Replaces a character by the next one. Of the last character, only the unused bits change.
      const changed = String.fromCharCode(token.charCodeAt(at) + 1);
      expect(await stateOf(token.slice(0, at) + changed + token.slice(at + 1))).not.toBe('good');
    }
  });

  it('is accepted with up to 8,192 characters', async () => {
    const { forge } = forger(token, newest);
    const tokens = Array.from({ length: 300 }, (_, n) => forge({ claims: { note: 'x'.repeat(5_700 + n) } }));
    for (const text of tokens) if (text.length === 8_192) expect(await stateOf(text)).toBe('good');
    expect(tokens.map(({ length }) => length)).toContain(8_192);
    expect(await stateOf(tokens.find(({ length }) => length > 8_192) ?? '')).toBe('malformed-key');
  });

  it.each(['', '.', '..', 'a.b', 'x'.repeat(8_193), `${'x'.repeat(8_193)}.b.c`])('malformed: %#', async (text) => {
    expect(await stateOf(text)).toBe('malformed-key');
  });
});

describe('signingKeyIdOf', () => {
  it('returns the id in the header, only for tokens of the kind', () => {
    const { forge } = forger(token, newest);
    expect(signingKeyIdOf('access', token)).toBe('new');
    const others = [forge({ header: { alg: 'none' } }), forge({ header: { kid: 5 } }), `${'x'.repeat(8_193)}`, 'a.b.c'];
    for (const text of others) expect(signingKeyIdOf('access', text)).toBeUndefined();
    expect(signingKeyIdOf('refresh', token)).toBeUndefined();
  });
});
