import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSigningKeys } from '../../../lib/credentials/signing-keys.ts';
import { SigningKeysUnusable, signingKeysInFolder } from '../../../lib/credentials/signing-keys-file.ts';
import { temporaryFolder } from '../storage/folder.ts';

const secret = 'x'.repeat(32);

describe('the secret that holds the signing keys', () => {
  it('is a list, the newest first, or a single key', () => {
    const key = { id: 'a', secret: new TextEncoder().encode(secret) };
    expect(
      readSigningKeys({
        keys: [
          { id: 'a', secret },
          { id: 'b', secret },
        ],
      }),
    ).toEqual([key, { ...key, id: 'b' }]);
    expect(readSigningKeys({ id: 'a', secret })).toEqual([key]);
  });

  it.each([
    [null],
    [{}],
    [{ keys: [] }],
    [{ id: 'a', secret: 'too short' }],
    [{ id: '', secret }],
    [{ id: 'a', secret, note: 'more' }],
    [{ keys: [{ id: 'a', secret }, { id: 'b' }] }],
  ])('is not %j', (value) => {
    expect(() => readSigningKeys(value)).toThrow();
  });
});

describe('the signing keys of one machine', () => {
  it('are made once: two starts have the same', () => {
    const folder = temporaryFolder();
    const first = signingKeysInFolder(folder);
    expect(signingKeysInFolder(folder)).toEqual(first);
    expect(first[0]?.secret.length).toBeGreaterThanOrEqual(32);
    expect(signingKeysInFolder(temporaryFolder())).not.toEqual(first);
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
    expect(signingKeysInFolder(folder)).toHaveLength(1);
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

  it('cannot be a folder, nor lie in a folder that is not there', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'signing-keys.json'));
    expect(thrownBy(() => signingKeysInFolder(folder))).toMatchObject({ message: expect.stringMatching(/EISDIR$/) });
    const missing = thrownBy(() => signingKeysInFolder(join(folder, 'missing')));
    expect(missing).toBeInstanceOf(SigningKeysUnusable);
    expect(missing).toMatchObject({ message: expect.stringMatching(/ENOENT$/) });
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
