import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { recordStart } from '../../../lib/credentials/sandbox-company.ts';
import { JOBS } from '../../../lib/deliveries/jobs.ts';
import { addJob } from '../../../lib/hosted/work/jobs.ts';
import { eachItem } from '../../../lib/storage/port.ts';
import { openSqlite, temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { send } from '../../../test/support/http.ts';
import { smallProject } from '../../../test/support/projects.ts';
import { addCompany, type PartnerKey, printedKey, rowsIn, segueHere } from '../../../test/support/segue.ts';
import { addSource } from '../../../test/support/sources.ts';
import { openGateway } from './world.ts';

const PROJECTS = '/segments/projects';
/** How long the gateway caches a decision of the authorizer, in milliseconds. */
const CACHED_MS = 30_000;
const DAY_MS = 86_400_000;
const Project = z.object({ id: z.int() });
const Pair = z.object({ AccessToken: z.string(), RefreshToken: z.string() });
const CMS = { name: 'cms', companyId: 'acme', scheme: { name: 'standard-webhooks' } } as const;

/** Returns `company` commands on a data folder. */
function commands(folder = temporaryFolder()) {
  const company = async (...args: string[]) => (await segueHere(folder, 'company', ...args)).stdout;
  const rotate = async (...args: string[]) =>
    printedKey('acme', await segueHere(folder, 'company', 'rotate', 'acme', ...args));
  return { folder, company, rotate };
}

/** Starts a gateway in this process. Returns requests to it, and commands on its data folder. */
async function gateway() {
  const { folder, company, rotate } = commands();
  const { clock, url } = await openGateway(folder);
  const ask = async (authorization: string | undefined, method: string, path: string, json?: unknown) => {
    const { status, text } = await send(url, {
      method,
      path,
      headers: { ...(authorization && { Authorization: authorization }), 'Content-Type': 'application/json' },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    return { status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const create = (authorization: string) => ask(authorization, 'POST', PROJECTS, smallProject());
  const statuses = async (...requests: Promise<{ status: number }>[]) =>
    (await Promise.all(requests)).map(({ status }) => status);
  return { folder, company, rotate, clock, ask, create, statuses };
}

describe('segue company', () => {
  it('add prints a key once, on its own line; the key works at once, and list does not show its secret', async () => {
    const { folder, company, ask } = await gateway();
    await recordStart(openSqlite(Date.now, folder), { companyId: 'sandbox', allowsLoopbackEvents: false });
    const ended = await segueHere(folder, 'company', 'add', 'acme');
    expect(ended).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^API key: seg_\w{47}\nThe key is valid from now on, and shown only this once\.\n$/,
      ),
      stderr: '',
    });
    const key = printedKey('acme', ended);
    expect((await ask(key.authorization, 'GET', PROJECTS)).status).toBe(200);
    const listed = rowsIn(await company('list'));
    expect(listed).toMatch(
      new RegExp(`^sandbox  no stored keys\nacme  ${key.keyId}  active  create,read,update,delete  \\S+Z  \\S+:00Z\n$`),
    );
    expect(listed).not.toContain(key.apiKey.split('_')[2]);
  });

  it('add --canary needs a stack, and makes no key', async () => {
    const { folder, company } = commands();
    const { code, stderr } = await segueHere(folder, 'company', 'add', 'acme', '--canary');
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'segue: only a stack has a canary: add --stack <name>\n' });
    expect(await company('list')).not.toContain('acme');
  });

  it('add and rotate --scopes limit what a key may do; a second key has the scopes of the first unless given', async () => {
    const { folder, company, rotate, ask, create, statuses } = await gateway();
    const statusesOf = ({ authorization }: PartnerKey) =>
      statuses(
        create(authorization),
        ask(authorization, 'GET', PROJECTS),
        ask(authorization, 'DELETE', `${PROJECTS}/1`),
      );
    const first = await addCompany(folder, 'acme', '--scopes', 'read,create,read');
    const second = await rotate();
    for (const key of [first, second]) expect(await statusesOf(key)).toEqual([201, 200, 403]);
    expect(await company('revoke', first.keyId)).toMatch(/1 active key\.\n$/);
    expect(await statusesOf(await rotate('--scopes', 'delete'))).toEqual([403, 403, 404]);
  });

  it.each([
    [['--burst', '5'], /--burst needs --rate/],
    [['--rate', '0'], /whole number from 1 to 99999/],
    [['--rate', '1.5'], /whole number from 1 to 99999/],
    [['--default', '--rate', '5'], /--default.*--rate/],
    [[], /only a stack has plans: give --stack <name>\. On this machine, start Segue with SEGUE_RATE/],
    [['--rate', '5'], /only a stack has plans/],
  ])('plan refuses %j on this machine', async (options, message) => {
    const ended = await segueHere(temporaryFolder(), 'company', 'plan', 'acme', ...options);
    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  });

  it('limits refuses the creations of a company beyond its projects of a day, over HTTP and for every key', async () => {
    const { folder, company, rotate, clock, ask, create } = await gateway();
    const { authorization } = await addCompany(folder, 'acme');
    await addCompany(folder, 'other');
    expect(await company('limits', 'acme')).toBe('Projects a day: no limit.\nAutomatic characters a day: no limit.\n');
    expect((await create(authorization)).status).toBe(201);
    expect(await company('limits', 'acme', '--projects-a-day', '2', '--automatic-characters-a-day', '5000')).toMatch(
      /^Projects a day: 2, of which 0 are used today\.\nAutomatic characters a day: 5000, .*\n.* HTTP requests within 60 seconds\.\n$/,
    );
    clock.nowMs += CACHED_MS;
    const statuses = [await create(authorization), await create(authorization), await create(authorization)].map(
      ({ status }) => status,
    );
    expect(statuses).toEqual([201, 201, 429]);
    const second = await rotate();
    const { status, body } = await create(second.authorization);
    const left = Math.ceil((DAY_MS - (clock.nowMs % DAY_MS)) / 1_000);
    expect([status, body]).toMatchObject([429, { type: expect.stringMatching(/\/quota-exceeded$/), retryable: true }]);
    expect(body.retryAfterSeconds).toBeGreaterThan(left - 5);
    expect(body.retryAfterSeconds).toBeLessThanOrEqual(left);
    expect((await ask(authorization, 'POST', `${PROJECTS}?validateOnly=true`, smallProject())).status).toBe(200);
    expect((await ask(authorization, 'GET', `${PROJECTS}?limit=9`)).body).toHaveLength(3);
    expect(JSON.parse(await company('limits', 'acme', '--json'))).toMatchObject({
      projectsADay: 2,
      projectsToday: 2,
      automaticCharactersADay: 5_000,
      automaticCharactersToday: 0,
    });
    expect(await ask(authorization, 'GET', '/daily-limits')).toMatchObject({
      status: 200,
      body: {
        projectsADay: 2,
        projectsToday: 2,
        automaticCharactersADay: 5_000,
        automaticCharactersToday: 0,
        nextDayAtUtc: expect.stringMatching(/T00:00:00.000Z$/),
      },
    });
    await company('limits', 'acme', '--projects-a-day', 'none');
    expect((await ask(authorization, 'GET', '/daily-limits')).body).toMatchObject({
      projectsADay: null,
      projectsToday: null,
    });
    clock.nowMs += CACHED_MS;
    expect((await create(second.authorization)).status).toBe(201);
    expect(await company('limits', 'acme')).toMatch(/^Projects a day: no limit\.\nAutomatic characters a day: 5000,/);
  });

  it('limits makes the translations of the company due that wait, if its limit of characters changes', async () => {
    const { folder, company } = commands();
    await addCompany(folder, 'acme');
    const storage = openSqlite(Date.now, folder);
    const job = { companyId: 'acme', projectId: 1, atMs: Date.now() + DAY_MS };
    const due = async () => {
      const keys = await Promise.all(
        JOBS.partitions().map((partition) => Array.fromAsync(eachItem(storage, partition, ''))),
      );
      return keys.flat().map((key) => (JOBS.entryAt(key)?.atMs ?? 0) < job.atMs);
    };
    await storage.commit({ writes: [addJob(job, {})] });
    await company('limits', 'acme', '--projects-a-day', '5');
    expect(await due()).toEqual([false]);
    await company('limits', 'acme', '--automatic-characters-a-day', 'none');
    expect(await due()).toEqual([true]);
  });

  it.each([
    ['--projects-a-day', '-1'],
    ['--projects-a-day', '1.5'],
    ['--automatic-characters-a-day', 'many'],
  ])('limits refuses %s %s', async (...options) => {
    const ended = await segueHere(temporaryFolder(), 'company', 'limits', 'acme', ...options);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('or none') });
  });

  it('revoke of the last key names the webhook sources that are still live', async () => {
    const { folder, company, rotate } = commands();
    const [first, other] = [await addCompany(folder, 'acme'), await addCompany(folder, 'other')];
    const second = await rotate();
    for (const name of ['shop', 'cms']) await addSource(folder, { ...CMS, name });
    expect(await company('revoke', first.keyId)).not.toContain('source');
    expect(await company('revoke', second.keyId)).toMatch(
      /no active key\.\nIts webhook sources are still live: cms, shop\n.*source remove <name>\n.*company suspend acme\n$/,
    );
    expect(await company('revoke', other.keyId)).toMatch(/no active key\.\n$/);
    await company('suspend', 'acme');
    expect(await company('revoke', second.keyId)).toMatch(
      / no active key\.\nIt is suspended, and so are its webhook sources: cms, shop\.\n$/,
    );
  });

  it('list shows a suspended company on its own line, before its keys', async () => {
    const { folder, company, rotate } = commands();
    const [first, other] = [await addCompany(folder, 'acme'), await addCompany(folder, 'other')];
    const second = await rotate();
    await company('revoke', first.keyId);
    await company('suspend', 'acme');
    const listed = rowsIn(await company('list'));
    expect(listed).toMatch(/^other {2}\S+ {2}active {2}.*\nacme {2}suspended {2}\S+Z\nacme {2}/);
    expect(listed).toMatch(new RegExp(`\nacme  ${first.keyId}  revoked  `));
    expect(listed).toMatch(new RegExp(`\nacme  ${second.keyId}  suspended  `));
    await company('revoke', second.keyId);
    await company('revoke', other.keyId);
    expect(rowsIn(await company('list'))).toMatch(
      /^other {2}\S+ {2}revoked {2}.*\nacme {2}suspended {2}\S+Z\nacme {2}\S+ {2}revoked {2}.*\nacme {2}.*\n$/,
    );
  });

  it('list creates no store', async () => {
    const { folder } = commands();
    const stderr = `segue: the folder ${folder} has no store: run npm start first, or set SEGUE_DATA_DIR to the folder of your npm start\n`;
    expect(await segueHere(folder, 'company', 'list')).toEqual({ code: 2, stdout: '', stderr });
    expect(readdirSync(folder)).toEqual([]);
    openSqlite(Date.now, folder);
    expect(await segueHere(folder, 'company', 'list')).toEqual({ code: 0, stdout: '', stderr: 'No companies.\n' });
  });

  it('revoke takes no company', async () => {
    const { folder } = commands();
    await addCompany(folder, 'acme');
    const stderr = 'segue: acme is a company: give the id of a key, which company list shows\n';
    expect(await segueHere(folder, 'company', 'revoke', 'acme')).toEqual({ code: 2, stdout: '', stderr });
  });

  it('list --json prints every key that a company ever had', async () => {
    const { folder, company } = commands();
    const [acme, other] = [await addCompany(folder, 'acme'), await addCompany(folder, 'other', '--scopes', 'read')];
    await company('revoke', other.keyId);
    const createdAtUtc = expect.stringMatching(/^\d{4}-.*Z$/);
    const all = { keyId: acme.keyId, scopes: ['create', 'read', 'update', 'delete'], state: 'active', createdAtUtc };
    const one = { keyId: other.keyId, scopes: ['read'], state: 'revoked', createdAtUtc, revokedAtUtc: createdAtUtc };
    const lines = (await company('list', '--json')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { companyId: 'other', state: 'active', keys: [one] },
      { companyId: 'acme', state: 'active', keys: [all] },
    ]);
  });
});

