import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/http.ts';
import { smallProject } from '../support/projects.ts';
import { addCompany, type PartnerKey, printedKey, segue, segueHere } from '../support/segue.ts';
import { addSource } from '../support/sources.ts';

const PROJECTS = '/segments/projects';

/** A running gateway, requests to it, and its data folder. */
async function world() {
  const { url, dataDir: folder, stop } = await startGateway();
  onTestFinished(async () => void (await stop()));
  const ask = ({ authorization: Authorization }: PartnerKey, method: string, path: string, body?: string) =>
    send(url, {
      method,
      path,
      headers: { Authorization, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body }),
    });
  const create = async (key: PartnerKey) => {
    const { text } = await ask(key, 'POST', PROJECTS, JSON.stringify(smallProject()));
    return `${PROJECTS}/${z.object({ id: z.int() }).parse(JSON.parse(text)).id}`;
  };
  return { folder, ask, create };
}

describe('segue company', () => {
  it('add prints a key once, on its own line; the key works at once, and list does not show its secret', async () => {
    const { folder, ask } = await world();
    const ended = await segue(folder, 'company', 'add', 'acme');
    expect(ended).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^API key: seg_\w{47}\nIt is valid from now on, and shown only this once\.\n$/),
      stderr: '',
    });
    const key = printedKey('acme', ended);
    expect((await ask(key, 'GET', PROJECTS)).status).toBe(200);
    const listed = await segue(folder, 'company', 'list');
    expect(listed.stdout).toMatch(
      new RegExp(`^sandbox  no keys\nacme  ${key.keyId}  active  create,read,delete  \\S+Z\n$`),
    );
    expect(listed.stdout).not.toContain(key.apiKey.split('_')[2]);
  });

  it('add --scopes limits what the key may do', async () => {
    const { folder, ask } = await world();
    const key = await addCompany(folder, 'acme', '--scopes', 'read,create,read');
    expect((await ask(key, 'POST', PROJECTS, JSON.stringify(smallProject()))).status).toBe(201);
    expect((await ask(key, 'GET', PROJECTS)).status).toBe(200);
    const { status, text } = await ask(key, 'DELETE', `${PROJECTS}/1`);
    expect([status, JSON.parse(text)]).toMatchObject([403, { detail: expect.stringContaining('delete') }]);
  });

  it('rotate gives a second key with the same scopes or others, and the first key stays valid', async () => {
    const { folder, ask } = await world();
    const first = await addCompany(folder, 'acme', '--scopes', 'read');
    const second = printedKey('acme', await segueHere(folder, 'company', 'rotate', 'acme'));
    for (const key of [first, second]) {
      expect((await ask(key, 'GET', PROJECTS)).status).toBe(200);
      expect((await ask(key, 'DELETE', `${PROJECTS}/1`)).status).toBe(403);
    }
    expect((await segueHere(folder, 'company', 'revoke', first.keyId)).stdout).toMatch(/1 active key\.\n$/);
    const third = printedKey('acme', await segueHere(folder, 'company', 'rotate', 'acme', '--scopes', 'delete'));
    expect((await ask(third, 'GET', PROJECTS)).status).toBe(403);
    expect((await ask(third, 'DELETE', `${PROJECTS}/1`)).status).toBe(404);
  });

  it('revoke of the last key names the webhook sources that are still live', async () => {
    const folder = temporaryFolder();
    const [first, other] = [await addCompany(folder, 'acme'), await addCompany(folder, 'other')];
    const second = printedKey('acme', await segueHere(folder, 'company', 'rotate', 'acme'));
    const scheme = { name: 'standard-webhooks' } as const;
    for (const name of ['shop', 'cms']) await addSource(folder, { name, companyId: 'acme', scheme });
    const revoke = async ({ keyId }: PartnerKey) => (await segueHere(folder, 'company', 'revoke', keyId)).stdout;
    expect(await revoke(first)).not.toContain('source');
    expect(await revoke(second)).toMatch(
      /0 active keys\.\nIts webhook sources are still live: cms, shop\n.*source remove <name>\n.*company suspend acme\n$/,
    );
    expect(await revoke(other)).toMatch(/0 active keys\.\n$/);
  });

  it('revoke of the last key of a suspended company says that its sources are suspended too', async () => {
    const folder = temporaryFolder();
    const key = await addCompany(folder, 'acme');
    await addSource(folder, { name: 'cms', companyId: 'acme', scheme: { name: 'standard-webhooks' } });
    await segueHere(folder, 'company', 'suspend', 'acme');
    const { stdout } = await segueHere(folder, 'company', 'revoke', key.keyId);
    expect(stdout).toMatch(/ 0 active keys\.\nIt is suspended, and so are its webhook sources: cms\.\n$/);
    expect((await segueHere(folder, 'company', 'revoke', key.keyId)).stdout).toBe(stdout);
  });

  it('suspend: DELETE and sign-in are 401 at once; resume admits the same keys again', async () => {
    const { folder, ask, create } = await world();
    const company = async (...args: string[]) => (await segueHere(folder, 'company', ...args)).stdout;
    const key = await addCompany(folder, 'acme');
    const path = await create(key);
    const signIn = () => ask(key, 'POST', '/authentication/token');
    const { AccessToken } = JSON.parse((await signIn()).text);
    expect(await company('suspend', 'acme')).toMatch(/^Suspended\. It deletes nothing .*60 seconds\.\n/);
    expect(await company('suspend', 'acme')).toMatch(/^The company is already suspended\./);
    for (const authorization of [key.authorization, `Bearer ${AccessToken}`, `Bearer ${key.apiKey}`]) {
      const { status, text } = await ask({ ...key, authorization }, 'DELETE', path);
      expect([status, JSON.parse(text)]).toMatchObject([401, { outcome: 'not-applied' }]);
    }
    expect((await signIn()).status).toBe(401);
    expect(await company('resume', 'acme')).toMatch(/^Resumed\./);
    expect(await company('resume', 'acme')).toMatch(/^The company is not suspended\./);
    expect((await signIn()).status).toBe(200);
    expect((await ask(key, 'DELETE', path)).status).toBe(204);
    for (const command of ['suspend', 'resume'])
      expect(await segueHere(folder, 'company', command, 'nobody')).toEqual({
        code: 1,
        stdout: '',
        stderr: 'segue: no company has this id: company list shows them\n',
      });
  });

  it('list shows a suspended company on its own line, before its keys', async () => {
    const folder = temporaryFolder();
    const [first, other] = [await addCompany(folder, 'acme'), await addCompany(folder, 'other')];
    const second = printedKey('acme', await segueHere(folder, 'company', 'rotate', 'acme'));
    await segueHere(folder, 'company', 'revoke', first.keyId);
    await segueHere(folder, 'company', 'suspend', 'acme');
    const list = async () => (await segueHere(folder, 'company', 'list')).stdout;
    const listed = await list();
    expect(listed).toMatch(/^other {2}\S+ {2}active {2}.*\nacme {2}suspended {2}\S+Z\nacme {2}/);
    expect(listed).toMatch(new RegExp(`\nacme  ${first.keyId}  revoked  `));
    expect(listed).toMatch(new RegExp(`\nacme  ${second.keyId}  suspended  `));
    await segueHere(folder, 'company', 'revoke', second.keyId);
    await segueHere(folder, 'company', 'revoke', other.keyId);
    expect(await list()).toMatch(
      /^other {2}\S+ {2}revoked {2}.*\nacme {2}suspended {2}\S+Z\nacme {2}\S+ {2}revoked {2}.*\nacme {2}.*\n$/,
    );
  });

  it('list --json prints every key that a company ever had; an empty store has no line', async () => {
    const folder = temporaryFolder();
    expect(await segueHere(folder, 'company', 'list')).toEqual({ code: 0, stdout: '', stderr: '' });
    const [acme, other] = [await addCompany(folder, 'acme'), await addCompany(folder, 'other', '--scopes', 'read')];
    await segueHere(folder, 'company', 'revoke', other.keyId);
    const { stdout } = await segueHere(folder, 'company', 'list', '--json');
    const createdAtUtc = expect.stringMatching(/^\d{4}-.*Z$/);
    const all = { keyId: acme.keyId, scopes: ['create', 'read', 'delete'], state: 'active', createdAtUtc };
    const one = { keyId: other.keyId, scopes: ['read'], state: 'revoked', createdAtUtc, revokedAtUtc: createdAtUtc };
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { companyId: 'other', state: 'active', keys: [one] },
      { companyId: 'acme', state: 'active', keys: [all] },
    ]);
  });
});
