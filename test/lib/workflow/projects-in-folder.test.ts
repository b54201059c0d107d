import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { objectsInFolder } from '../../../lib/workflow/projects-in-folder.ts';
import { temporaryFolder } from '../storage/folder.ts';
import { expectProblem } from '../support.ts';

const deadline = { remainingMs: () => 10_000 };
const TEXT = '{"name":"A project"}';

/** Creates a folder with one bucket, and files beside it that nobody may read. */
function bucketInFolder() {
  const above = temporaryFolder();
  const root = join(above, 'projects');
  mkdirSync(join(root, 'exports', 'a'), { recursive: true });
  mkdirSync(join(root, 'exports-of-others'));
  for (const secret of ['../secret.json', 'secret.json', 'exports-of-others/secret.json']) {
    writeFileSync(join(root, secret), 'SECRET');
  }
  writeFileSync(join(root, 'exports', 'a', 'one.json'), TEXT);
  const read = async (key: string, more: { bucket?: string; versionId?: string } = {}) =>
    Buffer.from(await objectsInFolder(root)({ bucket: 'exports', key, ...more }, deadline)).toString();
  return { root, read };
}

describe('an object of a folder', () => {
  it.each([
    '../secret.json',
    '../exports-of-others/secret.json',
    'a/../../secret.json',
    'a',
    '..',
    'a/one.json/x',
    'a/one.json\u0000',
  ])('outside the bucket, or missing, is refused: %j', async (key) => {
    const { read } = bucketInFolder();
    expect(await read('a/one.json')).toBe(TEXT);
    await expectProblem('invalid-parameter', () => read(key));
  });

  it('is not reached through a link that leads out', async () => {
    const { root, read } = bucketInFolder();
    symlinkSync(join(root, 'secret.json'), join(root, 'exports', 'link.json'));
    symlinkSync(root, join(root, 'exports', 'up'));
    symlinkSync(join(root, 'exports', 'a', 'one.json'), join(root, 'exports', 'within.json'));
    await expectProblem('invalid-parameter', () => read('link.json'));
    await expectProblem('invalid-parameter', () => read('up/secret.json'));
    expect(await read('within.json')).toBe(TEXT);
  });

  it('is never a file outside the bucket, for any key', async () => {
    const { read } = bucketInFolder();
    const piece = fc.constantFrom('..', '.', '', 'a', 'exports', 'secret.json', 'one.json', 'projects', '\\', '%2e%2e');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const read1 = await read(pieces.join('/')).catch((error) => error);
        if (!(read1 instanceof Problem)) expect(read1).toBe(TEXT);
      }),
    );
  });

  it('has no versions, no other bucket, no pipe, and no more bytes than a body', async () => {
    const { root, read } = bucketInFolder();
    execFileSync('mkfifo', [join(root, 'exports', 'pipe')]);
    await expectProblem('invalid-parameter', () => read('a/one.json', { versionId: 'v1' }));
    await expectProblem('invalid-parameter', () => read('a/one.json', { bucket: 'none' }));
    await expectProblem('invalid-parameter', () => read('pipe'));
    writeFileSync(join(root, 'exports', 'large.json'), ' '.repeat(LIMITS.bodyBytes + 1));
    await expectProblem('too-large', () => read('large.json'));
  });
});