/** Creates a company with projects, a used and an unused token pair. `end` runs the command, `revoke` or `suspend`. */
async function companyToEnd(command: string) {
  const { folder, company, ask, create, ...rest } = await gateway();
  const key = await addCompany(folder, 'acme');
  const obtain = async () => Pair.parse((await ask(key.authorization, 'POST', '/authentication/token')).body);
  const [used, unused] = [await obtain(), await obtain()];
  const known = [key.authorization, `Bearer ${used.AccessToken}`, `Bearer ${key.apiKey}`];
  const paths: string[] = [];
  for (const each of known) paths.push(`${PROJECTS}/${Project.parse((await create(each)).body).id}`);
  const end = () => company(command, command === 'revoke' ? key.keyId : 'acme');
  return { ...rest, company, ask, create, key, unused, known, paths, end };
}

describe.each([
  ['revoke', 401, 'unauthenticated'],
  ['suspend', 403, 'company-suspended'],
] as const)('company %s', (command, status, type) => {
  it('stops every deletion at once, with the key and with its tokens', async () => {
    const { known, paths, ask, end } = await companyToEnd(command);
    expect(await end()).toMatch(
      /^(?:Revoked|Suspended)\. The (?:key|company) can no longer delete anything\..* (?:30|60) seconds at .*\n/,
    );
    for (const authorization of known) {
      for (const target of paths.flatMap((path) => [path, `${path}?taskId=x`, `${PROJECTS}/1`]))
        expect(await ask(authorization, 'DELETE', target)).toMatchObject({
          status,
          body: { type: expect.stringMatching(new RegExp(`/${type}$`)), outcome: 'not-applied' },
        });
    }
  });

  it('stops creating and reading once the cached decision of the authorizer expires', async () => {
    const { clock, known, paths, ask, create, statuses, end } = await companyToEnd(command);
    const all = async () => {
      const sent = known.flatMap((authorization) => [
        ...[PROJECTS, paths[0] ?? '', '/integrations/languages'].map((path) => ask(authorization, 'GET', path)),
        create(authorization),
      ]);
      return [...new Set(await statuses(...sent))].sort();
    };
    await end();
    clock.nowMs += CACHED_MS - 1;
    expect(await all()).toEqual([200, 201]);
    clock.nowMs += 1;
    expect(await all()).toEqual([status]);
  });

  it('stops sign-ins, refreshes and unused tokens at once', async () => {
    const { key, unused, ask, statuses, end } = await companyToEnd(command);
    await end();
    const { companyId: username, apiKey: password } = key;
    const refused = await statuses(
      ask(key.authorization, 'POST', '/authentication/token'),
      ask(undefined, 'POST', '/authentication/token', { username, password }),
      ask(undefined, 'POST', '/authentication/RefreshToken', { token: unused.RefreshToken }),
      ask(`Bearer ${unused.AccessToken}`, 'GET', PROJECTS),
      ask(`Bearer  ${key.apiKey}`, 'GET', PROJECTS),
    );
    expect(refused).toEqual(refused.map(() => status));
  });
});

