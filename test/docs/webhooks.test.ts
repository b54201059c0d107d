import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../lib/contract/limits.ts';
import { PROBLEMS } from '../../lib/contract/problems.ts';
import { parseSettings, SCHEME_NAMES } from '../../lib/signatures/scheme-settings.ts';
import { checkSample } from '../../lib/webhooks/check-sample.ts';
import { MAX_COMMANDS } from '../../lib/webhooks/mapping/commands.ts';
import { MAX_MAPPING_BYTES } from '../../lib/webhooks/source-admin.ts';
import { readSample } from '../../packages/cli/sample.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { NOW_MS } from '../lib/support.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { routeOf } from '../support/routes.ts';
import { blocks, commandsOf, groupOf, optionsOf, read, sh } from './world.ts';

const PAGE = read('docs/webhooks.md');
const SCHEMES = read('docs/webhook-schemes.md');
const PAGES = PAGE + SCHEMES;

describe('docs/webhooks.md', () => {
  it('has every command, and no unknown option', () => {
    for (const command of commandsOf(groupOf('source')))
      expect(PAGE).toContain(`\`npx --no-install segue ${command}\``);
    const there = new Set(optionsOf(groupOf('source')?.commands));
    // curl has its own options.
    const named = new Set(PAGES.replaceAll(/^curl .*$/gm, '').match(/(?<= |`)--[a-z]+(?:-[a-z]+)*/g));
    for (const other of ['--json', '--stack', '--no-install', '--data-binary']) named.delete(other);
    expect(named).toEqual(there);
  });

  it('has every scheme', () => {
    const rows = [...SCHEMES.matchAll(/^\| `([a-z][a-z-]*)` \|/gm)].map(([, name]) => name);
    expect(rows).toEqual([...SCHEME_NAMES]);
  });

  it('has every problem of this operation below 500, with its status', () => {
    for (const type of routeOf('receiveWebhook').problems) {
      const { status } = PROBLEMS[type];
      if (status < 500) expect(PAGE).toContain(`| ${status} [\`${type}\`](problems/${type}.md) |`);
    }
  });

  it('has the limits of the code', () => {
    for (const bytes of [LIMITS.webhookBytes, MAX_MAPPING_BYTES])
      expect(PAGE).toContain(`${bytes.toLocaleString('en')} bytes`);
    expect(PAGE).toContain(`| commands of one message | ${MAX_COMMANDS} |`);
  });

  it('shows the files of its example unchanged', () => {
    expect(blocks(PAGE, 'js')).toEqual([read('examples/webhooks/cms/send.mjs')]);
    for (const file of ['message.json', 'mapping.jsonata']) {
      const text = read(`examples/webhooks/cms/${file}`);
      expect(PAGE).toContain(text.replaceAll(/^(?=.)/gm, '   '));
    }
  });
});

it.each([
  [
    'cms',
    'mapping.jsonata',
    { event: 'removed', page: { id: 7, revision: 4 } },
    { customId: 'cms/7', revision: 4 },
    { event: 'removed', page: { revision: 4 } },
  ],
  [
    'github',
    'issues.jsonata',
    {
      action: 'unlabeled',
      label: { name: 'translate' },
      issue: { number: 12, updated_at: '2026-11-20T09:30:00Z' },
      repository: { full_name: 'octo-org/website' },
    },
    { customId: 'github/octo-org/website/12', revision: NOW_MS },
    { action: 'unlabeled', label: { name: 'translate' }, issue: {}, repository: { full_name: 'octo-org/website' } },
  ],
])(
  'the example of %s deletes the project that it put, ignores other messages, and needs an id',
  async (name, file, body, named, withoutId) => {
    const mapping = read(`examples/webhooks/${name}/${file}`);
    const check = (sent: unknown) => checkSample(mapping, { headers: {}, body: sent }, { nowMs: NOW_MS });
    expect((await check(body)).commands).toEqual([{ delete: { scope: 'project', ...named } }]);
    expect((await check({ zen: 'Keep it logically awesome.' })).commands).toEqual([]);
    await expect(check(withoutId)).rejects.toThrow('`$assert`');
  },
);

it('the example sender says what to set', async () => {
  const run = (env: Record<string, string>) => sh('node examples/webhooks/cms/send.mjs 2>&1 || echo "exit $?"', env);
  const set = { SECRET: 'whsec_x', MESSAGE: 'examples/webhooks/cms/message.json', SEGUE_URL: 'http://127.0.0.1:1' };
  for (const name of Object.keys(set)) expect(await run({ ...set, [name]: '' })).toMatch(/^Set SECRET .*\nexit 2\n$/);
});

it('the examples put with a revision', async () => {
  for (const [name, mapping, sample, revision] of [
    ['cms', 'mapping.jsonata', 'message.json', 3],
    ['github', 'issues.jsonata', 'labeled.json', NOW_MS],
  ] as const) {
    const input = await readSample(`examples/webhooks/${name}/${sample}`);
    const { commands } = await checkSample(read(`examples/webhooks/${name}/${mapping}`), input, { nowMs: NOW_MS });
    expect(commands).toMatchObject([{ put: { customId: expect.stringContaining(name) }, revision }]);
  }
});

it('the example leaves out blocks without text', async () => {
  const blocksOf = [{ key: 'lead', html: 'Hello' }, { key: 'note', html: '' }, { key: 'more' }];
  const body = { event: 'published', page: { id: 7, revision: 3, title: 'x', blocks: blocksOf } };
  const mapping = read('examples/webhooks/cms/mapping.jsonata');
  const { commands } = await checkSample(mapping, { headers: {}, body }, { nowMs: NOW_MS });
  expect(commands).toMatchObject([{ put: { segments: [{ customId: 'lead', content: 'Hello' }] } }]);
});

describe('the mapping of a project for each revision', () => {
  const page = { ...JSON.parse(read('examples/webhooks/cms/message.json')).page, revision: 3 };
  const [section = ''] = PAGE.split('## Process an edited page\n')[1]?.split(/^## /m) ?? [];
  const [revisions = ''] = blocks(section, '');
  const commands = async (mapping: string, body: unknown) =>
    (await checkSample(mapping, { headers: {}, body }, { nowMs: NOW_MS })).commands;

  it('gives each revision a custom id of its own, and needs one', async () => {
    expect(await commands(revisions, { page })).toMatchObject([{ create: { customId: 'cms/7/3' } }]);
    await expect(commands(revisions, { page: { ...page, revision: undefined } })).rejects.toThrow('`$assert`');
  });
});

it('every system in the table has options that source add accepts', async () => {
  const rows =
    PAGE.split('| system | options |')[1]
      ?.split('\n\n')[0]
      ?.match(/`--scheme [^`]*`/g) ?? [];
  expect(rows).toHaveLength(21);
  for (const row of rows) {
    const [, ...options] = row.replaceAll('`', '').split(/(?:^| )--/);
    const {
      scheme,
      'secret-from-stdin': _,
      ...others
    } = Object.fromEntries(options.map((option) => option.split(' ')));
    const name = SCHEME_NAMES.find((known) => known === scheme);
    // The rows of these two only say where the options are described.
    if (name === 'hmac' || name === 'template') continue;
    const lower = { ...others, ...(others.header && { header: others.header.toLowerCase() }) };
    expect([row, name && parseSettings(name, lower)]).toEqual([row, { settings: { name, ...lower } }]);
  }
});

it('has a row for each scheme, and the scheme of each row', () => {
  const rows = PAGE.split('| system | options |')[1]?.split('\n\n')[0] ?? '';
  const named = new Set(Array.from(rows.matchAll(/--scheme ([a-z-]+)/g), ([, name = '']) => name));
  expect([...named].sort()).toEqual([...SCHEME_NAMES].sort());
});

describe('the commands of docs/webhooks.md', () => {
  let gateway: StartedGateway;
  beforeAll(async () => {
    // The defaults of `npm start`, except port and folder.
    gateway = await startGateway({ env: { SEGUE_COMPANY_ID: '', SEGUE_API_KEY: '' } });
  });
  afterAll(() => gateway.stop());

  /**
   * Runs the commands of a section after the lines that `npm start` printed.
   * @returns the output of each command
   */
  async function paste(heading: string): Promise<string[]> {
    const MARK = '--- next ---';
    const exports = gateway.stdout().match(/^export .*$/gm) ?? [];
    const [section = ''] = PAGE.split(`## ${heading}\n`)[1]?.split(/^## /m) ?? [];
    const commands = blocks(section, 'sh').join(`\necho; echo '${MARK}'\n`);
    const printed = await sh([...exports, 'set -e', commands].join('\n'), { SEGUE_DATA_DIR: gateway.dataDir });
    return printed.split(MARK);
  }

  const LANGUAGE = expect.objectContaining({ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true });

  it('create the project of a first message', async () => {
    const [added = '', sent, read = '', tested] = await paste('Send a first message');
    expect(added).toMatch(/^Secret: whsec_\S+\n[\s\S]*\/webhooks\/cms\n.* makes 1 put\.$/m);
    expect(sent).toMatch(/^202 from \S+\/webhooks\/cms: received\nDelivery: \S+\nResult: \{\n {2}"state": "done",$/m);
    expect(JSON.parse(read)).toMatchObject({
      customId: 'cms/7',
      name: 'Opening hours',
      targetLanguages: [LANGUAGE],
      segments: [{ customId: 'lead' }, { customId: 'note' }],
    });
    expect(tested).toContain('"customId": "cms/7"');

    const [sign = ''] = blocks(PAGE.split('## Sign with Standard Webhooks')[1] ?? '', 'sh');
    const [secret = ''] = /whsec_\S+/.exec(added) ?? [];
    const send = async (script: string) => {
      const signed = await sh(script.replace('whsec_…', secret), { SEGUE_URL: gateway.url });
      expect(signed).toMatch(/^202 \{"deliveryId":"[^"]+"\}\n$/);
      return /"deliveryId":"([^"]+)"/.exec(signed)?.[1] ?? '';
    };
    const again = await send(sign);
    const env = { SEGUE_DATA_DIR: gateway.dataDir };
    const result = async () => expect(await sh(`npx --no-install segue source delivery cms ${again}`, env));
    await vi.waitFor(async () => (await result()).toContain('"outcome": "update"'), EVENTUALLY);

    const folder = temporaryFolder();
    const untitled = join(folder, 'untitled.json');
    const page = { id: 8, revision: 1, blocks: [{ key: 'lead', html: 'Hello' }] };
    writeFileSync(untitled, JSON.stringify({ event: 'published', page }));
    await redriveAsShown(await send(sign.replace('examples/webhooks/cms/message.json', untitled)));
  });

  /** Corrects the mapping for a dead letter without a name, with the commands of docs/webhook-deliveries.md. */
  async function redriveAsShown(id: string): Promise<void> {
    const [section = ''] = read('docs/webhook-deliveries.md').split('## Dead letters')[1]?.split(/^##/m) ?? [];
    const [, ...commands] = blocks(section, 'sh');
    const folder = temporaryFolder();
    const mapping = read('examples/webhooks/cms/mapping.jsonata').replace('body.page.title', '$customId');
    writeFileSync(join(folder, 'mapping.jsonata'), mapping);
    const script = commands
      .join('')
      .replaceAll('<id>', id)
      .replaceAll(' mapping.jsonata', ` ${join(folder, 'mapping.jsonata')}`)
      .replaceAll(' message.json', ' examples/webhooks/cms/message.json');
    const env = { SEGUE_DATA_DIR: gateway.dataDir };
    const isIn = async (state: string) =>
      expect(await sh(`npx --no-install segue source delivery cms ${id}`, env)).toContain(`"state": "${state}"`);
    await vi.waitFor(() => isIn('dead'), EVENTUALLY);
    const printed = await sh(`set -e\n${script}`, env);
    expect(printed).toContain('"customId": "cms/8"');
    expect(printed).toContain(`Open again: cms ${id}`);
    await vi.waitFor(() => isIn('done'), EVENTUALLY);
  }

  it('give a source other scopes, with the commands of docs/webhook-deliveries.md', async () => {
    const env = { SEGUE_DATA_DIR: gateway.dataDir, SEGUE_COMPANY_ID: 'sandbox', SEGUE_URL: gateway.url };
    const [section = ''] =
      read('docs/webhook-deliveries.md').split('### Give a source other scopes')[1]?.split(/^##/m) ?? [];
    const sample = 'examples/webhooks/cms/message.json';
    const script = blocks(section, 'sh')
      .join('')
      .replaceAll(' cms', ' limited')
      .replaceAll(' message.json', ` ${sample}`);
    const files = `--mapping examples/webhooks/cms/mapping.jsonata --sample ${sample}`;
    const add =
      'npx --no-install segue source add limited --company sandbox --scheme standard-webhooks --scopes update';
    await sh(`${add} ${files}`, env);
    const page = { id: 9, revision: 1, title: 'A page', blocks: [{ key: 'lead', html: 'Hello' }] };
    const file = join(temporaryFolder(), 'new.json');
    writeFileSync(file, JSON.stringify({ event: 'published', page }));
    const refused = await sh(`npx --no-install segue source send limited --sample ${file} || true`, env);
    expect(refused).toContain('"problem": "scope-missing"');
    const [, id = ''] = /^Delivery: (\S+)$/m.exec(refused) ?? [];

    expect(await sh(`set -e\n${script}`, env)).toContain(`Open again: limited ${id}`);
    const result = () => sh(`npx --no-install segue source delivery limited ${id}`, env);
    await vi.waitFor(async () => expect(await result()).toContain('"outcome": "create"'), EVENTUALLY);
  });

  it('add a source by a template, and send a sample', async () => {
    const section = SCHEMES.split('## Describe a signature with a template\n')[1]?.split(/^## /m)[0] ?? '';
    const exports = gateway.stdout().match(/^export .*$/gm) ?? [];
    const script = [...exports, 'set -e', 'SECRET=$(openssl rand -hex 32)', ...blocks(section, 'sh')].join('\n');
    const printed = await sh(script, { SEGUE_DATA_DIR: gateway.dataDir, SEGUE_URL: gateway.url });
    expect(printed).toMatch(/^202 from \S+\/webhooks\/pages: received$/m);
  });

  it('add a source with a secret of your own', async () => {
    const [added = ''] = await paste('Find your system');
    expect(added).toMatch(/^The sender must send its messages to \S+\/webhooks\/products$/m);
    expect(added).toMatch(/^products .* woocommerce .*$/m);
  });

  it('create the project of a message of GitHub, and sign by hand', async () => {
    const [added, sent = '', signed = ''] = await paste('Receive from GitHub');
    expect(added).toMatch(/^The sender must send its messages to \S+\/webhooks\/github$/m);
    expect(JSON.parse(sent.slice(sent.indexOf('\n{"') + 1))).toMatchObject({
      customId: 'github/octo-org/website/12',
      targetLanguages: [LANGUAGE],
      segments: [{ content: 'Release notes of May' }, { content: 'The search is twice as fast.' }],
    });
    expect(JSON.parse(signed)).toEqual({ deliveryId: expect.any(String) });
  });
});
