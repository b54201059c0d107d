import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { MUCH_WORK_MS } from '../../../test/support/much-work.ts';
import { loadCodec } from '../codecs.ts';
import { files } from './files.ts';

const FOLDER = join(import.meta.dirname, '../../../test/data/xliff');
const schemaFile = (fileName: string) => ({ fileName, contents: readFileSync(join(FOLDER, fileName), 'utf8') });

it.each([
  ['xliff', 'xliff-core-1.2-strict.xsd'],
  ['xliff2', 'xliff-core-2.0.xsd'],
] as const)(
  'exported files in %s are valid by the schema of OASIS, whatever the content',
  { timeout: MUCH_WORK_MS },
  async (format, schema) => {
    const { write } = await loadCodec(format);
    const samples = fc.sample(files, { numRuns: 200, seed: 7 });
    const xml = samples.map((file, index) => ({ fileName: `${index}.xlf`, contents: write(file) }));
    const preload = [schemaFile('xml.xsd')];
    const { errors } = await validateXML({ xml, schema: [schemaFile(schema)], preload });
    expect(errors).toEqual([]);
    const [{ contents = '' } = {}] = xml;
    const broken = { fileName: 'broken.xlf', contents: contents.replaceAll('<source>', '<source x="">') };
    expect(await validateXML({ xml: [broken], schema: [schemaFile(schema)], preload })).toMatchObject({ valid: false });
  },
);
