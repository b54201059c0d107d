import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSigningKeysFile } from '../../lib/credentials/secret-files.ts';
import { parseSigningKeys } from '../../lib/credentials/signing-keys.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { segueHere, segueWith } from '../support/segue.ts';

const PRELOAD = join(import.meta.dirname, '../support/broken-fs.cjs');
/** The ways to fail. Dying after a step is dying before the next one. */
const WAYS = ['fails', 'dies in it'] as const;

const pathIn = (folder: string) => join(folder, 'signing-keys.json');

/** Returns the ids of the keys in a folder, after checking that each key is complete. No file means no keys. */
function keysIn(folder: string): string[] {
  const path = pathIn(folder);
  return existsSync(path) ? parseSigningKeys(JSON.parse(readFileSync(path, 'utf8'))).map(({ id }) => id) : [];
}

/** Rotates the keys of a folder in a process in which one step on the file fails. */
const rotate = (folder: string, step: number, way: string) =>
  segueWith(
    {
      SEGUE_DATA_DIR: folder,
      NODE_OPTIONS: `--require ${JSON.stringify(PRELOAD)}`,
      BROKEN_PATH: pathIn(folder),
      BROKEN_STEP: String(step),
      BROKEN_WAY: way,
    },
    'signing-keys',
    'rotate',
  );

describe.each([
  ['that are there', 1],
  ['that are made by it', 0],
])('a rotation of signing keys %s', (_, before) => {
  const arrange = () => {
    const folder = temporaryFolder();
    if (before > 0) openSigningKeysFile(folder);
    return folder;
  };

  it('leaves a complete set of old or new keys, whichever step fails or is the last', async () => {
    const faultless = await rotate(arrange(), 0, 'fails');
    expect(faultless).toMatchObject({ code: 0, stderr: expect.stringMatching(/^steps: \d+\n$/) });
    const steps = Number(faultless.stderr.replace(/\D/g, ''));
    expect(steps).toBeGreaterThan(3);
    for (let step = 1; step <= steps; step++) await Promise.all(WAYS.map((way) => expectWhole(step, way)));
  });

  async function expectWhole(step: number, way: string): Promise<void> {
    const folder = arrange();
    const old = keysIn(folder);
    const { code, stderr } = await rotate(folder, step, way);
    const after = keysIn(folder);
    expect(after).toEqual(expect.arrayContaining(old));
    // If the rotation itself created the first key, one key counts as the old state.
    const counts = [before, 1, 2];
    expect({ step, way, count: after.length }).toEqual({ step, way, count: expect.toBeOneOf(counts) });
    if (code === 0) expect(after).toHaveLength(2);
    if (code === 1) expect(stderr).toMatch(/^segue: the file [^\n]+ cannot be used: EIO;[^\n]+\nsteps/);
    expect((await segueHere(folder, 'signing-keys', 'rotate')).code).toBe(0);
    expect(keysIn(folder)).toHaveLength(Math.max(after.length, 1) + 1);
    expect(keysIn(folder)).toEqual(expect.arrayContaining(after));
  }
});
