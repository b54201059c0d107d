import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../cli/bulk/tally.ts';
import { summary, writeLines } from '../cli/bulk/manifests.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { segueHere } from '../support/segue.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/bulk.md'), 'utf8');

/** The blocks of code in a language, in their order. */
const blocks = (language: string) =>
  Array.from(page.matchAll(/^```(\w*)\n(.*?)^```$/gms)).flatMap(([, found, text = '']) =>
    found === language ? [text] : [],
  );

describe('docs/bulk.md', () => {
  it('has an example that comes to what it says', async () => {
    const { code, stdout } = await segueHere(temporaryFolder(), 'bulk', join(ROOT, 'examples/bulk/manifest.jsonl'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: blocks('')[0] });
    expect(page).toContain('npm run segue -- bulk examples/bulk/manifest.jsonl');
  });

  it.each([
    ['json', 'manifest.jsonl', '1 already absent'],
    ['csv', 'manifest.csv', '2 already absent'],
  ])('has commands in %s that are some', async (language, name, found) => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [(blocks(language)[0] ?? '').trimEnd()], name);
    const { code, stdout } = await segueHere(folder, 'bulk', manifest);
    expect([code, summary(stdout)]).toEqual([0, `0 created, 0 deleted, ${found}, 0 replayed, 0 failed`]);
  });

  it('has the manifest in CSV and the stack that are in examples', () => {
    expect(blocks('csv')).toContain(readFileSync(join(ROOT, 'examples/bulk/manifest.csv'), 'utf8'));
    expect(blocks('ts')).toContain(readFileSync(join(ROOT, 'examples/bulk/bulk-stack.ts'), 'utf8'));
  });

  it('lists every option of the command, and every outcome', async () => {
    const { stdout } = await segueHere(temporaryFolder(), 'bulk', '--help');
    const options = (text: string) => [...new Set(text.match(/--[a-z]+(?= <|\\| j)/g))].sort();
    const listed = options(
      page
        .slice(page.indexOf('## On this machine'), page.indexOf('## Deployed'))
        .replace('--format json', '--format <'),
    );
    expect(listed).toEqual(options(stdout));
    for (const outcome of [...OUTCOMES, 'failed']) expect(page).toContain(`\`${outcome}\``);
  });
});
