import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SKIP_REASONS } from '../../packages/files/fill.ts';
import { SOURCE_FORMATS } from '../../packages/files/source-file.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { startGateway } from '../support/gateway.ts';
import { blocks, groupOf, optionsOf, read, sh } from './world.ts';

const PAGE = read('docs/files.md');
/** Returns the names in the first cells of the rows of the table that a header begins. */
const firstCells = (header: string) => {
  const [, table = ''] = PAGE.split(`| ${header} |`);
  return [...(table.split('\n\n')[0] ?? '').matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
    cell.split(', ').map((name) => name.slice(1, -1)),
  );
};

describe('docs/files.md', () => {
  it('has every option, format and reason', () => {
    const optionsOfCommand = (name: string) => {
      const found = groupOf('projects')?.commands.find((command) => command.name() === name);
      return optionsOf(found && [found]).filter((option) => option !== '--url');
    };
    const options = optionsOfCommand('create');
    expect(firstCells('option of `projects create`').toSorted()).toEqual(options.toSorted());
    const shared = options.filter((option) => !['--validate-only', '--idempotency-key'].includes(option));
    const ofPut = [...firstCells('option of `projects put`'), ...shared];
    expect(ofPut.toSorted()).toEqual(optionsOfCommand('put').toSorted());
    expect(firstCells('`--format`').toSorted()).toEqual([...SOURCE_FORMATS].toSorted());
    expect(firstCells('reason')).toEqual(Object.keys(SKIP_REASONS));
  });
});

it('the commands of docs/files.md create a project, and fill in its file', async () => {
  const gateway = await startGateway();
  onTestFinished(async () => void (await gateway.stop()));
  const { url, companyId, apiKey } = gateway;
  const folder = temporaryFolder();
  const text = '{ "title": "Hello" }\n';
  writeFileSync(join(folder, 'en.json'), text);
  const env = { SEGUE_URL: url, SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey };
  const [creating = '', exporting = ''] = (blocks(PAGE, 'sh')[0] ?? '')
    .replace(/\b(?:en|de)\.json/g, (name) => join(folder, name))
    .split(/(?<=\n)(?=PROJECT_ID=)/);
  const created = await sh(creating, env);
  expect(created).toMatch(/1 segment into de, fr/);
  const id = /Project (\d+)/.exec(created)?.[1];
  expect(await sh(exporting.replace('<id>', `${id}`), env)).toContain(`: ${join(folder, 'de.json')}\n`);
  expect(JSON.parse(readFileSync(join(folder, 'de.json'), 'utf8'))).toHaveProperty('title');
});
