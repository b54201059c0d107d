import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import { childEnvironment } from '../support/child-environment.ts';
import { type StartedGateway, startGateway, textOf } from '../support/gateway.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { blocks, ROOT, read, sh, timeless } from './world.ts';

// The translation takes longer on a busy machine.
vi.setConfig({ testTimeout: MUCH_WORK_MS });

const PATH = `${process.env['PATH']}:${join(ROOT, 'test/support/bin')}`;
const FIRST_PROJECT = read('docs/first-project.md');
/** The command that waits for translations, with shorter pauses. */
const WAIT = (blocks(read('docs/read-projects.md'), 'sh')[0] ?? '').replace('sleep 2', 'sleep 0.1');
const Created = z.object({ id: z.int(), targetLanguages: z.array(z.unknown()) });
const Plan = z.object({ plan: z.string() });

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
    const { id } = Created.parse(JSON.parse(await run(printed().request)));
    const [setId = '', readProgress = '', readSegments = ''] = reads
      .replace(/^PROJECT_ID=<id>$/m, `PROJECT_ID=${id}`)
      .split(/(?<=\n)(?=curl )/);
    const wasRead = async () => expect(timeless(await run(setId + readProgress))).toEqual(timeless(shown[0] ?? ''));
    await vi.waitFor(wasRead, MUCH_WORK_MS);
    expect(timeless(await run(setId + readSegments))).toEqual(timeless(shown[1] ?? ''));
    const [, showResults = ''] = blocks(read('docs/read-projects.md'), 'sh');
    const results = await run(showResults, { PROJECT_ID: String(id) });
    expect(results).toContain('100');
    expect(results).toContain('[Ĥéļļö, ŵöŕļð…]');
    expect(timeless(await run(setId + remove))).toEqual(timeless(shown[2] ?? ''));
    const found = await run(`curl -sS "$SEGUE_URL/segments/projects/${id}" -u "$SEGUE_COMPANY_ID:$SEGUE_API_KEY"`);
    expect(JSON.parse(found)).toMatchObject({ status: 404, deletedAtUtc: expect.any(String) });
  });
});

describe('the pages of HTTP', () => {
  it('plan and delete a task, and then the project, from top to bottom of the page', async () => {
    const page = read('docs/delete-projects.md');
    const [setId = '', plan = '', remove = '', commands = '', removeAll = ''] = blocks(page, 'sh');
    const [planned = '', receipt = ''] = blocks(page, 'json');
    const { id } = Created.parse(JSON.parse(await run(printed().request)));
    const filled = (script: string, value = '') =>
      setId.replace('<id>', String(id)) + script.replace('"<plan>"', `"${value}"`);

    const answer = await run(filled(plan));
    expect(timeless(answer)).toEqual(Object.assign({}, timeless(planned), { plan: expect.any(String) }));
    const deletion = filled(remove, Plan.parse(JSON.parse(answer)).plan);
    expect(timeless(await run(deletion))).toEqual(timeless(receipt));
    expect(JSON.parse(await run(deletion.replace('?taskId=front-page', '')))).toMatchObject({ status: 412 });

    const shown = await run(filled(commands));
    const [, planOfAll = ''] = /delete \d+ --plan (\S+)\s*$/.exec(shown) ?? [];
    expect(await run(filled(removeAll, planOfAll))).toContain('deleted');
  });

  it('create, change, plan and outdate a project, from top to bottom of the page', async () => {
    const page = read('docs/put-projects.md');
    const [create = '', change = '', plan = '', apply = '', late = '', readBack = ''] = blocks(page, 'sh');
    const [created = '', changed = '', planned = '', outdated = ''] = blocks(page, 'json');
    const [define = ''] = /^put\(\) \{.*?^EOF\n\}\n/ms.exec(create) ?? [];

    expect(timeless(await run(create))).toEqual(timeless(created));
    expect(timeless(await run(define + change))).toEqual(timeless(changed));
    expect(JSON.parse(await run(define + change))).toMatchObject({ outcome: 'unchanged' });
    const answered = await run(define + plan);
    expect(timeless(answered)).toEqual(Object.assign({}, timeless(planned), { plan: expect.any(String) }));
    const applyPlan = define + apply.replace('"<plan>"', `"${Plan.parse(JSON.parse(answered)).plan}"`);
    expect(JSON.parse(await run(applyPlan))).toMatchObject({ outcome: 'update', segments: { kept: 1, changed: 1 } });
    expect(JSON.parse(await run(applyPlan))).toMatchObject({ status: 412 });
    const [, answer = ''] = (await run(define + late)).split('\n');
    expect(timeless(answer)).toEqual(timeless(outdated));
    const kept = { segments: { kept: 2, changed: 0, added: 0, removed: 0 }, targetLanguages: { kept: 1 } };
    expect(JSON.parse(await run(readBack))).toMatchObject({ outcome: 'update', ...kept });
    expect(JSON.parse(await run(readBack))).toMatchObject({ outcome: 'unchanged' });
  });

  it('wait until Segue has translated a project', async () => {
    const { id } = Created.parse(JSON.parse(await run(printed().request)));
    const [language] = Created.parse(JSON.parse(await run(WAIT, { PROJECT_ID: String(id) }))).targetLanguages;
    expect(language).toMatchObject({ progress: 100, automaticTranslation: { state: 'done' } });
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

it('the wait of docs/read-projects.md ends if the translation failed, as the page shows it', async () => {
  const page = read('docs/read-projects.md');
  const withoutEngine = await startGateway({ env: { SEGUE_TRANSLATION_ENGINE: 'none' } });
  onTestFinished(async () => void (await withoutEngine.stop()));
  const { url, companyId, apiKey } = withoutEngine;
  const account = { SEGUE_URL: url, SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey };
  const { id } = Created.parse(JSON.parse(await sh(printed().request, account)));
  const answer = await sh(WAIT, { ...account, PROJECT_ID: String(id) });
  const shown = JSON.parse(blocks(page, 'json').find((block) => block.includes('failed')) ?? '');
  expect(Created.parse(JSON.parse(answer)).targetLanguages).toMatchObject([
    { progress: 0, automaticTranslation: shown },
  ]);
});
