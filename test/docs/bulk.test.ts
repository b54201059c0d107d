import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../cli/bulk/report.ts';
import { manifestsInS3 } from '../../lib/workflow/bulk/manifests-in-s3.ts';
import { prepareBulkTask } from '../../lib/workflow/bulk/prepare-bulk.ts';
import { summary, writeLines } from '../cli/world.ts';
import { contextOf } from '../lib/http/fixture.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { options } from '../lib/workflow/world.ts';
import { S3StandIn } from '../support/aws/s3.ts';
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

  it('has a command that is one', async () => {
    const folder = temporaryFolder();
    const manifest = writeLines(folder, [(blocks('json')[0] ?? '').trimEnd()]);
    const { code, stdout } = await segueHere(folder, 'bulk', manifest);
    expect([code, summary(stdout)]).toEqual([0, '0 created, 0 deleted, 1 already absent, 0 already done, 0 failed']);
  });

  it('has an input of the state machine that prepares a manifest', async () => {
    const { key, ...input } = JSON.parse(blocks('json')[1] ?? '');
    const s3 = new S3StandIn();
    s3.write(key, Buffer.from('{}'));
    const prepare = prepareBulkTask(manifestsInS3(s3.bucket, s3.newClient()), options);
    const prepared = await prepare({ companyId: 'acme', object: { key, ...input } }, contextOf());
    expect(prepared).toMatchObject({ entries: 1, ...input });
  });

  it('has the stack that is in examples', () => {
    expect(blocks('ts')).toContain(readFileSync(join(ROOT, 'examples/bulk/bulk-stack.ts'), 'utf8'));
  });

  it('lists every option of the command, and every outcome', async () => {
    const { stdout } = await segueHere(temporaryFolder(), 'bulk', '--help');
    const options = (text: string) => [...new Set(text.match(/--[a-z-]+(?= <|`| {2})/g))].sort();
    const listed = options(page.slice(page.indexOf('## On this machine'), page.indexOf('### Results')));
    expect(listed).toEqual(options(stdout).filter((option) => option !== '--help'));
    for (const outcome of [...OUTCOMES, 'failed']) expect(page).toContain(`\`${outcome}\``);
  });
});
