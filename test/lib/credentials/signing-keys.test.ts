import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cachedSecret } from '../../../lib/credentials/secrets.ts';
import {
  readSigningKeys,
  rotateSigningKeys,
  signingKeyAt,
  signingKeysOf,
} from '../../../lib/credentials/signing-keys.ts';
import {
  rotateSigningKeysInFolder,
  SigningKeysUnusable,
  signingKeysInFolder,
} from '../../../lib/credentials/signing-keys-file.ts';
import { issueToken, readToken } from '../../../lib/credentials/tokens.ts';
import { temporaryFolder } from '../storage/folder.ts';
import { NOW_MS } from '../support.ts';

const secret = 'x'.repeat(32);
const signsFromUtc = '2026-11-20T09:30:00.000Z';

describe('the secret that holds the signing keys', () => {
  it('is a list, the newest first, or a single key', () => {
    const key = { id: 'a', secret: new TextEncoder().encode(secret), signsFromMs: 0 };
    const keys = [
      { id: 'b', secret, signsFromUtc },
      { id: 'a', secret },
    ];
    expect(readSigningKeys({ keys })).toEqual([{ ...key, id: 'b', signsFromMs: Date.parse(signsFromUtc) }, key]);
    expect(readSigningKeys({ id: 'a', secret })).toEqual([key]);
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
  ])('is not %j', (value) => {
    expect(() => readSigningKeys(value)).toThrow();
  });
});

