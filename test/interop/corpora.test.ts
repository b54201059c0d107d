import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { formatOf, loadSourceCodec } from '../../packages/files/codecs.ts';
import type { FilledFile } from '../../packages/files/fill.ts';
import { BILINGUAL_FORMATS, type SourceCodec } from '../../packages/files/source-file.ts';
import { fileOf, translated } from '../../packages/files/test/files.ts';

const run = promisify(execFile);

/** Files that others publish in a package registry. A package has exactly these bytes, or its test fails. */
const CORPORA = [
  {
    name: '@ckeditor/ckeditor5-core@43.0.0',
    sha256: '63301e40b53db136a813db03f10933165aa8461f01748c5bf56f85ad05df96fa',
    fetch: ['npm', 'pack', '--silent', '--dry-run=false'],
    glob: '**/*.po',
    files: 71,
  },
  {
    name: 'react-native@0.72.0',
    sha256: '3df1638521221407e1eba8ffc0571f629bd3feaf401032c8c6fb15a7df94c628',
    fetch: ['npm', 'pack', '--silent', '--dry-run=false'],
    glob: '**/{values*/strings.xml,*.strings}',
    files: 91,
  },
  {
    name: 'django==5.1.4',
    sha256: '236e023f021f5ce7dee5779de7b286565fdea5f4ab86bae5338e3f7b69896cf0',
    fetch: ['python3', '-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:'],
    glob: '**/*.{po,html}',
    files: 1382,
  },
] as const;

const folder = mkdtempSync(join(tmpdir(), 'segue-corpora-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Downloads and unpacks a package. @returns the paths of its files */
async function filesOf({ name, sha256, fetch: [program, ...args], glob }: (typeof CORPORA)[number]): Promise<string[]> {
  const into = join(folder, createHash('sha256').update(name).digest('hex'));
  mkdirSync(into);
  await run(program, [...args, name], { cwd: into });
  const [archive = ''] = globSync('*.{tgz,whl}', { cwd: into });
  expect(
    createHash('sha256')
      .update(readFileSync(join(into, archive)))
      .digest('hex'),
  ).toBe(sha256);
  const unpack = archive.endsWith('.whl') ? ['python3', '-m', 'zipfile', '-e', archive, '.'] : ['tar', '-xzf', archive];
  await run(unpack[0] ?? '', unpack.slice(1), { cwd: into });
  return globSync(glob, { cwd: into }).map((path) => join(into, path));
}

/** Makes the project of a file, and fills a translation of each text into the file. */
function fill(codec: SourceCodec, file: Uint8Array, translate?: (content: string) => string): FilledFile {
  const { targetLanguageCode: languageCode = 'de' } = codec.texts(file, 'en');
  const segments = codec.texts(file, 'en', [languageCode]).texts.map(({ customId, content }) => ({
    customId,
    content,
    ...(translate && { translation: translated(translate(content), 'proofread') }),
  }));
  const { project, ...others } = fileOf(segments);
  const translations = { ...others, project: { ...project, sourceLanguageCode: 'en' }, languageCode };
  return codec.fill(file, translations, { reopen: true });
}

const MARK = ' ✓';

/** Returns what is wrong with how a file is read and filled; `undefined` if nothing is. */
async function faultOf(path: string): Promise<string | undefined> {
  const file = readFileSync(path);
  const format = formatOf(path);
  if (format === undefined) return 'has no format';
  const codec = await loadSourceCodec(format);
  const contentsIn = (some: Uint8Array) => codec.texts(some, 'en').texts.map(({ content }) => content);
  try {
    if (!file.equals(fill(codec, file).file)) return 'changes without translations';
    const changed = fill(codec, file, (content) => content + MARK);
    const [skipped] = changed.skipped;
    if (skipped) return `leaves out a translation: ${skipped.reason}`;
    if (BILINGUAL_FORMATS.includes(format)) {
      return isDeepStrictEqual(contentsIn(changed.file), contentsIn(file)) ? undefined : 'has other source texts';
    }
    if (!file.equals(fill(codec, file, (content) => content).file)) return 'changes with equal translations';
    const expected = contentsIn(file).map((content) => content + MARK);
    return isDeepStrictEqual(contentsIn(changed.file), expected) ? undefined : 'has other texts than were filled in';
  } catch (error) {
    return `is refused: ${error}`;
  }
}

describe.each(CORPORA)('the files of $name', (corpus) => {
  it('keep what is not text', async () => {
    const paths = await filesOf(corpus);
    const faults: Record<string, string> = {};
    for (const path of paths) {
      const fault = await faultOf(path);
      if (fault !== undefined) faults[path.slice(folder.length + 66)] = fault;
    }
    expect(faults).toEqual({});
    expect(paths).toHaveLength(corpus.files);
  });
});
