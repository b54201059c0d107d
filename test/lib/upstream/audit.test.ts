import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Call } from '../../../lib/service/port.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { type Audited, type AuditOptions, audit } from '../../../lib/upstream/audit.ts';
import { type UpstreamOptions, type UpstreamService, upstreamService } from '../../../lib/upstream/service.ts';
import { openSqlite } from '../storage/folder.ts';
import { type PlayedAccount, playAccount, silence } from './played-account.ts';
import { answered, call, checked } from './real-time.ts';
import { contentOf, problemOf } from './world.ts';

const HOUR_MS = 3_600_000;
const DEADLINE = { remainingMs: () => 60_000 };
const of = (companyId: string, more: Partial<Call> = {}): Call => ({ ...call, companyId, ...more });

let storage: ListedStore;
let account: PlayedAccount;
let ids: number;
beforeEach(() => {
  storage = openSqlite(Date.now);
  account = playAccount({ now: Date.now });
  ids = 0;
});

/** Segue in front of the played service. */
function segue(options: Partial<UpstreamOptions> = {}): UpstreamService {
  return upstreamService({
    client: account.client,
    storage,
    now: Date.now,
    sleep: (ms) => setTimeout(Math.min(ms, 1)),
    newId: () => String(++ids),
    ...options,
  });
}

/** An audit two hours later, when no project is young. */
function audited(options: Partial<AuditOptions> = {}, companyIds = ['acme', 'beta']): Promise<Audited> {
  const later = { client: account.client, storage, customIdPrefix: 'segue', now: () => Date.now() + 2 * HOUR_MS };
  return audit({ ...later, ...options }, companyIds, DEADLINE);
}

/** Creates a project through Segue. @returns its id */
async function create(companyId: string, fields: { customId?: string } = {}, service = segue()): Promise<number> {
  return Number((await contentOf(await service.create(checked(fields), of(companyId))))['id']);
}

/** A caller who cannot wait. */
const brief = of('acme', { deadline: { remainingMs: () => 1_510 } });

/** Creates a project whose answer is lost, so that its operation stays open. @returns its id */
async function loseCreation(): Promise<number> {
  account.after = silence;
  expect(await problemOf(segue().create(checked({ customId: 'lost' }), brief))).toMatchObject({
    name: 'outcome-unknown',
  });
  account.after = () => {};
  return Math.max(...account.projects.keys());
}

/** Deletes a project so that nobody hears of it, and its operation stays open. */
async function loseDeletion(): Promise<void> {
  const id = await create('acme');
  account.after = ({ method }) => {
    if (method !== 'DELETE') return;
    account.before = silence;
    silence();
  };
  const lost = segue().delete({ id }, { kind: 'project' }, brief);
  expect(await problemOf(lost)).toMatchObject({ name: 'outcome-unknown' });
  account.before = () => {};
  account.after = () => {};
  expect(account.projects.has(id)).toBe(false);
}

/** Puts a project into the account behind Segue's back. */
function intrude(customId: string, id = 900 + account.projects.size): number {
  account.projects.set(id, { ...answered(checked()), customId, id });
  return id;
}

it.each([
  ['without pages', undefined],
  ['with pages', 2],
])('of a service %s everything is compared, and what both sides have is nothing to tell', async (_, pageSize) => {
  account = playAccount({ now: Date.now, ...(pageSize !== undefined && { pageSize }) });
  for (const customId of ['one', 'two', 'x'.repeat(255)]) await create('acme', { customId });
  await create('acme');
  await create('beta', { customId: 'one' });
  intrude('nobody’s');
  account.asked.length = 0;
  expect(await audited()).toEqual({ checked: 10, unowned: [], missing: [] });
  expect(account.asked).toHaveLength(pageSize === undefined ? 1 : 3);
});

it('a project with the mark that nobody owns is told, with the company of its mark, and nothing is changed', async () => {
  await create('acme', { customId: 'mine' });
  const [named, generated, hashed] = [
    intrude('segue.acme.n.lost'),
    intrude('segue.gone.g.op'),
    intrude('segue.beta.h.xyz'),
  ];
  intrude('segues.acme.n.other');
  intrude('segue.acme.x.other');
  account.asked.length = 0;
  const { unowned, missing } = await audited();
  expect(missing).toEqual([]);
  expect(new Set(unowned)).toEqual(
    new Set([
      { companyId: 'acme', projectId: named },
      { companyId: 'gone', projectId: generated },
      { companyId: 'beta', projectId: hashed },
    ]),
  );
  expect(account.asked.filter((line) => !line.startsWith('GET '))).toEqual([]);
});

it('another mark has other projects', async () => {
  const theirs = intrude('other.acme.n.lost');
  expect((await audited({ customIdPrefix: 'other' })).unowned).toEqual([{ companyId: 'acme', projectId: theirs }]);
  expect((await audited()).unowned).toEqual([]);
});

it('a project under the id of a company’s own, with another name, is nobody’s', async () => {
  const id = await create('acme', { customId: 'mine' });
  intrude('segue.acme.n.other', id);
  expect((await audited()).unowned).toEqual([{ companyId: 'acme', projectId: id }]);
});

