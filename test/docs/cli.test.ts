import { expect, it } from 'vitest';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { startGateway } from '../support/gateway.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { blocks, read, SEGUE, sh } from './world.ts';

const PAGE = read('docs/cli.md');

it('docs/cli.md names every command of the program', () => {
  const rows = [...PAGE.matchAll(/^\| ((?:`[^|]*`(?:, )?)+) \|/gm)].flatMap(([, names = '']) =>
    names.match(/`[a-z-]+/g),
  );
  const named = new Set(rows.map((name) => name?.slice(1)));
  for (const { name } of SEGUE.commands.map((command) => ({ name: command.name() }))) expect(named).toContain(name);
});

it('the commands of docs/cli.md log in, check and list', { timeout: MUCH_WORK_MS }, async () => {
  const gateway = await startGateway();
  const account = { SEGUE_URL: gateway.url, SEGUE_COMPANY_ID: gateway.companyId, SEGUE_API_KEY: gateway.apiKey };
  const XDG_CONFIG_HOME = temporaryFolder();
  try {
    const [, , login = '', doctor = '', list = ''] = blocks(PAGE, 'sh');
    expect(await sh(login, { ...account, XDG_CONFIG_HOME })).toContain('Logged in');
    expect((await sh(doctor, { XDG_CONFIG_HOME })).match(/ ok /g)).toHaveLength(5);
    expect(await sh(list, { XDG_CONFIG_HOME })).toBe('');
  } finally {
    await gateway.stop();
  }
});
