import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MAX_ALLOWED_HOSTS } from '../../lib/service/allowed-hosts.ts';
import { FETCH_LIMITS } from '../../lib/webhooks/fetch-entry.ts';
import { MISSING_MS } from '../../lib/webhooks/fetch-failure.ts';
import { FETCH_SETTINGS } from '../../lib/webhooks/source-fetch.ts';
import { portOf } from '../lib/upstream/server.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { blocks, ROOT, read, sh } from './world.ts';

const PAGE = read('docs/fetch-entries.md');

/** Returns a port on which nothing listens. */
async function freePort(): Promise<string> {
  const server = createServer();
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const port = portOf(server.address());
  server.close();
  return String(port);
}

describe('docs/fetch-entries.md', () => {
  it('has the limits of the code', () => {
    const { ms, bytes, urls, redirects, urlCharacters } = FETCH_LIMITS;
    for (const row of [
      `the time for all requests of a message | ${ms / 1_000} seconds`,
      `before and after decoding | ${bytes.toLocaleString('en')} bytes`,
      `URLs of a message | ${urls}`,
      `a URL | ${urlCharacters.toLocaleString('en')} characters`,
      `redirects of a request | ${redirects}`,
      `hosts of a fetch | ${MAX_ALLOWED_HOSTS}`,
      `the fetch expression | ${FETCH_SETTINGS.expressionCharacters.toLocaleString('en')} characters`,
      `404 | It tries again for ${MISSING_MS / 60_000} minutes`,
    ])
      expect(PAGE).toContain(`| ${row}`.replace('| before', 'before'));
  });

  it('shows the files of its example unchanged', () => {
    expect(PAGE).toContain(read('examples/webhooks/fetch/mapping.jsonata').replaceAll(/^(?=.)/gm, '   '));
    expect(PAGE).toContain(read('examples/webhooks/fetch/message.json').trim());
  });
});

describe('the commands of docs/fetch-entries.md', () => {
  let gateway: StartedGateway;
  let port: string;
  let stopSystem: () => void;
  beforeAll(async () => {
    port = await freePort();
    const env = childEnvironment({ PORT: port });
    const system = spawn(process.execPath, [join(ROOT, 'examples/webhooks/fetch/cms.mjs')], { env, stdio: 'ignore' });
    stopSystem = () => void system.kill();
    gateway = await startGateway({
      args: ['--allow-loopback-events'],
      env: { SEGUE_COMPANY_ID: '', SEGUE_API_KEY: '' },
    });
    const answers = () => fetch(`http://127.0.0.1:${port}/entries/7`);
    await vi.waitFor(async () => expect((await answers()).status).toBe(401), EVENTUALLY);
  });
  afterAll(async () => {
    stopSystem();
    await gateway.stop();
  });

  it('create the project of a fetched entry, and show no secret', async () => {
    const MARK = '--- next ---';
    const exports = gateway.stdout().match(/^export .*$/gm) ?? [];
    const commands = blocks(PAGE, 'sh').join(`\necho; echo '${MARK}'\n`).replaceAll('8790', port);
    const env = { SEGUE_DATA_DIR: gateway.dataDir };
    const printed = await sh([...exports, 'set -e', commands].join('\n'), env);
    const [added = '', tested = '', sent = ''] = printed.split(MARK);
    expect(added).toContain('only the syntax of the mapping was checked');
    expect(JSON.parse(tested)).toMatchObject({ put: { name: 'Opening hours', customId: 'entry/7' }, revision: 3 });
    expect(sent).toMatch(/"state": "done"/);
    const project: unknown = JSON.parse(sent.slice(sent.lastIndexOf('\n{')));
    expect(project).toMatchObject({ customId: 'entry/7', segments: [{ customId: 'lead' }, { customId: 'note' }] });
    const listed = await sh('npx --no-install segue source list --json', env);
    expect(JSON.parse(listed)).toMatchObject({ fetch: { hosts: [`127.0.0.1:${port}`], hasSecret: true } });
    expect(printed + listed + gateway.stdout() + gateway.stderr()).not.toContain('example-token');
  });
});
