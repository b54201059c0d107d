import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { auditBehind } from '../../cli/behind.ts';
import { run } from '../../cli/run.ts';
import { basicHeader } from '../../lib/contract/basic.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { claimStore } from '../../lib/storage/store-owner.ts';
import { upstreamService } from '../../lib/upstream/service.ts';
import { openSqlite, temporaryFolder } from '../lib/storage/folder.ts';
import { playAccount } from '../lib/upstream/account.ts';
import { answered, call, checked } from '../lib/upstream/real-time.ts';
import { json, playService } from '../lib/upstream/server.ts';
import { ACCOUNT } from '../lib/upstream/world.ts';
import { addCompany } from '../support/segue.ts';

const CREDENTIALS = { SEGUE_UPSTREAM_COMPANY_ID: ACCOUNT.companyId, SEGUE_UPSTREAM_API_KEY: ACCOUNT.apiKey };

/** Runs `segue audit` on a data folder. */
async function audit(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = CREDENTIALS) {
  const said = { out: '', err: '' };
  const code = await run(['audit', ...args], {
    env: { SEGUE_DATA_DIR: folder, ...env },
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return { code, ...said };
}

/** A data folder with the project of a company, entered hours ago, and one that the sandbox has. */
async function ledger(): Promise<{ folder: string; projects: unknown[] }> {
  const folder = temporaryFolder();
  await addCompany(folder, 'acme');
  const account = playAccount({ now: Date.now });
  const storage = openSqlite(Date.now, folder);
  await claimStore(storage, 'upstream');
  const service = upstreamService({
    client: account.client,
    storage,
    now: () => Date.now() - 7_200_000,
    sleep: async () => {},
    newId: randomUUID,
    startDateToleranceMs: 86_400_000,
  });
  await service.create(checked({ customId: 'a' }), { ...call, companyId: 'acme' });
  await service.create(checked({ customId: 'a' }), { ...call, companyId: 'sandbox' });
  return { folder, projects: [...account.projects.values()] };
}

test('where both sides have the same it says so and ends with 0', async () => {
  const { folder, projects } = await ledger();
  const { url, received } = await playService(json(200, projects));
  expect(await audit(folder, ['--upstream', url])).toEqual({ code: 0, out: 'Compared 4 projects.\n', err: '' });
  const basic = Buffer.from(`${ACCOUNT.companyId}:${ACCOUNT.apiKey}`).toString('base64');
  expect(received.map(({ headers }) => headers.authorization)).toEqual([`Basic ${basic}`]);
});

test('a data folder that no Segue has in front of that service is told, and nothing is compared', async () => {
  const { url, received } = await playService(json(200, []));
  const hosted = temporaryFolder();
  await claimStore(openSqlite(Date.now, hosted), 'hosted');
  for (const folder of [hosted, temporaryFolder()]) {
    const err = 'segue: SEGUE_DATA_DIR is no data folder of npm start with --upstream\n';
    expect(await audit(folder, ['--upstream', url])).toEqual({ code: 1, out: '', err });
  }
  expect(received).toEqual([]);
});

test('what it finds is a line each, by ids alone, and exit code 1', async () => {
  const { folder, projects } = await ledger();
  const [first] = projects;
  const lost = { ...answered(checked({ name: 'Content' })), customId: 'segue.acme.n.secret-id', id: 77 };
  const { url, received } = await playService((request, response) => {
    const { pathname } = new URL(request.url, 'http://played.invalid');
    const there: Record<string, unknown> = { '/segments/projects': [first, lost], '/segments/projects/77': lost };
    const answer = there[pathname];
    json(answer ? 200 : 404, answer ?? {})(request, response);
  });
  const { code, out, err } = await audit(folder, ['--upstream', url]);
  expect({ code, out }).toEqual({ code: 1, out: 'unowned  acme  77\nmissing  sandbox  2\nCompared 4 projects.\n' });
  expect(err).toBe('segue: of the projects 1 are at the service without an owner, 1 have an owner and are not there\n');
  expect(received.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('another mark, another sandbox', async () => {
  const { folder, projects } = await ledger();
  const { url } = await playService(json(200, projects));
  const env = { ...CREDENTIALS, SEGUE_UPSTREAM_MARK: 'other', SEGUE_COMPANY_ID: 'me' };
  expect(await audit(folder, ['--upstream', url], env)).toMatchObject({ code: 0, out: 'Compared 1 projects.\n' });
});

test('a company with an account of its own is looked for there', async () => {
  const storage = openSqlite(Date.now);
  const [shared, own] = [playAccount({ now: Date.now }), playAccount({ now: Date.now, firstId: 50 })];
  const service = upstreamService({
    client: (request, asking) => (asking.companyId === 'beta' ? own : shared).client(request, asking),
    storage,
    isOwnAccount: async (companyId) => companyId === 'beta',
    now: () => Date.now() - 7_200_000,
    sleep: async () => {},
    newId: randomUUID,
    startDateToleranceMs: 86_400_000,
  });
  await service.create(checked({ customId: 'a' }), { ...call, companyId: 'acme' });
  await service.create(checked({ customId: 'a' }), { ...call, companyId: 'beta' });
  const beta = { companyId: 'beta', apiKey: 'key-of-beta' };
  const { url, received } = await playService((request, response) => {
    const there = request.headers.authorization === basicHeader(beta) ? own : shared;
    json(200, [...there.projects.values()])(request, response);
  });
  const secret = async () => JSON.stringify({ ...ACCOUNT, companies: { beta } });
  const companies = companiesIn(storage, Date.now);
  const others = ['acme', 'beta'];
  expect(await auditBehind({ url, secret, storage, companies, others })).toEqual({
    checked: 3,
    unowned: [],
    missing: [],
  });
  expect(received).toHaveLength(2);
});

test.each<[what: string, args: string[], env: Record<string, string>, line: RegExp]>([
  ['no service', [], CREDENTIALS, /--upstream <base url>/],
  ['a URL with a key', ['--upstream', 'https://me:secret@service.example'], CREDENTIALS, /without credentials/],
  ['plain HTTP', ['--upstream', 'http://secret.example'], CREDENTIALS, /http only to this machine/],
  ['no account', ['--upstream', 'http://127.0.0.1:9'], {}, /set SEGUE_UPSTREAM_COMPANY_ID/],
  ['half of an account', ['--upstream', 'http://127.0.0.1:9'], { SEGUE_UPSTREAM_API_KEY: 'secret' }, /SEGUE_UPSTREAM/],
  [
    'a mark that is none',
    ['--upstream', 'http://127.0.0.1:9'],
    { ...CREDENTIALS, SEGUE_UPSTREAM_MARK: 'secret.mark' },
    /^segue: SEGUE_UPSTREAM_MARK/,
  ],
  ['a service that is not there', ['--upstream', 'http://127.0.0.1:9'], CREDENTIALS, /cannot be reached/],
])('%s is refused in one line without its value', async (_, args, env, line) => {
  const { folder } = await ledger();
  const { code, out, err } = await audit(folder, args, env);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^segue: [^\n]+\n$/);
  expect(err).toMatch(line);
  expect(err).not.toContain('secret');
});
