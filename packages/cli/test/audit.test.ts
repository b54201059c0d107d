import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { basicHeader } from '../../../lib/contract/basic-credentials.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import type { ServiceProject } from '../../../lib/service/project-document.ts';
import type { Storage } from '../../../lib/storage/port.ts';
import { claimStore } from '../../../lib/storage/store-owner.ts';
import type { UpstreamOptions } from '../../../lib/upstream/deps.ts';
import { upstreamService } from '../../../lib/upstream/service.ts';
import { openSqlite, temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { json, playService } from '../../../test/lib/upstream/server.ts';
import { ACCOUNT, answered, UpstreamAccount, World } from '../../../test/lib/upstream/world.ts';
import { addCompany, segueIn } from '../../../test/support/segue.ts';
import { auditUpstream } from '../upstream-audit.ts';

const CREDENTIALS = { SEGUE_UPSTREAM_COMPANY_ID: ACCOUNT.companyId, SEGUE_UPSTREAM_API_KEY: ACCOUNT.apiKey };
const NOBODY_LISTENS = 'http://127.0.0.1:9';

/** Runs `segue audit` on a data folder. */
const audit = (folder: string, url?: string, env: Readonly<Record<string, string>> = CREDENTIALS) =>
  segueIn(folder, { env }, 'audit', ...(url === undefined ? [] : ['--upstream', url]));

/** Creates a project for each of two companies, hours ago. */
async function createProjects(
  companyIds: readonly string[],
  storage: Storage,
  options: Pick<UpstreamOptions, 'client' | 'isOwnAccount'>,
): Promise<void> {
  const service = upstreamService({
    ...options,
    storage,
    now: () => Date.now() - 7_200_000,
    sleep: async () => {},
    newId: randomUUID,
    newEventId: randomUUID,
    startDateToleranceMs: 86_400_000,
  });
  const world = new World(Date.now());
  for (const companyId of companyIds) await service.create(world.checked({ customId: 'a' }), world.call({ companyId }));
}

/**
 * Creates a data folder whose ledger has a project of a company and one of the sandbox, with both projects at the
 * service.
 */
async function ledger(): Promise<{ folder: string; projects: readonly ServiceProject[] }> {
  const folder = temporaryFolder();
  await addCompany(folder, 'acme');
  const account = new UpstreamAccount(Date.now);
  const storage = openSqlite(Date.now, folder);
  await claimStore(storage, 'upstream');
  await createProjects(['acme', 'sandbox'], storage, { client: account.client });
  return { folder, projects: (await account.heads()).toReversed() };
}

describe('segue audit', () => {
  it('exits with 0 if both sides agree', async () => {
    const { folder, projects } = await ledger();
    const { url, received } = await playService(json(200, projects));
    expect(await audit(folder, url)).toEqual({ code: 0, stdout: 'Compared 4 projects.\n', stderr: '' });
    expect(received.map(({ headers }) => headers.authorization)).toEqual([basicHeader(ACCOUNT)]);
  });

  it('prints the ids of each finding, exits with 1, and only reads', async () => {
    const { folder, projects } = await ledger();
    const [first, second] = projects;
    const lost = {
      ...answered(new World(Date.now()).checked({ name: 'Content' })),
      customId: 'segue.acme.n.secret-id',
      id: 77,
    };
    const { url, received } = await playService((request, response) => {
      const { pathname } = new URL(request.url, 'http://played.invalid');
      const pages: Record<string, unknown> = { '/segments/projects': [first, lost], '/segments/projects/77': lost };
      json(pages[pathname] ? 200 : 404, pages[pathname] ?? {})(request, response);
    });
    expect(await audit(folder, url)).toEqual({
      code: 1,
      stdout: `unowned  acme  77\nmissing  sandbox  ${second?.id}\nCompared 4 projects.\n`,
      stderr: 'segue: 1 project at the service without an owner, 1 owned project missing there\n',
    });
    expect(received.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('reads the prefix of custom ids and the sandbox company from the environment', async () => {
    const { folder, projects } = await ledger();
    const { url } = await playService(json(200, projects));
    const env = { ...CREDENTIALS, SEGUE_UPSTREAM_MARK: 'other', SEGUE_COMPANY_ID: 'me' };
    expect(await audit(folder, url, env)).toMatchObject({ code: 0, stdout: 'Compared 1 project.\n' });
  });

  it('refuses the data folder of another service, and sends nothing', async () => {
    const { url, received } = await playService(json(200, []));
    const hosted = temporaryFolder();
    await claimStore(openSqlite(Date.now, hosted), 'hosted');
    for (const folder of [hosted, temporaryFolder()]) {
      const stderr = expect.stringMatching(/^segue: the folder \S+ .*set SEGUE_DATA_DIR[^\n]*\n$/);
      expect(await audit(folder, url)).toEqual({ code: 2, stdout: '', stderr });
    }
    expect(received).toEqual([]);
  });

  it('uses the own account of a company', async () => {
    const storage = openSqlite(Date.now);
    const [shared, own] = [new UpstreamAccount(Date.now), new UpstreamAccount(Date.now)];
    await createProjects(['acme', 'beta'], storage, {
      client: (request, asking) => (asking.companyId === 'beta' ? own : shared).client(request, asking),
      isOwnAccount: async (companyId) => companyId === 'beta',
    });
    const beta = { companyId: 'beta', apiKey: 'key-of-beta' };
    const [sharedHeads, ownHeads] = [await shared.heads(), await own.heads()];
    const { url, received } = await playService((request, response) => {
      const heads = request.headers.authorization === basicHeader(beta) ? ownHeads : sharedHeads;
      json(200, heads)(request, response);
    });
    const readSecret = async () => JSON.stringify({ ...ACCOUNT, companies: { beta } });
    const companies = companiesIn(storage, Date.now);
    const audited = await auditUpstream({ url, readSecret, storage, companies, others: ['acme', 'beta'] });
    expect(audited).toEqual({ checked: 3, unowned: [], missing: [] });
    expect(received).toHaveLength(2);
  });

  it.each<[what: string, url: string | undefined, env: Record<string, string>, line: RegExp, code?: 1 | 2]>([
    ['no service', undefined, CREDENTIALS, /--upstream <base url>/],
    ['a URL with a key', 'https://me:secret@service.example', CREDENTIALS, /without credentials/],
    ['plain HTTP', 'http://secret.example', CREDENTIALS, /http only to this machine/],
    ['no account', NOBODY_LISTENS, {}, /set SEGUE_UPSTREAM_COMPANY_ID/],
    ['half of an account', NOBODY_LISTENS, { SEGUE_UPSTREAM_API_KEY: 'secret' }, /SEGUE_UPSTREAM/],
    ['a wrong prefix', NOBODY_LISTENS, { ...CREDENTIALS, SEGUE_UPSTREAM_MARK: 'secret.mark' }, /SEGUE_UPSTREAM_MARK/],
    ['a wrong settle time', NOBODY_LISTENS, { ...CREDENTIALS, SEGUE_SETTLE_SECONDS: 'secret' }, /SECONDS must be a/],
    ['a service that does not listen', NOBODY_LISTENS, CREDENTIALS, /cannot be reached/, 1],
  ])('refuses %s in one line without its value', async (_, url, env, line, exitCode = 2) => {
    const { folder } = await ledger();
    const { code, stdout, stderr } = await audit(folder, url, env);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toMatch(/^segue: [^\n]+\n$/);
    expect(stderr).toMatch(line);
    expect(stderr).not.toContain('secret');
  });
});
