import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addSigningKey } from '../../../lib/credentials/signing-key-rotation.ts';
import { parseSigningKeys, signingKeyAt } from '../../../lib/credentials/signing-keys.ts';
import { signToken, verifyToken } from '../../../lib/credentials/tokens.ts';
import { NOW_MS } from '../support.ts';

const secret = 'x'.repeat(32);

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
      { numRuns: 50 },
    );
  });
});
