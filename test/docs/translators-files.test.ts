import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TRANSLATION_STATUSES } from '../../lib/contract/translation-status.ts';
import { SegueClient } from '../../packages/client/segue-client.ts';
import { newProject } from '../../packages/client/test/world.ts';
import { loadCodec } from '../../packages/files/codecs.ts';
import { FILE_FAULTS } from '../../packages/files/file-fault.ts';
import { fileOf } from '../../packages/files/test/files.ts';
import { FILE_FORMATS } from '../../packages/files/translation-file.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { startGateway } from '../support/gateway.ts';
import { blocks, groupOf, optionsOf, read, sh } from './world.ts';

const PAGE = read('docs/translators-files.md');
/** Returns the first cells of the rows of the table that a header begins. */
const firstCells = (header: string) => {
  const [, table = ''] = PAGE.split(`| ${header} |`);
  return [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `([^|]+)` \|/gm)].map(([, cell]) => cell);
};

describe('docs/translators-files.md', () => {
  it('has every option, format and fault', () => {
    for (const name of ['export', 'import']) {
      const command = groupOf(name);
      for (const option of optionsOf(command && [command])) expect(PAGE).toContain(`\`${option}\``);
    }
    expect(firstCells('`--format`')).toEqual([...FILE_FORMATS]);
    expect(firstCells('code')).toEqual(Object.keys(FILE_FAULTS));
  });

  it('has the columns of CSV, and the fields of JSON', async () => {
    const [csv, json] = await Promise.all([loadCodec('csv'), loadCodec('json')]);
    const [header] = csv.write(fileOf([])).split('\r\n');
    expect(firstCells('column of CSV')).toEqual(header?.split(','));
    const file = json.write(fileOf([{ customId: 'a', taskId: 't', notes: ['n'] }]));
    const fields = Object.keys(JSON.parse(file).segments[0]);
    for (const field of fields) expect(PAGE).toContain(`\`segments[].${field}\``);
  });

  it('has every status as the formats have it', async () => {
    const rows = [...PAGE.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \| (.*) \|$/gm)].map(([, ...cells]) => cells);
    expect(rows.map(([status]) => status)).toEqual([...TRANSLATION_STATUSES]);
    for (const [name = '', ...cells] of rows) {
      const status = TRANSLATION_STATUSES.find((each) => each === name);
      const translation = status && status !== 'untranslated' ? { content: 'x', status } : undefined;
      for (const [index, format] of (['xliff', 'xliff2', 'gettext'] as const).entries()) {
        const text = (await loadCodec(format)).write(fileOf([{ translation }]));
        const unit = text.slice(text.search(/<trans-unit|<unit|#\. segue-base/));
        for (const [, word = ''] of (cells[index] ?? '').matchAll(/`([a-z:-]+)`/g))
          if (word !== 'msgstr') expect(unit).toContain(`"${word}"`);
        expect(unit.includes('fuzzy')).toBe(cells[index] === 'fuzzy');
        expect(unit.includes('approved="yes"')).toBe((cells[index] ?? '').endsWith('approved'));
        if (format !== 'gettext') expect(unit.includes('<target')).toBe(cells[index] !== 'no `<target>`');
      }
    }
  });
});

it('the commands of docs/translators-files.md export a project, and import the edited file', async () => {
  const gateway = await startGateway();
  onTestFinished(async () => void (await gateway.stop()));
  const { url, companyId, apiKey } = gateway;
  const segue = new SegueClient({ baseUrl: url, companyId, apiKey });
  const { id } = await segue.createProject(newProject);
  const path = join(temporaryFolder(), 'de.xlf');
  const env = { SEGUE_URL: url, SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey, PROJECT_ID: String(id) };
  const [exporting = '', trying = '', importing = ''] = (blocks(PAGE, 'sh')[0] ?? '')
    .replaceAll('de.xlf', path)
    .split('\n');
  expect(await sh(exporting, env)).toContain(`Wrote ${path}\n`);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('</source>', '</source><target state="translated">Hallo</target>'));
  expect(await sh(trying, env)).toContain('\n1 to write, 0 unchanged, 0 without a translation, 0 held back\n');
  expect(await sh(importing, env)).toContain('1 written, 0 unchanged, 0 without a translation, 0 held back\n');
  const [first] = (await segue.getSegments(id)).segments;
  expect(first?.translations).toMatchObject([{ content: 'Hallo', status: 'translated' }]);
});
