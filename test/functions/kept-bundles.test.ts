import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { type Bundle, ROOT } from '../../infra/bundle.ts';
import { KeptBundles } from '../../infra/kept-bundles.ts';

const folder = mkdtempSync(join(tmpdir(), 'segue-kept-'));
afterAll(() => rmSync(folder, { recursive: true }));

const source = join(folder, 'source.ts');
const keptIn = join(folder, 'kept');
const bundleOf = (text: string): Bundle => ({
  code: Buffer.from(text),
  chunks: [{ name: 'chunk.mjs', contents: Buffer.from(`chunk of ${text}`), isForStart: true }],
  sources: [relative(ROOT, source)],
  parts: { 'index.mjs': { 'source.ts': text.length } },
});

/** When the source was written, by the clock of its file system: a moved date does not move that. */
const writtenMs = () => statSync(source).ctimeMs;
const HOUR_MS = 3_600_000;

/** Bundles once more, as another process would. @returns what came of it, and whether it was made */
async function bundleAgain(text: string, beganMs = writtenMs() + HOUR_MS) {
  const make = vi.fn(async () => bundleOf(text));
  const { code, chunks } = await new KeptBundles(keptIn, beganMs).getOr('function', make);
  const texts = [code, ...chunks.map(({ contents }) => contents)].map((bytes) => Buffer.from(bytes).toString());
  return { texts, made: make.mock.calls.length };
}

beforeEach(() => {
  rmSync(keptIn, { recursive: true, force: true });
  writeFileSync(source, 'one');
});

it('are made once of the same sources', async () => {
  const one = { texts: ['one', 'chunk of one'] };
  expect(await bundleAgain('one')).toEqual({ ...one, made: 1 });
  expect(await bundleAgain('two')).toEqual({ ...one, made: 0 });
  expect(readdirSync(keptIn)).toEqual(['function']);
});

it('are made anew of a source that has changed', async () => {
  await bundleAgain('one');
  writeFileSync(source, 'two');
  expect(await bundleAgain('two')).toEqual({ texts: ['two', 'chunk of two'], made: 1 });
});

it('are not kept where a source has changed since it began', async () => {
  await bundleAgain('one', writtenMs() - HOUR_MS);
  expect(await bundleAgain('one')).toMatchObject({ made: 1 });
});

it('are made where what is kept cannot be read, or nothing can be kept', async () => {
  await bundleAgain('one');
  writeFileSync(join(keptIn, 'function'), 'of another version');
  expect(await bundleAgain('one')).toMatchObject({ made: 1 });
  rmSync(keptIn, { recursive: true });
  writeFileSync(keptIn, 'no folder');
  expect(await bundleAgain('one')).toEqual({ texts: ['one', 'chunk of one'], made: 1 });
});
