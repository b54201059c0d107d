import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifestsInS3 } from '../../lib/workflow/bulk/manifests-in-s3.ts';
import { prepareBulkTask } from '../../lib/workflow/bulk/prepare-bulk.ts';
import { OUTCOMES } from '../../packages/cli/bulk/report.ts';
import { summary, writeLines } from '../../packages/cli/test/world.ts';
import { contextOf } from '../lib/http/fixture.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { options } from '../lib/workflow/world.ts';
import { S3StandIn } from '../support/aws/s3.ts';
import { segueHere } from '../support/segue.ts';
import { blocks, optionsOf, ROOT, read, SEGUE } from './world.ts';

const PAGE = read('docs/bulk.md');
const [command = '', input = ''] = blocks(PAGE, 'json');

describe('docs/bulk.md', () => {
  it('has an example with its real output', async () => {
    const { code, stdout } = await segueHere(temporaryFolder(), 'bulk', join(ROOT, 'examples/bulk/manifest.jsonl'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: blocks(PAGE, '')[0] });
    expect(PAGE).toContain('npx --no-install segue bulk examples/bulk/manifest.jsonl');
  });

  it('has a command that runs', async () => {
    const folder = temporaryFolder();
    const { code, stdout } = await segueHere(folder, 'bulk', writeLines(folder, [command.trimEnd()]));
    expect([code, summary(stdout)]).toEqual([0, '0 created, 0 deleted, 1 already absent, 0 already done, 0 failed']);
  });

  it('has an input of the state machine that prepares a manifest', async () => {
    const { key, ...rest } = JSON.parse(input);
    const s3 = new S3StandIn();
    s3.write(key, Buffer.from('{}'));
    const prepare = prepareBulkTask(manifestsInS3(s3.bucket, s3.newClient()), options);
    const prepared = await prepare({ companyId: 'acme', object: { key, ...rest } }, contextOf());
    expect(prepared).toMatchObject({ entries: 1, ...rest });
  });

  it('has the stack of the examples, every option of the command, and every outcome', () => {
    expect(blocks(PAGE, 'ts')).toContain(read('examples/bulk/bulk-stack.ts'));
    const section = PAGE.slice(PAGE.indexOf('## On this machine'), PAGE.indexOf('### Results'));
    const listed = new Set(section.match(/--[a-z-]+(?= <|`| {2})/g));
    expect(listed).toEqual(new Set(optionsOf(SEGUE.commands.filter((each) => each.name() === 'bulk'))));
    for (const outcome of [...OUTCOMES, 'failed']) expect(PAGE).toContain(`\`${outcome}\``);
  });
});
