import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { childEnvironment } from '../support/child-environment.ts';
import { type StartedGateway, startGateway, textOf } from '../support/gateway.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { blocks, ROOT, read, sh, timeless } from './world.ts';

// The translation takes longer on a busy machine.
vi.setConfig({ testTimeout: MUCH_WORK_MS });

const PATH = `${process.env['PATH']}:${join(ROOT, 'test/support/bin')}`;
const FIRST_PROJECT = read('docs/first-project.md');

let gateway: StartedGateway;
beforeAll(async () => {
  // The defaults of `npm start`, except port and folder.
  gateway = await startGateway({ env: { SEGUE_COMPANY_ID: '', SEGUE_API_KEY: '' } });
});
afterAll(() => gateway.stop());

/** Returns the printed lines to paste into another terminal, up to the end of the first request. */
function printed(): { readonly exports: string; readonly request: string } {
  const { exports = '', request = '' } =
    /^(?<exports>export .*\nexport .*\n)[\s\S]*?\n(?<request>curl [\s\S]*?^EOF\n)/m.exec(gateway.stdout())?.groups ??
    {};
  return { exports, request };
}

/** Runs a script after the printed lines. */
const run = (script: string, variables?: Readonly<Record<string, string>>) => sh(printed().exports + script, variables);

/** Pastes text into an interactive shell that reads no files of the user. */
async function paste(shell: string, text: string): Promise<string> {
  const child = spawn(shell, ['-i'], {
    env: childEnvironment({ PATH, HOME: '/nowhere' }),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const stdout = textOf(child.stdout);
  child.stdin.end(text);
  await once(child, 'close');
  return stdout();
}

/** The usual shells on this machine. */
const SHELLS = ['sh', 'bash', 'dash', 'zsh'].filter((shell) => !spawnSync(shell, ['-c', 'true']).error);

describe('docs/first-project.md', () => {
  it('shows what npm start prints', () => {
    const [shown] = blocks(FIRST_PROJECT, 'text');
    const said = gateway
      .stdout()
      .replaceAll(gateway.url, 'http://127.0.0.1:8787')
      // The page shows a start with the default folder.
      .replace(/ SEGUE_DATA_DIR='[^']+'/, '')
      .replace(/seg_\w{47}/, 'seg_…');
    expect(said).toBe(shown);
  });

  it.each(SHELLS)('shows the answer to the first request, pasted into %s as npm start prints it', async (shell) => {
    const { exports, request } = printed();
    const [shown = ''] = blocks(FIRST_PROJECT, 'json');
    expect(timeless(await paste(shell, exports + request))).toEqual(timeless(shown));
  });

  it('shows the progress and the translations, also on the command line, and deletes the task and the project', async () => {
    const [, reads = '', remove = ''] = blocks(FIRST_PROJECT, 'sh');
    const [, ...shown] = blocks(FIRST_PROJECT, 'json');
    const { id } = z.object({ id: z.int() }).parse(JSON.parse(await run(printed().request)));
    const [setId = '', readProgress = '', readSegments = ''] = reads
      .replace(/^PROJECT_ID=<id>$/m, `PROJECT_ID=${id}`)
      .split(/(?<=\n)(?=curl )/);
    const wasRead = async () => expect(timeless(await run(setId + readProgress))).toEqual(timeless(shown[0] ?? ''));
    await vi.waitFor(wasRead, MUCH_WORK_MS);
    expect(timeless(await run(setId + readSegments))).toEqual(timeless(shown[1] ?? ''));
    const [showResults = ''] = blocks(read('docs/read-projects.md'), 'sh');
    const results = await run(showResults, { PROJECT_ID: String(id) });
    expect(results).toContain('100');
    expect(results).toContain('[Ĥéļļö, ŵöŕļð…]');
    expect(timeless(await run(setId + remove))).toEqual(timeless(shown[2] ?? ''));
    const found = await run(`curl -sS "$SEGUE_URL/segments/projects/${id}" -u "$SEGUE_COMPANY_ID:$SEGUE_API_KEY"`);
    expect(JSON.parse(found)).toMatchObject({ status: 404, deletedAtUtc: expect.any(String) });
  });
});

describe('the pages of HTTP', () => {
  it('show the plan of a deletion and its receipt', async () => {
    const page = read('docs/delete-projects.md');
    const [remove = '', plan = ''] = blocks(page, 'sh');
    const [receipt = '', planned = ''] = blocks(page, 'json');
    const created = await run(printed().request.replace('{', '{ "customId": "cms/4711",'));
    const { id } = z.object({ id: z.int() }).parse(JSON.parse(created));
    const answer = timeless(await run(plan, { PROJECT_ID: String(id) }));
    expect(answer).toEqual(Object.assign({}, timeless(planned), { plan: expect.any(String) }));
    expect(timeless(await run(remove))).toEqual(timeless(receipt));
  });

  it('obtain tokens, and refresh them', async () => {
    const [obtain = '', oauth = '', refresh = ''] = blocks(read('docs/authentication.md'), 'sh');
    const pair = { AccessToken: expect.any(String), RefreshToken: expect.any(String), expiresIn: 1800 };
    const first = JSON.parse(await run(obtain));
    expect(first).toEqual(pair);
    const second = JSON.parse(await run(refresh, { REFRESH_TOKEN: first.RefreshToken }));
    expect(second).toEqual(pair);
    expect(second.RefreshToken).not.toBe(first.RefreshToken);
    expect(JSON.parse(await run(oauth))).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 1800,
      scope: 'create read',
    });
  });
});
