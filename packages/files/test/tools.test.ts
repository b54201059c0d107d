import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCodec } from '../codecs.ts';
import { type PlanOptions, planImport } from '../plan-import.ts';
import { type FileSegment, readBase } from '../translation-file.ts';
import { fileOf } from './files.ts';

const FOLDER = join(import.meta.dirname, '../../../test/data/translators-files');
const bytesOf = (name: string) => readFileSync(join(FOLDER, name));

/** Returns the project as it was when its files were exported. */
async function exported() {
  const { read } = await loadCodec('json');
  return fileOf(
    read(bytesOf('project.json')).entries.map(({ source = '', content, status, base }, index): FileSegment => {
      const version = readBase(base)?.version;
      const translation = status && status !== 'untranslated' ? { content, status, version } : undefined;
      return { id: index + 1, content: source, notes: [], translation };
    }),
  );
}

/** Plans the import of a file that a tool wrote. */
async function planned(name: string, options?: PlanOptions) {
  const { read } = await loadCodec(name.endsWith('.po') ? 'gettext' : 'xliff');
  return planImport(read(bytesOf(name)), [await exported()], options);
}

/** What the translator did: segments 7, 9 and 10. */
const TRANSLATED = [
  [7, '<p><b>Pommes</b> &amp; Fisch,<br><a href="/x?a=1&amp;b=2">%s</a>: {0}</p>', 'translated'],
  [9, 'Öffnen', 'translated'],
  [10, 'Öffnen', 'translated'],
];
/** Segments 1 and 2, which are not final. In XLIFF, OmegaT confirms them; in gettext, it leaves out fuzzy texts. */
const CONFIRMED = [
  [1, 'translated'],
  [2, 'translated'],
];

describe.each([
  ['omegat.xlf', CONFIRMED, { unchanged: 4, untranslated: 3 }],
  ['omegat.po', [], { unchanged: 2, untranslated: 5 }],
  ['msgcat.po', [], { unchanged: 2, untranslated: 5 }],
])('%s', (name, confirmed, counts) => {
  it('gives the translator’s texts, and nothing else', async () => {
    const { changes, ...rest } = await planned(name, { changedTextsOnly: true });
    const texts = changes.map(({ segmentId, content, status }) => [segmentId, content, status]);
    expect(texts.sort(([one], [other]) => Number(one) - Number(other))).toEqual(TRANSLATED);
    expect(rest).toEqual({ ...counts, held: [], unknown: 0, faults: [], warnings: [] });
  });

  it('raises the status of what the tool confirmed, and lowers none', async () => {
    const { changes, held } = await planned(name);
    const raised = changes.filter(({ present }) => present);
    expect(raised.map(({ segmentId, status }) => [segmentId, status])).toEqual(confirmed);
    expect(held).toEqual([]);
  });
});
