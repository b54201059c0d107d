import { lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { addCompany, rowsIn, segueIn } from '../../../test/support/segue.ts';
import type { CliIo } from '../io.ts';
import { loginPath } from '../login-file.ts';
import { openGateway } from './world.ts';

/** Starts a gateway with a company, and returns commands of a user who has a home but no variables. */
async function world(scopes = 'read') {
  const folder = temporaryFolder();
  const { url } = await openGateway(folder);
  const { apiKey } = await addCompany(folder, 'acme', '--scopes', scopes);
  const HOME = temporaryFolder();
  const env = { HOME, SEGUE_URL: url };
  const run = (io: Partial<CliIo>, ...args: string[]) =>
    segueIn(folder, { ...io, env: { ...env, ...io.env } }, ...args);
  const login = (key = apiKey) => run({ readStdin: async () => `${key}\n` }, 'login', '--company', 'acme');
  return { url, apiKey, env, run, login };
}

describe('segue login', () => {
  it('stores the credentials for commands, readable by their owner only, until segue logout', async () => {
    const { url, apiKey, env, run, login } = await world();
    expect(await run({}, 'projects', 'list')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('segue login'),
    });
    const ended = await login();
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining(url) });
    expect(ended.stdout).not.toContain(apiKey);
    expect(statSync(loginPath(env)).mode & 0o777).toBe(0o600);
    expect(await run({}, 'projects', 'list', '--url', `${url}/`)).toMatchObject({ code: 0, stderr: 'No projects.\n' });
    expect(await run({ env: { SEGUE_URL: '' } }, 'projects', 'list')).toMatchObject({ code: 0 });
    expect(await run({}, 'logout')).toMatchObject({ code: 0 });
    expect(readFileSync(loginPath(env), 'utf8')).not.toContain(apiKey);
    expect(await run({}, 'logout')).toMatchObject({ code: 1 });
  });

  it('writes to the target of a symbolic link, which only its owner can read then', async () => {
    const { env, login } = await world();
    const target = join(temporaryFolder(), 'login.json');
    writeFileSync(target, '{ "accounts": {} }', { mode: 0o644 });
    mkdirSync(dirname(loginPath(env)), { recursive: true });
    symlinkSync(target, loginPath(env));
    expect(await login()).toMatchObject({ code: 0 });
    expect(lstatSync(loginPath(env)).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toContain('acme');
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });

  it('asks on a terminal', async () => {
    const { apiKey, run } = await world();
    expect(await run({ readSecret: async () => apiKey }, 'login', '--company', 'acme')).toMatchObject({ code: 0 });
  });

  it('accepts a key without the scope read, and stores no wrong key', async () => {
    const { login } = await world('create');
    expect(await login('seg_wrong')).toMatchObject({ code: 2, stderr: expect.stringContaining('Check --company') });
    expect(await login('')).toMatchObject({ code: 2 });
    expect(await login()).toMatchObject({ code: 0 });
  });

  it('does not send credentials of the environment to the URL of a login', async () => {
    const { login, run } = await world();
    await login();
    const env = { SEGUE_URL: '', SEGUE_COMPANY_ID: 'acme', SEGUE_API_KEY: 'another-key-of-acme' };
    const { stderr } = await run({ env }, 'doctor', '--json');
    expect(stderr).toMatch(/failed: (?:API|credentials)/);
  });
});

describe('segue doctor', () => {
  it('checks the API, the clock, the credentials and the service', async () => {
    const { login, run } = await world();
    await login();
    const { code, stdout } = await run({}, 'doctor');
    expect(code).toBe(0);
    expect(rowsIn(stdout).match(/^\S+ {2}ok/gm)).toEqual(
      ['Node', 'API', 'clock', 'credentials', 'service'].map((name) => `${name}  ok`),
    );
  });

  it('names what fails, and what to do', async () => {
    const { run, env } = await world();
    expect(await run({}, 'doctor')).toMatchObject({ code: 1, stderr: 'segue: failed: credentials\n' });
    const account = { ...env, SEGUE_COMPANY_ID: 'acme', SEGUE_API_KEY: 'a-wrong-key-of-acme' };
    expect((await run({ env: account }, 'doctor')).stdout).toContain('unauthenticated');
    const away = await run({}, 'doctor', '--url', 'http://127.0.0.1:1');
    expect(away).toMatchObject({ code: 1, stderr: 'segue: failed: API\n' });
    expect(away.stdout).toMatch(
      /^API +failed +no-answer: .* http:\/\/127\.0\.0\.1:1\. Node sends no requests to .* ports/m,
    );
    expect(rowsIn(away.stdout).match(/^\S+ {2}skipped/gm)).toHaveLength(3);
    expect(await run({}, 'doctor', '--url', 'http://example.com')).toMatchObject({ code: 2 });
  });
});

it('a login file that somebody broke is named', async () => {
  const { env, run, login } = await world();
  await login();
  const XDG_CONFIG_HOME = join(env.HOME, '.config');
  writeFileSync(loginPath({ XDG_CONFIG_HOME }), '{');
  expect(await run({}, 'projects', 'list')).toMatchObject({ code: 1, stderr: expect.stringContaining('login.json') });
});