describe('a key with limits', () => {
  it('is refused when it has expired, or outside of its networks, until the limits are changed', async () => {
    const { folder, company, clock, ask, rotate } = await gateway();
    const key = await addCompany(folder, 'acme', '--networks', '127.0.0.1,::1', '--expires', '2099-12-31');
    const status = async ({ authorization } = key) => (await ask(authorization, 'GET', PROJECTS)).status;
    const limit = async (...args: string[]) => {
      const text = await company('limit', key.keyId, ...args);
      clock.nowMs += CACHED_MS;
      return text;
    };
    expect(await status()).toBe(200);
    expect(await limit('--networks', '203.0.113.0/24')).toMatch(
      /^The key expires at 2099-12-31T00:00:00\.000Z\. It works from 203\.0\.113\.0\/24 only\. .* 30 seconds\.\n$/,
    );
    expect(await status()).toBe(401);
    expect(await limit('--networks', 'any')).toContain('works from any address');
    expect(await status()).toBe(200);
    clock.nowMs = Date.parse('2099-12-31T00:00:00Z');
    expect(await status()).toBe(401);
    expect(await limit('--expires', 'never')).toBe(
      'The key does not expire. It works from any address. Requests are judged by this within 30 seconds.\n',
    );
    expect(await status()).toBe(200);
    expect(await status(await rotate('--networks', '10.0.0.0/8'))).toBe(401);
  });

  it('gives its networks to the second key, and its limits to the list', async () => {
    const { folder, company, rotate } = commands();
    const first = await addCompany(
      folder,
      'acme',
      '--networks',
      '10.0.0.0/8',
      '--expires',
      '2099-12-31T12:00:00+02:00',
    );
    const second = await rotate();
    const [line = ''] = (await company('list', '--json')).split('\n');
    const keys = z.object({ keys: z.array(z.looseObject({ keyId: z.string() })) }).parse(JSON.parse(line)).keys;
    const of = (key: PartnerKey) => keys.find(({ keyId }) => keyId === key.keyId);
    expect(of(first)).toMatchObject({ networks: ['10.0.0.0/8'], expiresAtUtc: '2099-12-31T10:00:00.000Z' });
    expect(of(second)).toMatchObject({ networks: ['10.0.0.0/8'] });
    expect(of(second)).not.toHaveProperty('expiresAtUtc');
  });

  it.each([
    [['--networks', '203.0.113.0/33'], /CIDR blocks, such as/],
    [['--networks', '::1,10.0.0.1/8'], /Write 10\.0\.0\.0\/8 for the network/],
    [['--networks', ''], /CIDR blocks, such as/],
    [['--expires', '2020-01-01'], /The date must be in the future/],
    [['--expires', 'tomorrow'], /Write a date such as 2027-12-31/],
    [[], /^segue: nothing to change: give --expires, --networks or both\n$/],
  ])('refuses %j', async (args, stderr) => {
    const { folder } = commands();
    const { keyId } = await addCompany(folder, 'acme');
    const ended = await segueHere(folder, 'company', 'limit', keyId, ...args);
    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(stderr) });
  });

  it('does not count as active once it has expired, and does not stay valid', async () => {
    const { folder, company } = commands();
    const expired = createApiKey();
    const expiresAtUtc = '2020-01-01T00:00:00Z';
    await companiesIn(openSqlite(Date.now, folder), Date.now).add('acme', expired, { expiresAtUtc });
    const rotated = await company('rotate', 'acme');
    expect(rotated).toContain(
      `has expired. To revoke it, run: npx --no-install segue company revoke ${expired.keyId}\n`,
    );
    expect(rotated).not.toContain('stays valid');
    await addSource(folder, CMS);
    expect(rowsIn(await company('list'))).toContain(`acme  ${expired.keyId}  expired  `);
    expect(JSON.parse(await company('list', '--json')).keys).toContainEqual(
      expect.objectContaining({ keyId: expired.keyId, state: 'expired' }),
    );
    const second = /seg_([^_]+)_/.exec(rotated)?.[1] ?? '';
    expect(await company('revoke', second)).toMatch(
      /The company acme has no active key, and 1 expired key\.\nIts webhook sources are still live: cms\n/,
    );
    expect(await company('revoke', second, '--json')).toContain('"activeKeys":0,"expiredKeys":1');
    expect(await company('revoke', expired.keyId)).toContain('has no active key.\n');
  });

  it('must exist, and not be revoked', async () => {
    const { folder, company } = commands();
    const { keyId } = await addCompany(folder, 'acme');
    await company('revoke', keyId);
    const limit = (id: string) => segueHere(folder, 'company', 'limit', id, '--expires', 'never');
    expect(await limit(keyId)).toMatchObject({ code: 1, stderr: expect.stringContaining('the key is revoked') });
    expect(await limit('none')).toMatchObject({ code: 1, stderr: expect.stringContaining('no company has a key') });
  });
});

