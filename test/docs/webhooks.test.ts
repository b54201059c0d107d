import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../../cli/program.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { PROBLEMS } from '../../lib/contract/problems.ts';
import { routeOf } from '../../lib/contract/routes.ts';
import { checkSample, MAX_COMMANDS } from '../../lib/webhooks/mapping/commands.ts';
import { SCHEME_NAMES } from '../../lib/webhooks/signature-schemes/schemes.ts';
import { MAX_MAPPING_BYTES } from '../../lib/webhooks/source-admin.ts';
import { NOW_MS } from '../lib/support.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8');
const source = program({ env: {}, out: () => {}, err: () => {} }).commands.find(
  (command) => command.name() === 'source',
);

describe('docs/webhooks.md', () => {
  it('has every command, and no option that there is not', () => {
    const commands = source?.commands ?? [];
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const words = [
        'source',
        command.name(),
        ...command.registeredArguments.map((argument) => `<${argument.name()}>`),
      ];
      expect(PAGE).toContain(`\`npm run segue -- ${words.join(' ')}\``);
    }
    const there = commands.flatMap(({ options }) => options.map(({ long }) => long));
    // curl has options of its own
    const named = PAGE.replaceAll(/^curl .*$/gm, '').match(/(?<= |`)--[a-z]+(?:-[a-z]+)*/g) ?? [];
    expect(
      [...new Set(named)].filter((option) => option !== '--stack' && !there.some((known) => known === option)),
    ).toEqual([]);
    expect(there.filter((option) => option !== undefined && !named.some((known) => known === option))).toEqual([]);
  });

  it('has every scheme', () => {
    const rows = [...PAGE.matchAll(/^\| `([a-z][a-z-]*)` \|/gm)].map(([, name]) => name);
    expect(rows).toEqual([...SCHEME_NAMES]);
  });

  it('has every problem that is an answer of this door alone, with its status', () => {
    for (const type of routeOf('receiveWebhook').problems) {
      const { status } = PROBLEMS[type];
      if (status < 500) expect(PAGE).toContain(`| ${status} [\`${type}\`](problems/${type}.md) |`);
    }
  });

  it('has the limits as they are', () => {
    for (const bytes of [LIMITS.webhookBytes, MAX_MAPPING_BYTES])
      expect(PAGE).toContain(`${bytes.toLocaleString('en')} bytes`);
    expect(PAGE).toContain(`| commands of one message | ${MAX_COMMANDS} |`);
  });

  it('shows the files of its example as they are', () => {
    for (const file of ['message.json', 'mapping.jsonata']) {
      const text = readFileSync(join(ROOT, 'examples/webhooks/cms', file), 'utf8');
      expect(PAGE).toContain(text.replaceAll(/^(?=.)/gm, '   '));
    }
  });
});

it.each([
  ['cms', 'mapping.jsonata', { event: 'removed', page: { id: 7 } }, 'cms/7'],
  [
    'github',
    'issues.jsonata',
    {
      action: 'unlabeled',
      label: { name: 'translate' },
      issue: { number: 12 },
      repository: { full_name: 'octo-org/website' },
    },
    'github/octo-org/website/12',
  ],
])('the example of %s deletes what it made, and ignores other messages', async (name, file, body, customId) => {
  const mapping = readFileSync(join(ROOT, 'examples/webhooks', name, file), 'utf8');
  const check = (sent: unknown) => checkSample(mapping, { headers: {}, body: sent }, NOW_MS);
  expect((await check(body)).commands).toEqual([{ delete: { scope: 'project', customId } }]);
  expect((await check({ zen: 'Keep it logically awesome.' })).commands).toEqual([]);
});

/** The commands of a section, without the indentation of its list, in the order of the page. */
function commandsOf(heading: string): string[] {
  const [section = ''] = PAGE.split(`## ${heading}\n`)[1]?.split(/^## /m) ?? [];
  return [...section.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

describe('what a newcomer pastes from docs/webhooks.md', () => {
  let gateway: StartedGateway;
  beforeAll(async () => {
    // as a newcomer starts it, but for the port and the folder
    gateway = await startGateway({ env: { SEGUE_COMPANY_ID: '', SEGUE_API_KEY: '' } });
  });
  afterAll(() => gateway.stop());

  /** Runs the commands of a section after the lines that `npm start` printed. @returns what each of them printed */
  async function paste(heading: string): Promise<string[]> {
    const MARK = '--- next ---';
    const exports = gateway.stdout().match(/^export .*$/gm) ?? [];
    const script = [...exports, 'set -e', commandsOf(heading).join(`\necho; echo '${MARK}'\n`)].join('\n');
    const env = childEnvironment({
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}:${join(ROOT, 'test/support/bin')}`,
      SEGUE_DATA_DIR: gateway.dataDir,
    });
    const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: ROOT, env });
    return stdout.split(MARK);
  }

  const LANGUAGE = expect.objectContaining({ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true });

  it('makes the project of a first message', async () => {
    const [added, sent, read = ''] = await paste('Send a first message');
    expect(added).toMatch(/^Secret: whsec_\S+\n[\s\S]*\/webhooks\/cms\n.* makes 1 creation\.$/m);
    expect(sent).toMatch(/^202 from \S+\/webhooks\/cms: received\nDelivery: \S+\nResult: \{\n {2}"state": "done",$/m);
    expect(JSON.parse(read)).toMatchObject({
      customId: 'cms/7',
      name: 'Opening hours',
      targetLanguages: [LANGUAGE],
      segments: [{ customId: 'lead' }, { customId: 'note' }],
    });
  });

  it('makes the project of a message of GitHub, and signs by hand', async () => {
    const [added, sent = '', signed = ''] = await paste('Receive from GitHub');
    expect(added).toMatch(/^Its messages go to \S+\/webhooks\/github$/m);
    expect(JSON.parse(sent.slice(sent.indexOf('\n{"') + 1))).toMatchObject({
      customId: 'github/octo-org/website/12',
      targetLanguages: [LANGUAGE],
      segments: [{ content: 'Release notes of May' }, { content: 'The search is twice as fast.' }],
    });
    expect(JSON.parse(signed)).toEqual({ deliveryId: expect.any(String) });
  });
});
