import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  openSecretFile,
  openSigningKeysFile,
  rotateSigningKeysFile,
  SecretFileError,
} from '../../../lib/credentials/secret-files.ts';
import { parseSigningKeys } from '../../../lib/credentials/signing-keys.ts';
import { temporaryFolder } from '../storage/folder.ts';
import { NOW_MS } from '../support.ts';

const FILE = 'signing-keys.json';
const keysIn = async (folder: string) => parseSigningKeys(JSON.parse(await openSigningKeysFile(folder)()));
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe('the signing keys file', () => {
  it('is created once, for its owner alone, and with its folder', async () => {
    const folder = join(temporaryFolder(), 'missing');
    const first = await keysIn(folder);
    expect(await keysIn(folder)).toEqual(first);
    expect(first[0]?.secret.length).toBeGreaterThanOrEqual(32);
    expect(await keysIn(temporaryFolder())).not.toEqual(first);
    expect([modeOf(folder), modeOf(join(folder, FILE))]).toEqual([0o700, 0o600]);
  });

  it('is rotated in place, and an open reader sees the new keys', async () => {
    const folder = temporaryFolder();
    const read = openSigningKeysFile(folder);
    const [first] = parseSigningKeys(JSON.parse(await read()));
    expect(rotateSigningKeysFile(folder, NOW_MS)).toBe(new Date(NOW_MS + 60_000).toISOString());
    expect(parseSigningKeys(JSON.parse(await read()))).toEqual([expect.anything(), first]);
    expect(modeOf(join(folder, FILE))).toBe(0o600);
    expect(readdirSync(folder)).toEqual([FILE]);
  });

  it('is rotated at the target of a symbolic link', async () => {
    const folder = temporaryFolder();
    const target = join(temporaryFolder(), 'keys.json');
    const [first] = await keysIn(folder);
    renameSync(join(folder, FILE), target);
    symlinkSync(target, join(folder, FILE));
    rotateSigningKeysFile(folder, NOW_MS);
    expect(lstatSync(join(folder, FILE)).isSymbolicLink()).toBe(true);
    expect(parseSigningKeys(JSON.parse(readFileSync(target, 'utf8')))).toEqual([expect.anything(), first]);
  });

  it('belongs to the other process if two create it at once', () => {
    const path = join(temporaryFolder(), FILE);
    const opened = openSecretFile({
      path,
      secret: 'the secret',
      format: 'a secret',
      create: () => {
        writeFileSync(path, 'theirs');
        return 'ours';
      },
      parse: (text) => text,
    });
    expect([opened, readFileSync(path, 'utf8')]).toEqual(['theirs', 'theirs']);
  });

  it('leaves nothing behind if the disk is full', () => {
    const folder = temporaryFolder();
    const url = new URL('../../../lib/credentials/secret-files.ts', import.meta.url).href;
    const script = `import { openSigningKeysFile } from ${JSON.stringify(url)}; openSigningKeysFile(process.argv[1]);`;
    const node = [process.execPath, '--input-type=module', '-e', script, folder];
    // No file may have content, as on a full disk.
    const { stderr } = spawnSync('sh', ['-c', 'ulimit -S -f 0; exec "$@"', 'sh', ...node], { encoding: 'utf8' });
    expect(stderr).toMatch(/SecretFileError: the file .+ of the signing keys cannot be used: \w+;/);
    expect(readdirSync(folder)).toEqual([]);
    openSigningKeysFile(folder);
    expect(readdirSync(folder)).toEqual([FILE]);
  });

  it.each(['{"keys":[]}', 'SUPERSECRET', '{"keys":[{"id":"SUPERSECRET","secret":"short"}]}', ''])(
    'is left alone and not quoted if it contains %j',
    (text) => {
      const folder = temporaryFolder();
      const path = join(folder, FILE);
      writeFileSync(path, text);
      const message = `the file ${path} does not contain signing keys: move the file away, and Segue creates a new one; all issued tokens then stop working`;
      const error = thrownBy(() => openSigningKeysFile(folder));
      expect(error).toEqual(new SecretFileError(message));
      expect(error).not.toHaveProperty('cause');
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );

  it('cannot be a folder or be below a file', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, FILE));
    writeFileSync(join(folder, 'file'), '');
    const errors = [folder, join(folder, 'file')].map((path) => thrownBy(() => openSigningKeysFile(path)));
    expect(errors.map(String)).toEqual([
      expect.stringMatching(/SecretFileError: .+: EISDIR; set SEGUE_DATA_DIR/),
      expect.stringMatching(/SecretFileError: .+: ENOTDIR; set SEGUE_DATA_DIR/),
    ]);
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