it('list shows the hour of the last use of a key', async () => {
  const { folder, company, clock, ask } = await gateway();
  const key = await addCompany(folder, 'acme');
  expect(await company('list', '--json')).not.toContain('usedAtUtc');
  clock.nowMs = Date.parse('2099-11-20T09:37:30Z');
  expect((await ask(key.authorization, 'GET', PROJECTS)).status).toBe(200);
  expect(rowsIn(await company('list'))).toContain('  2099-11-20T09:00Z');
});

it('signing-keys drop ends every token within the time of the caches, and a new key signs at once', async () => {
  const { folder, ask, clock, statuses } = await gateway();
  const key = await addCompany(folder, 'acme');
  const obtain = async () => Pair.parse((await ask(key.authorization, 'POST', '/authentication/token')).body);
  const [used, unused] = [await obtain(), await obtain()];
  const asked = ({ AccessToken }: { AccessToken: string }) => ask(`Bearer ${AccessToken}`, 'GET', PROJECTS);
  expect(await statuses(asked(used))).toEqual([200]);
  expect(await segueHere(folder, 'signing-keys', 'drop')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Dropped\. Within a minute, .* all earlier tokens are refused\./),
  });
  clock.nowMs += CACHED_MS;
  const refresh = ask(undefined, 'POST', '/authentication/RefreshToken', { token: unused.RefreshToken });
  expect(await statuses(asked(used), asked(unused), refresh)).toEqual([401, 401, 401]);
  expect(await statuses(asked(await obtain()))).toEqual([200]);
});

it('company resume ends a suspension; repeating either says so', async () => {
  const { company, key, paths, ask, statuses, end } = await companyToEnd('suspend');
  await end();
  expect(await end()).toMatch(/^The company is already suspended\./);
  expect(await company('resume', 'acme')).toMatch(/^Resumed\./);
  expect(await company('resume', 'acme')).toMatch(/^The company is not suspended\./);
  const signIn = ask(key.authorization, 'POST', '/authentication/token');
  expect(await statuses(signIn, ask(key.authorization, 'DELETE', paths[0] ?? ''))).toEqual([200, 204]);
});
