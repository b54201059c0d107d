import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createApiKey } from '../../lib/credentials/api-key.ts';
import { creation, namesIn, writeLines } from '../../packages/cli/test/world.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { json, playService } from '../lib/upstream/server.ts';
import { addCompany, segue, segueWith } from '../support/segue.ts';
import { CTRL_C, inTerminal } from './in-terminal.ts';

const REDRAWN = '\r\x1b[K';
const BOLD = '\x1b[1m';
const RED = '\x1b[31m';

describe('a run of a manifest in a terminal', () => {
  const all = Array.from({ length: 200 }, (_, n) => `project ${String(n).padStart(3, '0')}`);
  const manifestIn = (folder: string) =>
    writeLines(
      folder,
      all.map((name) => creation({ name })),
    );

  it('shows its progress on one line, which the summary replaces', async () => {
    const folder = temporaryFolder();
    const bulk = inTerminal({ SEGUE_DATA_DIR: folder }, 'bulk', manifestIn(folder));
    expect(await bulk.ended).toBe(0);
    const shown = bulk.shown();
    expect(shown).toContain(`${REDRAWN}100 %: 200 of 200 entries, 0 failed${REDRAWN}200 created, 0 deleted`);
    expect(shown.split('\r\n').filter(Boolean)).toHaveLength(1);
  });

  it('ends at Ctrl-C with each line done or not begun, and goes on when it runs again', async () => {
    const folder = temporaryFolder();
    const args = ['bulk', manifestIn(folder), '--concurrency', '1'];
    const first = inTerminal({ SEGUE_DATA_DIR: folder }, ...args);
    await first.until('0 %: ');
    first.type(CTRL_C);
    expect(await first.ended).toBe(1);
    expect(first.shown()).toContain('the run was stopped: run the same command again to continue\r\n');
    const made = (await namesIn(folder)).length;
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(all.length);
    const again = await segue(folder, ...args);
    expect(again.stdout).toBe(`${all.length - made} created, 0 deleted, ${made} already done, 0 failed\n`);
    expect(await namesIn(folder)).toEqual(all);
  });

  it('prints no control sequences if it is piped', async () => {
    const folder = temporaryFolder();
    const { code, stdout, stderr } = await segue(folder, 'bulk', manifestIn(folder));
    expect(code).toBe(0);
    for (const control of ['\r', '\x1b']) expect(stdout + stderr).not.toContain(control);
    expect(stderr).toContain('100 %: 200 of 200 entries, 0 failed\n');
  });
});

describe('the style of output', () => {
  it('is on a terminal only, and without NO_COLOR', async () => {
    const folder = temporaryFolder();
    await addCompany(folder, 'acme');
    const list = async (env: Readonly<Record<string, string>> = {}) => {
      const command = inTerminal({ SEGUE_DATA_DIR: folder, ...env }, 'company', 'list');
      expect(await command.ended).toBe(0);
      return command.shown();
    };
    expect((await list()).startsWith(`${BOLD}COMPANY `)).toBe(true);
    expect(await list({ NO_COLOR: '1' })).toMatch(/^COMPANY /);
    const piped = await segue(folder, 'company', 'list');
    expect(piped.stdout).toMatch(/^COMPANY /);
    expect(piped.stdout).not.toContain('\x1b');
  });

  it('marks errors', async () => {
    const folder = temporaryFolder();
    await addCompany(folder, 'acme');
    const env = { SEGUE_DATA_DIR: folder };
    const command = inTerminal(env, 'company', 'suspend', 'nobody');
    expect(await command.ended).toBe(1);
    expect(command.shown()).toContain(`${RED}segue:`);
    expect((await segueWith(env, 'company', 'suspend', 'nobody')).stderr).toMatch(/^segue: /);
  });
});

it('a command that waits for the API says so on a line that goes when it prints', async () => {
  const { url } = await playService(async (_, response) => {
    await setTimeout(1_600);
    response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  });
  const env = { SEGUE_URL: url, SEGUE_COMPANY_ID: 'acme', SEGUE_API_KEY: createApiKey().apiKey };
  const waiting = inTerminal(env, 'languages');
  expect(await waiting.ended).toBe(0);
  expect(waiting.shown()).toContain(`${REDRAWN}Waiting for ${url} (1 s)${REDRAWN}No languages.`);
  const piped = await segueWith(env, 'languages');
  expect(piped.stderr).toBe('No languages.\n');
});

describe('segue login in a terminal', () => {
  const { apiKey } = createApiKey();

  async function login() {
    const { url } = await playService(json(200, []));
    const config = temporaryFolder();
    const file = join(config, 'segue/login.json');
    return { file, command: inTerminal({ XDG_CONFIG_HOME: config }, 'login', '--company', 'acme', '--url', url) };
  }

  it('asks for the key, and does not show it', async () => {
    const { file, command } = await login();
    await command.until('API key: ');
    command.type(`${apiKey}\r`);
    expect(await command.ended).toBe(0);
    expect(command.shown()).toContain('Logged in to ');
    expect(command.shown()).not.toContain(apiKey);
    expect(readFileSync(file, 'utf8')).toContain(apiKey);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('stores nothing after Ctrl-C', async () => {
    const { file, command } = await login();
    await command.until('API key: ');
    command.type(`${apiKey.slice(0, 9)}${CTRL_C}`);
    expect(await command.ended).toBe(1);
    expect(command.shown()).toContain(' the input was cancelled: nothing was done\r\n');
    expect(command.shown()).not.toContain(apiKey.slice(0, 9));
    expect(existsSync(file)).toBe(false);
  });
});
