import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadCodec } from '../codecs.ts';
import { planImport } from '../plan-import.ts';
import { FILE_FORMATS, type FileFormat, type TranslationFile } from '../translation-file.ts';
import { contents, fileOf, files, PROJECT, translated } from './files.ts';

const CARRIES_STATUS = FILE_FORMATS.filter((format) => format !== 'gettext');

async function readBack(format: FileFormat, file: TranslationFile) {
  const codec = await loadCodec(format);
  return codec.read(codec.write(file));
}

describe.each(FILE_FORMATS)('a file in %s', (format) => {
  // In gettext, a translation has the line breaks at both ends of its text.
  const inner = (text: string) => (format === 'gettext' ? text.replace(/^[\r\n]+|[\r\n]+$/g, '') : text);

  it('gives back every segment and translation, character for character', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (file) => {
        const parsed = await readBack(format, file);
        expect(parsed.faults).toEqual([]);
        expect(parsed.projectId).toBe(PROJECT.id);
        expect(
          parsed.entries.map(({ segmentId, languageCode, source, content }) => [
            segmentId,
            languageCode,
            source,
            inner(content),
          ]),
        ).toEqual(
          file.segments.map(({ id, content, translation }) => [
            id,
            expect.stringMatching(/^de[-_]DE$/),
            content,
            inner(translation?.content ?? ''),
          ]),
        );
      }),
    );
  });

  it('changes nothing if it is imported as it was exported', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (file) => {
        const plan = planImport(await readBack(format, file), [file]);
        expect(plan).toMatchObject({ changes: [], held: [], faults: [], unknown: 0 });
        expect(plan.untranslated).toBe(file.segments.filter(({ translation }) => !translation).length);
      }),
    );
  });

  it('holds a segment of 1 MiB', async () => {
    const content = '<p>Übergröße &amp; "more"</p>\r\n'.repeat(33_000);
    const file = fileOf([{ content, translation: translated(content) }]);
    const [entry] = (await readBack(format, file)).entries;
    expect(entry?.source === content && entry.content === content).toBe(true);
  });

  it('cannot be written with an unpaired surrogate', async () => {
    const codec = await loadCodec(format);
    const write = () => codec.write(fileOf([{}, { translation: translated('a\ud800') }]));
    expect(write).toThrow('Segment 2 has a text with an unpaired surrogate');
  });
});

it.each(CARRIES_STATUS)('%s carries every status', async (format) => {
  await fc.assert(
    fc.asyncProperty(files, async (file) => {
      const { entries } = await readBack(format, file);
      expect(entries.map(({ status }) => status)).toEqual(
        file.segments.map(({ translation }) => translation?.status ?? 'untranslated'),
      );
    }),
  );
});

it('translations with the markup of the source have its codes', async () => {
  await fc.assert(
    fc.asyncProperty(contents, async (content) => {
      const { write } = await loadCodec('xliff');
      const text = write(fileOf([{ content, translation: translated(content) }]));
      const inline = (name: string) => text.split(new RegExp(`<${name}[^>]*>`))[1]?.split(`</${name}>`)[0];
      expect(inline('target')).toBe(inline('source'));
    }),
  );
});
