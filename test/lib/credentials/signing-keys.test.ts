import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { addSigningKey } from '../../../lib/credentials/signing-key-rotation.ts';
import { cachedSigningKeys, parseSigningKeys, signingKeyAt } from '../../../lib/credentials/signing-keys.ts';
import { signToken, verifyToken } from '../../../lib/credentials/tokens.ts';
import { NOW_MS } from '../support.ts';

const secret = 'x'.repeat(32);
const signsFromUtc = '2026-11-20T09:30:00.000Z';

describe('parseSigningKeys', () => {
  it('accepts a list, the newest key first, or a single key', () => {
    const key = { id: 'a', secret: new TextEncoder().encode(secret), signsFromMs: 0 };
    const keys = [
      { id: 'b', secret, signsFromUtc },
      { id: 'a', secret },
    ];
    expect(parseSigningKeys({ keys })).toEqual([{ ...key, id: 'b', signsFromMs: Date.parse(signsFromUtc) }, key]);
    expect(parseSigningKeys({ id: 'a', secret })).toEqual([key]);
    expect(parseSigningKeys({ id: 'a', secret, addedByANewerRelease: true })).toEqual([key]);
  });

  it.each([
    [null],
    [{}],
    [{ keys: [] }],
    [{ id: 'a', secret: 'too short' }],
    [{ id: '', secret }],
    [{ id: 'a', secret, signsFromUtc: 'today' }],
    [{ keys: [{ id: 'a', secret }, { id: 'b' }] }],
  ])('rejects %j', (value) => {
    expect(() => parseSigningKeys(value)).toThrow();
  });
});

it('cachedSigningKeys reads the secret again for an unknown key id only', async () => {
  const keysOf = (...ids: readonly string[]) => JSON.stringify({ keys: ids.map((id) => ({ id, secret })) });
  const texts = [keysOf('a'), keysOf('b', 'a'), keysOf('c', 'b', 'a')];
  const keys = cachedSigningKeys(
    cachedSecret(async () => texts.shift() ?? '', parseSigningKeys, { now: () => NOW_MS }),
  );
  const idsFor = async (id?: string) => (await keys(id)).map((key) => key.id).join('');
  const found: string[] = [];
  for (const id of [undefined, 'a', 'b', 'a', 'none']) found.push(await idsFor(id));
  expect(found).toEqual(['a', 'a', 'ba', 'ba', 'cba']);
});

describe('addSigningKey', () => {
  const added = { id: 'b', secret: 'y'.repeat(32) };

  it('adds a key that signs a minute later', () => {
    const keys = parseSigningKeys(addSigningKey({ id: 'a', secret }, added, NOW_MS));
    expect(signingKeyAt(keys, NOW_MS).id).toBe('a');
    expect(signingKeyAt(keys, NOW_MS + 59_999).id).toBe('a');
    expect(signingKeyAt(keys, NOW_MS + 60_000).id).toBe('b');
  });

  it('keeps each key as long as its tokens live, and no longer', async () => {
    const hours = fc.array(fc.integer({ min: 1, max: 40 * 3_600_000 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(hours, fc.integer({ min: 0, max: 86_400_000 }), async (pauses, lag) => {
        let value: unknown = { id: '0', secret };
        let nowMs = NOW_MS;
        const live: { token: string; expiresAtMs: number }[] = [];
        for (const [index, pause] of pauses.entries()) {
          const atMs = nowMs + (lag % pause);
          const key = signingKeyAt(parseSigningKeys(value), atMs);
          const subject = { companyId: 'acme', keyId: 'key', familyId: 'family', generation: 1 };
          live.push({ token: await signToken('refresh', subject, key, atMs), expiresAtMs: atMs + 86_400_000 });
          nowMs += pause;
          value = addSigningKey(value, { id: String(index + 1), secret }, nowMs);
          const keys = parseSigningKeys(value);
          for (const { token, expiresAtMs } of live) {
            if (expiresAtMs > nowMs) expect(await verifyToken('refresh', token, keys, nowMs)).toEqual(subject);
          }
        }
        nowMs += 3 * 86_400_000;
        value = addSigningKey(value, { id: 'last', secret }, nowMs);
        expect(parseSigningKeys(value)).toHaveLength(2);
      }),
      { numRuns: 20 },
    );
  });
});
