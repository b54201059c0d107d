import { describe, expect, it } from 'vitest';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { cachedSigningKeys, parseSigningKeys } from '../../../lib/credentials/signing-keys.ts';
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
  });

  it.each([
    [null],
    [{}],
    [{ keys: [] }],
    [{ id: 'a', secret: 'too short' }],
    [{ id: '', secret }],
    [{ id: 'a', secret, note: 'more' }],
    [{ id: 'a', secret, signsFromUtc: 'today' }],
    [{ keys: [{ id: 'a', secret }, { id: 'b' }] }],
  ])('rejects %j', (value) => {
    expect(() => parseSigningKeys(value)).toThrow();
  });
});

describe('cachedSigningKeys', () => {
  const keysOf = (...ids: readonly string[]) => JSON.stringify({ keys: ids.map((id) => ({ id, secret })) });

  it('reads the secret again for an unknown key id only', async () => {
    const texts = [keysOf('a'), keysOf('b', 'a'), keysOf('c', 'b', 'a')];
    const keys = cachedSigningKeys(
      cachedSecret(async () => texts.shift() ?? '', parseSigningKeys, { now: () => NOW_MS }),
    );
    const idsFor = async (id?: string) => (await keys(id)).map((key) => key.id);
    expect(await idsFor()).toEqual(['a']);
    expect(await idsFor('a')).toEqual(['a']);
    expect(await idsFor('b')).toEqual(['b', 'a']);
    expect(await idsFor('a')).toEqual(['b', 'a']);
    expect(await idsFor('none')).toEqual(['c', 'b', 'a']);
  });
});
