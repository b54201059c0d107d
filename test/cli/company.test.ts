import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { basicHeader } from '../../lib/contract/basic.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/http.ts';
import { smallProject } from '../support/projects.ts';
import { addCompany, type PartnerKey, printedKey, segue, segueHere } from '../support/segue.ts';
import { addSource } from '../support/sources.ts';

const PROJECTS = '/segments/projects';

/** A running gateway, what asks it with a key, and its data folder. */
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
  it('add prints a key on a line of its own, once, that works at once; list shows it without what proves it', async () => {
    const { folder, ask } = await world();
    const ended = await segue(folder, 'company', 'add', 'acme');
    expect(ended).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^API key: seg_\w{47}\nIt is good from now on, and shown this once\.\n$/),
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

  it('add with scopes gives a key that may do that alone', async () => {
    const { folder, ask } = await world();
    const key = await addCompany(folder, 'acme', '--scopes', 'read,create,read');
    expect((await ask(key, 'POST', PROJECTS, JSON.stringify(smallProject()))).status).toBe(201);
    expect((await ask(key, 'GET', PROJECTS)).status).toBe(200);
    const refused = await ask(key, 'DELETE', `${PROJECTS}/1`);
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      403,
      expect.objectContaining({ detail: expect.stringContaining('delete') }),
    ]);
  });

  it('rotate gives a second key while the first works, with its scopes or others', async () => {
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

  it('revoke: the next DELETE is 401 and deletes nothing, though the gateway still lets the key in', async () => {
    const { folder, ask, create } = await world();
    const first = await addCompany(folder, 'acme');
    const second = printedKey('acme', await segueHere(folder, 'company', 'rotate', 'acme'));
    const path = await create(first);
    expect(await segue(folder, 'company', 'revoke', first.keyId)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Revoked\. It deletes nothing .*\nThe company acme has 1 active key\.\n$/),
      stderr: '',
    });
    const refused = await ask(first, 'DELETE', path);
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      401,
      expect.objectContaining({ outcome: 'not-applied' }),
    ]);
    expect((await ask(first, 'GET', path)).status).toBe(200);
    expect((await ask(second, 'DELETE', path)).status).toBe(204);
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

  it('suspend: the next DELETE is 401 and deletes nothing, sign-in is 401, and resume lets the keys in again', async () => {
    const { folder, ask, create } = await world();
    const key = await addCompany(folder, 'acme');
    const path = await create(key);
    const signIn = () => ask(key, 'POST', '/authentication/token');
    const { AccessToken } = JSON.parse((await signIn()).text);
    const byToken = { ...key, authorization: `Bearer ${AccessToken}` };
    expect(await segueHere(folder, 'company', 'suspend', 'acme')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Suspended\. It deletes nothing .*60 seconds\.\n/),
    });
    expect((await segueHere(folder, 'company', 'suspend', 'acme')).stdout).toMatch(
      /^The company was suspended before\./,
    );
    for (const used of [key, byToken, { ...key, authorization: `Bearer ${key.apiKey}` }]) {
      const refused = await ask(used, 'DELETE', path);
      expect([refused.status, JSON.parse(refused.text)]).toMatchObject([401, { outcome: 'not-applied' }]);
    }
    expect((await signIn()).status).toBe(401);
    expect((await segueHere(folder, 'company', 'list')).stdout).toMatch(new RegExp(`acme  ${key.keyId}  suspended  `));
    expect((await segueHere(folder, 'company', 'resume', 'acme')).stdout).toMatch(/^Resumed\./);
    expect((await segueHere(folder, 'company', 'resume', 'acme')).stdout).toMatch(/^The company is not suspended\./);
    expect((await signIn()).status).toBe(200);
    expect((await ask(key, 'DELETE', path)).status).toBe(204);
    for (const command of ['suspend', 'resume'])
      expect(await segueHere(folder, 'company', command, 'nobody')).toEqual({
        code: 1,
        stdout: '',
        stderr: 'segue: no company has this id: company list shows them\n',
      });
  });

  it('list shows a suspended company on a line of its own, before its keys in their own states', async () => {
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

  it('revoke of the last key of a suspended company calls nothing live and advises no second suspension', async () => {
    const folder = temporaryFolder();
    const key = await addCompany(folder, 'acme');
    await addSource(folder, { name: 'cms', companyId: 'acme', scheme: { name: 'standard-webhooks' } });
    await segueHere(folder, 'company', 'suspend', 'acme');
    const { stdout } = await segueHere(folder, 'company', 'revoke', key.keyId);
    expect(stdout).toMatch(/ 0 active keys\.\nIt is suspended, and its webhook sources are too: cms\.\n$/);
    expect((await segueHere(folder, 'company', 'revoke', key.keyId)).stdout).toBe(stdout);
  });

  it('suspend holds the company of npm start too, whose key is no record of the store', async () => {
    const { url, dataDir, companyId, apiKey, stop } = await startGateway();
    onTestFinished(async () => void (await stop()));
    const headers = { Authorization: basicHeader({ companyId, apiKey }), 'Content-Type': 'application/json' };
    const created = await send(url, { method: 'POST', path: PROJECTS, headers, body: JSON.stringify(smallProject()) });
    const { id } = z.object({ id: z.int() }).parse(JSON.parse(created.text));
    await segueHere(dataDir, 'company', 'suspend', companyId);
    const path = `${PROJECTS}/${id}`;
    const Authorization = headers.Authorization;
    expect((await send(url, { method: 'DELETE', path, headers: { Authorization } })).status).toBe(401);
    await segueHere(dataDir, 'company', 'resume', companyId);
    expect((await send(url, { method: 'DELETE', path, headers: { Authorization } })).status).toBe(204);
  });

  it('list --json has an object a line, with every key a company ever had', async () => {
    const folder = temporaryFolder();
    const [acme, other] = [await addCompany(folder, 'acme'), await addCompany(folder, 'other', '--scopes', 'read')];
    await segueHere(folder, 'company', 'revoke', other.keyId);
    const { stdout } = await segueHere(folder, 'company', 'list', '--json');
    const createdAtUtc = expect.stringMatching(/^\d{4}-.*Z$/);
    const all = { keyId: acme.keyId, scopes: ['create', 'read', 'delete'], state: 'active', createdAtUtc };
    const one = { keyId: other.keyId, scopes: ['read'], state: 'revoked', createdAtUtc, revokedAtUtc: createdAtUtc };
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { companyId: 'other', state: 'active', keys: [one] },
      { companyId: 'acme', state: 'active', keys: [all] },
    ]);
  });

  it('list of nobody is nothing', async () => {
    expect(await segueHere(temporaryFolder(), 'company', 'list')).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