it('a project that an open operation may adopt is not told; once that has ended without it, it is', async () => {
  const id = await loseCreation();
  expect((await audited()).unowned).toEqual([]);
  const lost = account.projects.get(id);
  account.projects.clear();
  await segue({ now: () => Date.now() + HOUR_MS }).reconcile(() => true);
  if (lost) account.projects.set(id, lost);
  expect((await audited()).unowned).toEqual([{ companyId: 'acme', projectId: id }]);
});

it('a project that the service does not have any more is missing, unless it is young', async () => {
  const [gone, stays] = [await create('acme', { customId: 'gone' }), await create('beta', { customId: 'stays' })];
  account.projects.delete(gone);
  expect((await audited()).missing).toEqual([{ companyId: 'acme', projectId: gone }]);
  expect((await audited({ now: Date.now })).missing).toEqual([]);
  account.projects.delete(stays);
  expect((await audited({}, ['beta'])).missing).toEqual([{ companyId: 'beta', projectId: stays }]);
});

it('a project whose id is another project’s by now is missing', async () => {
  const id = await create('acme', { customId: 'mine' });
  intrude('outside', id);
  expect(await audited()).toMatchObject({ unowned: [], missing: [{ companyId: 'acme', projectId: id }] });
});

it('a project that the list leaves out and that can be read is not missing', async () => {
  await create('acme');
  const list = account.client;
  const client: typeof list = async (request, asking) => {
    const answer = await list(request, asking);
    return request.path.includes('?') ? { ...answer, body: Buffer.from('[]') } : answer;
  };
  expect((await audited({ client })).missing).toEqual([]);
});

it('a project whose deletion is still open is not missing', async () => {
  await loseDeletion();
  expect((await audited()).missing).toEqual([]);
});

describe('what changes while the audit runs is not told', () => {
  /** An audit, and work that is done once it has read the ledger. */
  async function auditedWith(work: () => Promise<unknown>): Promise<Audited> {
    let isDone = false;
    const racing: ListedStore = {
      read: (key) => storage.read(key),
      commit: (batch) => storage.commit(batch),
      async list(partition, range) {
        const page = await storage.list(partition, range);
        if (partition === 'company/beta' && !isDone) {
          isDone = true;
          await work();
        }
        return page;
      },
    };
    const result = await audited({ storage: racing });
    expect(isDone).toBe(true);
    return result;
  }
  const settle = () => segue({ now: () => Date.now() + HOUR_MS }).reconcile(() => true);

  it('a project that finds its owner', async () => {
    await loseCreation();
    expect(await auditedWith(settle)).toMatchObject({ unowned: [], missing: [] });
    expect(await audited()).toMatchObject({ checked: 2 });
  });

  it('a project that finds its owner and is deleted', async () => {
    const id = await loseCreation();
    const work = async () => {
      await settle();
      await segue().delete({ id }, { kind: 'project' }, of('acme'));
    };
    expect(await auditedWith(work)).toMatchObject({ unowned: [], missing: [] });
    expect(account.projects.size).toBe(0);
  });

  it('a project whose deletion comes to its end', async () => {
    await loseDeletion();
    expect(await auditedWith(settle)).toMatchObject({ unowned: [], missing: [] });
    expect(await audited()).toMatchObject({ checked: 0 });
  });
});

describe('a company with an account of its own', () => {
  const isOwnAccount = async (companyId: string) => companyId === 'beta';
  let own: PlayedAccount;
  const client: typeof account.client = (request, asking) =>
    (asking.companyId === 'beta' ? own : account).client(request, asking);
  beforeEach(() => {
    own = playAccount({ now: Date.now });
  });

  it('has there what it made, whatever its custom ids look like', async () => {
    const service = segue({ client, isOwnAccount });
    for (const customId of ['segue.acme.n.x', 'segue.beta.g.x']) await create('beta', { customId }, service);
    expect(await audited({ client, isOwnAccount })).toMatchObject({ unowned: [], missing: [] });
  });

  it('is looked for there, also where both accounts have projects of one id', async () => {
    const service = segue({ client, isOwnAccount });
    const shared = await create('acme', { customId: 'a' }, service);
    expect(await create('beta', { customId: 'b' }, service)).toBe(shared);
    expect([...own.projects.values()].map(({ customId }) => customId)).toEqual(['b']);
    expect(await audited({ client, isOwnAccount })).toEqual({ checked: 3, unowned: [], missing: [] });
    own.projects.clear();
    own.projects.set(7, { ...answered(checked()), customId: 'segue.beta.g.lost', id: 7 });
    expect(await audited({ client, isOwnAccount })).toMatchObject({
      unowned: [{ companyId: 'beta', projectId: 7 }],
      missing: [{ companyId: 'beta', projectId: shared }],
    });
  });
});

it('where the service cannot be asked nothing is told but that', async () => {
  await create('acme');
  account.before = silence;
  expect(await problemOf(audited())).toMatchObject({ name: 'upstream-unavailable' });
});
