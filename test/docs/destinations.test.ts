import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RESULT_FAILURES } from '../../lib/destinations/deliveries.ts';
import { MAX_DESTINATIONS } from '../../lib/destinations/destinations.ts';
import { MAX_INPUT_BYTES } from '../../lib/destinations/input.ts';
import { REQUEST_LIMITS } from '../../lib/destinations/requests.ts';
import { mapper } from '../../lib/webhooks/mapping/mapper.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { startGateway, textOf } from '../support/gateway.ts';
import { blocks, commandsOf, groupOf, optionsOf, ROOT, read, sh } from './world.ts';

const PAGE = read('docs/destinations.md');
const PORT = '9100';
const MAPPING = 'examples/destinations/mapping.jsonata';

describe('docs/destinations.md', () => {
  it('has every command and option', () => {
    for (const command of commandsOf(groupOf('destination')))
      expect(PAGE).toContain(`\`npx --no-install segue ${command}\``);
    const there = new Set(optionsOf(groupOf('destination')?.commands));
    for (const option of there) expect(PAGE).toContain(option);
  });

  it('has every reason of a failure', () => {
    const rows = [...PAGE.matchAll(/^\| `([a-z-]+)` \| (?!the)/gm)].map(([, name]) => name);
    for (const reason of RESULT_FAILURES) expect(PAGE).toContain(`| \`${reason}\` |`);
    expect(rows.length).toBeGreaterThan(0);
  });

  it('has the limits of the code', () => {
    expect(PAGE).toContain(`up to ${REQUEST_LIMITS.requests} requests`);
    expect(PAGE).toContain(`at most ${REQUEST_LIMITS.bodyBytes / 1_048_576} MiB`);
    expect(PAGE).toContain(`may have ${MAX_INPUT_BYTES / 1_048_576} MiB of JSON`);
    expect(PAGE).toContain(`can have ${MAX_DESTINATIONS} destinations`);
  });

  it('shows the mapping of its example unchanged', () => {
    expect(blocks(PAGE, '')[0]).toBe(read(MAPPING));
  });
});

describe('the mappings of docs/destinations.md', () => {
  const own = mapper();
  afterAll(own.close);
  const [every = '', , onlyChanged = ''] = blocks(PAGE, '');
  const ofProject = (customId: string | null, changed: readonly boolean[] = [true]) => ({
    project: { customId },
    language: { languageCode: 'de-DE' },
    segments: changed.map((isChanged, at) => ({ customId: `s${at}`, translation: `T${at}`, changed: isChanged })),
  });
  const run = (mapping: string, input: object) => own.applyToJson(mapping, JSON.stringify(input), 0);

  it('send nothing of a project of another system', async () => {
    for (const customId of [null, 'shop/7']) expect(await run(every, ofProject(customId))).toBeUndefined();
    expect(await run(every, ofProject('page-7'))).toMatchObject({ method: 'PUT' });
    expect(await run(onlyChanged, ofProject(null))).toBeUndefined();
  });

  it('send a list of what has changed, also of one segment, or nothing', async () => {
    const fieldsOf = (changed: readonly boolean[]) => run(onlyChanged, ofProject('page-7', changed));
    const first = { field: 's0', text: 'T0' };
    expect(await fieldsOf([true, false])).toMatchObject({ method: 'PATCH', body: { fields: [first] } });
    expect(await fieldsOf([true, true])).toMatchObject({ body: { fields: [first, { field: 's1', text: 'T1' }] } });
    expect(await fieldsOf([false, false])).toBeUndefined();
    expect(await fieldsOf([])).toBeUndefined();
  });
});

/** Starts the receiver of the example on a free port. */
async function startReceiver() {
  const child = spawn(process.execPath, [join(ROOT, 'examples/destinations/receiver.mjs')], {
    env: childEnvironment({ PORT: '0' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = textOf(child.stdout);
  await vi.waitFor(() => expect(output()).toContain('is ready at'), EVENTUALLY);
  return { output, port: /127\.0\.0\.1:(\d+)/.exec(output())?.[1] ?? '' };
}

it('the example sends a translation to the receiver, and test shows it', async () => {
  const { output, port } = await startReceiver();
  const gateway = await startGateway({ args: ['--allow-loopback-events'] });
  onTestFinished(async () => void (await gateway.stop()));
  const mapping = join(temporaryFolder(), 'mapping.jsonata');
  writeFileSync(mapping, readFileSync(join(ROOT, MAPPING), 'utf8').replace(PORT, port));
  const here = (script = '') =>
    script
      .replaceAll(MAPPING, mapping)
      .replaceAll(PORT, port)
      .replaceAll('--company sandbox', `--company ${gateway.companyId}`);
  const variables = {
    SEGUE_URL: gateway.url,
    SEGUE_COMPANY_ID: gateway.companyId,
    SEGUE_API_KEY: gateway.apiKey,
    SEGUE_DATA_DIR: gateway.dataDir,
  };
  const [, , add, create, test, readFirst] = blocks(PAGE, 'sh').map(here);
  expect(await sh(add ?? '', variables)).toContain('Added.');
  await sh(create ?? '', variables);
  const [, expected = ''] = blocks(PAGE, '');
  await vi.waitFor(() => expect(output()).toContain(expected), EVENTUALLY);
  const shown = await sh(test ?? '', variables);
  expect(JSON.parse(shown)).toMatchObject({ method: 'PUT', body: expect.stringContaining('"changed":false') });
  expect(shown).not.toContain('a-secret');
  expect(await sh(`${test?.trimEnd()} --send`, variables)).toBe(shown);
  expect(output().match(/^PUT .*a-secret-of-the-cms/gm)).toHaveLength(2);
  expect(await sh(readFirst ?? '', variables)).toContain('Changed');
  await expect(sh(test ?? '', variables)).rejects.toThrow('not with JSON');
  expect(output()).toMatch(/^GET \/entries\/page-7 \(Bearer a-secret-of-the-cms\)$/m);
});
