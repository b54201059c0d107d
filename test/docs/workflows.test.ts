import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { addCompany } from '../support/segue.ts';
import { blocks, read, sh } from './world.ts';

const PAGE = read('docs/workflows.md');

describe('docs/workflows.md', () => {
  it('shows the definition of its example unchanged', () => {
    expect(blocks(PAGE, 'json')).toContain(read('examples/workflow/create.asl.json'));
  });

  it('shows a state machine on this machine with its real output', async () => {
    const SEGUE_DATA_DIR = temporaryFolder();
    await addCompany(SEGUE_DATA_DIR, 'sandbox');
    const command = blocks(PAGE, 'sh').find((block) => block.includes('create.asl.json')) ?? 'false';
    const printed = await sh(`${command.trimEnd()} 2>&1`, { SEGUE_DATA_DIR });
    expect(printed.replace(/(?<="projectId": )\d+/, '228899643141235')).toBe(blocks(PAGE, 'text')[0]);
  });

  it('runs the example of JSONata', async () => {
    const SEGUE_DATA_DIR = temporaryFolder();
    await addCompany(SEGUE_DATA_DIR, 'sandbox');
    const command = blocks(PAGE, 'sh').find((block) => block.includes('create.asl.json')) ?? 'false';
    const printed = await sh(command.replace('create.asl', 'create-jsonata.asl'), { SEGUE_DATA_DIR });
    expect(JSON.parse(printed)).toEqual({ projectId: expect.any(Number), name: 'Spring catalogue' });
  });

  it('has an example that waits by a task token', async () => {
    const SEGUE_DATA_DIR = temporaryFolder();
    await addCompany(SEGUE_DATA_DIR, 'sandbox');
    const input = join(SEGUE_DATA_DIR, 'input.json');
    writeFileSync(input, '{ "projectId": 1 }');
    const command = `npx --no-install segue workflow run examples/workflow/wait.asl.json --input ${input} 2>&1 || true`;
    const printed = await sh(command, { SEGUE_DATA_DIR });
    expect(printed).toContain('Begin: done\nWait: Segue.Terminal.project-not-found\n');
  });
});