describe('a rotation of the signing keys', () => {
  const added = { id: 'b', secret: 'y'.repeat(32) };

  it('adds a key that signs once everybody can have read it', () => {
    const keys = readSigningKeys(rotateSigningKeys({ id: 'a', secret }, added, NOW_MS));
    expect(signingKeyAt(keys, NOW_MS).id).toBe('a');
    expect(signingKeyAt(keys, NOW_MS + 59_999).id).toBe('a');
    expect(signingKeyAt(keys, NOW_MS + 60_000).id).toBe('b');
  });

  it('refuses no live token, however often keys are rotated, and keeps no key for ever', async () => {
    const hours = fc.array(fc.integer({ min: 1, max: 40 * 3_600_000 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(hours, fc.integer({ min: 0, max: 86_400_000 }), async (pauses, lag) => {
        let value: unknown = { id: '0', secret };
        let nowMs = NOW_MS;
        const live: { token: string; expiresAtMs: number }[] = [];
        for (const [index, pause] of pauses.entries()) {
          const atMs = nowMs + (lag % pause);
          const key = signingKeyAt(readSigningKeys(value), atMs);
          const subject = { companyId: 'acme', keyId: 'key', familyId: 'family', generation: 1 };
          live.push({ token: await issueToken('refresh', subject, key, atMs), expiresAtMs: atMs + 86_400_000 });
          nowMs += pause;
          value = rotateSigningKeys(value, { id: String(index + 1), secret }, nowMs);
          const keys = readSigningKeys(value);
          for (const { token, expiresAtMs } of live) {
            if (expiresAtMs > nowMs) expect(await readToken('refresh', token, keys, nowMs)).toEqual(subject);
          }
        }
        nowMs += 3 * 86_400_000;
        value = rotateSigningKeys(value, { id: 'last', secret }, nowMs);
        expect(readSigningKeys(value)).toHaveLength(2);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a set that is kept', () => {
  const keysOf = (...ids: readonly string[]) => JSON.stringify({ keys: ids.map((id) => ({ id, secret })) });

  it('is read anew where a key is asked for that it lacks, and only then', async () => {
    const texts = [keysOf('a'), keysOf('b', 'a'), keysOf('c', 'b', 'a')];
    const keys = signingKeysOf(
      cachedSecret({ read: async () => texts.shift() ?? '' }, readSigningKeys, { now: () => NOW_MS }),
    );
    const idsFor = async (id?: string) => (await keys(id)).map((key) => key.id);
    expect(await idsFor()).toEqual(['a']);
    expect(await idsFor('a')).toEqual(['a']);
    expect(await idsFor('b')).toEqual(['b', 'a']);
    expect(await idsFor('a')).toEqual(['b', 'a']);
    expect(await idsFor('none')).toEqual(['c', 'b', 'a']);
  });
});

describe('the signing keys of one machine', () => {
  const keysIn = async (folder: string) => readSigningKeys(JSON.parse(await signingKeysInFolder(folder).read()));

  it('are made once: two starts have the same', async () => {
    const folder = temporaryFolder();
    const first = await keysIn(folder);
    expect(await keysIn(folder)).toEqual(first);
    expect(first[0]?.secret.length).toBeGreaterThanOrEqual(32);
    expect(await keysIn(temporaryFolder())).not.toEqual(first);
  });

  it('are rotated in their file, which whoever has it open reads anew', async () => {
    const folder = temporaryFolder();
    const reader = signingKeysInFolder(folder);
    const [first] = readSigningKeys(JSON.parse(await reader.read()));
    expect(rotateSigningKeysInFolder(folder, NOW_MS)).toBe(new Date(NOW_MS + 60_000).toISOString());
    const rotated = readSigningKeys(JSON.parse(await reader.read()));
    expect(rotated).toHaveLength(2);
    expect(rotated[1]).toEqual(first);
    expect(statSync(join(folder, 'signing-keys.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['signing-keys.json']);
  });

  it('that cannot be written leave nothing behind, and are made when they can', () => {
    const folder = temporaryFolder();
    const url = new URL('../../../lib/credentials/signing-keys-file.ts', import.meta.url).href;
    const script = `import { signingKeysInFolder } from ${JSON.stringify(url)}; signingKeysInFolder(process.argv[1]);`;
    const node = [process.execPath, '--input-type=module', '-e', script, folder];
    // No file may become longer than nothing, as on a full disk.
    const { stderr } = spawnSync('sh', ['-c', 'ulimit -S -f 0; exec "$@"', 'sh', ...node], { encoding: 'utf8' });
    expect(stderr).toMatch(/SigningKeysUnusable: the file .+ of the signing keys cannot be used: \w+\n/);
    expect(readdirSync(folder)).toEqual([]);
    signingKeysInFolder(folder);
    expect(readdirSync(folder)).toEqual(['signing-keys.json']);
  });

  it('are for their owner’s eyes only', () => {
    const folder = temporaryFolder();
    signingKeysInFolder(folder);
    expect(statSync(join(folder, 'signing-keys.json')).mode & 0o777).toBe(0o600);
  });

  it.each(['{"keys":[]}', 'SUPERSECRET', '{"keys":[{"id":"SUPERSECRET","secret":"short"}]}', ''])(
    'are left alone where their file holds something else, which nobody is told: %j',
    (text) => {
      const folder = temporaryFolder();
      const path = join(folder, 'signing-keys.json');
      writeFileSync(path, text);
      const error = thrownBy(() => signingKeysInFolder(folder));
      expect(error).toBeInstanceOf(SigningKeysUnusable);
      expect(error).toMatchObject({
        message: `the file ${path} does not hold signing keys: move it away, and a new one is made; tokens already issued stop working`,
      });
      expect(error).not.toHaveProperty('cause');
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );

  it('cannot be a folder, nor be below a file', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'signing-keys.json'));
    expect(thrownBy(() => signingKeysInFolder(folder))).toMatchObject({ message: expect.stringMatching(/EISDIR$/) });
    writeFileSync(join(folder, 'file'), '');
    const below = thrownBy(() => signingKeysInFolder(join(folder, 'file')));
    expect(below).toBeInstanceOf(SigningKeysUnusable);
    expect(below).toMatchObject({ message: expect.stringMatching(/ENOTDIR$/) });
  });

  it('come with their folder, which is for its owner alone', () => {
    const folder = join(temporaryFolder(), 'missing');
    signingKeysInFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
