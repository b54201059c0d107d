import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/upstream.md'), 'utf8');

/** The fenced blocks of a language, in the order of the page. */
function blocks(language: string): string[] {
  return [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
}

const [, simulate = '', start = '', create = '', read = '', audit = ''] = blocks('sh');

/** What a command of the page sets, but for its data folder. */
function settingsIn(command: string): Record<string, string> {
  const settings = [...command.matchAll(/\b(SEGUE_\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]);
  return Object.fromEntries(settings.filter(([name]) => name !== 'SEGUE_DATA_DIR'));
}

const simulator = await startGateway({ script: 'simulator', env: settingsIn(simulate) });
afterAll(() => simulator.stop());
const front = await startGateway({ args: ['--upstream', simulator.url], env: settingsIn(start) });
afterAll(() => front.stop());

async function sh(script: string): Promise<string> {
  const path = `${process.env['PATH']}:${join(ROOT, 'test/support/bin')}`;
  const env = { ...process.env, PATH: path, SEGUE_URL: front.url, SIMULATOR_URL: simulator.url };
  return (await promisify(execFile)('sh', ['-c', script], { cwd: ROOT, env })).stdout;
}

it('docs/upstream.md shows a session that goes as it says', async () => {
  const made = JSON.parse(await sh(create));
  expect(made).toMatchObject({ customId: 'fault-reset-after-commit', name: 'Made once' });
  const customId = 'segue.sandbox.n.fault-reset-after-commit';
  expect(JSON.parse(await sh(read))).toEqual({ ...made, customId });
  expect(simulator.stderr()).toContain('reset-after-commit');

  expect(audit).toContain('--upstream http://127.0.0.1:8790');
  const here = audit.replace('http://127.0.0.1:8790', simulator.url).replace('.segue/front', front.dataDir);
  expect(await sh(here)).toBe(blocks('text')[0]);
});
