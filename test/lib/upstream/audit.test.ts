import { beforeEach, describe, expect, it } from 'vitest';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { type Audited, type AuditOptions, audit } from '../../../lib/upstream/audit.ts';
import { type UpstreamOptions, type UpstreamService, upstreamService } from '../../../lib/upstream/service.ts';
import { type PlayedAccount, playAccount, silence } from './played-account.ts';
import { answered, checked, contentOf, problemOf, World } from './world.ts';

const HOUR_MS = 3_600_000;
const NO_FINDINGS = { unowned: [], missing: [] };

let world: World;
let account: PlayedAccount;
let ids: number;
beforeEach(() => {
  world = new World();
  account = playAccount({ now: world.now });
  ids = 0;
});

/** Segue in front of the played service. */
function segue(options: Partial<UpstreamOptions> = {}): UpstreamService {
  const { storage, now, sleep } = world;
  return upstreamService({ client: account.client, storage, now, sleep, newId: () => String(++ids), ...options });
}

/** An audit two hours later, when no project is young. */
function audited(options: Partial<AuditOptions> = {}, companyIds = ['acme', 'beta']): Promise<Audited> {
  const { storage, nowMs } = world;
  const later = { client: account.client, storage, customIdPrefix: 'segue', now: () => nowMs + 2 * HOUR_MS };
  return audit({ ...later, ...options }, companyIds, { remainingMs: () => 60_000 });
}

/** Creates a project through Segue. @returns its id */
async function create(companyId: string, fields: { customId?: string } = {}, service = segue()): Promise<number> {
  return Number((await contentOf(await service.create(world.checked(fields), world.call({ companyId }))))['id']);
}

/** Leaves a creation open whose response is lost. @returns the project's id */
async function loseCreation(): Promise<number> {
  account.after = silence;
  const creation = segue().create(world.checked({ customId: 'lost' }), world.hurried('c', { companyId: 'acme' }));
  expect(await problemOf(creation)).toMatchObject({ name: 'outcome-unknown' });
  account.after = () => {};
  return Math.max(...account.projects.keys());
}

/** Leaves a deletion open whose response is lost. */
async function loseDeletion(): Promise<void> {
  const id = await create('acme');
  account.after = ({ method }) => {
    if (method !== 'DELETE') return;
    account.before = silence;
    silence();
  };
  const deletion = segue().delete({ id }, { kind: 'project' }, world.hurried('d', { companyId: 'acme' }));
  expect(await problemOf(deletion)).toMatchObject({ name: 'outcome-unknown' });
  account.before = () => {};
  account.after = () => {};
  expect(account.projects.has(id)).toBe(false);
}

/** Lets another client create a project. */
function createForeign(customId: string, id = 900 + account.projects.size): number {
  account.projects.set(id, { ...answered(checked()), customId, id });
  return id;
}

const reconcileLater = () => segue({ now: () => world.nowMs + HOUR_MS }).reconcile(() => true);

describe('an audit', () => {
  it.each([
    ['without pages', {}, 1],
    ['with pages', { pageSize: 2 }, 3],
  ])('finds nothing if both sides agree: %s', async (_, options, requests) => {
    account = playAccount({ now: world.now, ...options });
    for (const customId of ['one', 'two', 'x'.repeat(255)]) await create('acme', { customId });
    await create('acme');
    await create('beta', { customId: 'one' });
    createForeign('nobody’s');
    account.asked.length = 0;
    expect(await audited()).toEqual({ checked: 10, ...NO_FINDINGS });
    expect(account.asked).toHaveLength(requests);
  });

  it('reports projects with a custom id of Segue that no company owns, and only reads', async () => {
    await create('acme', { customId: 'mine' });
    const strays = [
      { companyId: 'acme', projectId: createForeign('segue.acme.n.lost') },
      { companyId: 'gone', projectId: createForeign('segue.gone.g.op') },
      { companyId: 'beta', projectId: createForeign('segue.beta.h.xyz') },
    ];
    createForeign('segues.acme.n.other');
    createForeign('segue.acme.x.other');
    account.asked.length = 0;
    const { unowned, missing } = await audited();
    expect([new Set(unowned), missing]).toEqual([new Set(strays), []]);
    expect(account.asked.filter((line) => !line.startsWith('GET '))).toEqual([]);
    expect((await audited({ customIdPrefix: 'other' })).unowned).toEqual([]);
  });

  it('reports a project that has a company’s id and another custom id', async () => {
    const id = await create('acme', { customId: 'mine' });
    createForeign('segue.acme.n.other', id);
    expect((await audited()).unowned).toEqual([{ companyId: 'acme', projectId: id }]);
    createForeign('outside', id);
    expect(await audited()).toMatchObject({ unowned: [], missing: [{ companyId: 'acme', projectId: id }] });
  });

  it('reports the project of an open creation only after the creation has ended without it', async () => {
    const id = await loseCreation();
    expect((await audited()).unowned).toEqual([]);
    const lost = account.projects.get(id);
    account.projects.clear();
    await reconcileLater();
    if (lost) account.projects.set(id, lost);
    expect((await audited()).unowned).toEqual([{ companyId: 'acme', projectId: id }]);
  });

  it('reports missing projects of the given companies, unless they are young', async () => {
    const gone = await create('acme', { customId: 'gone' });
    const other = await create('beta', { customId: 'other' });
    account.projects.delete(gone);
    expect((await audited()).missing).toEqual([{ companyId: 'acme', projectId: gone }]);
    expect((await audited({ now: world.now })).missing).toEqual([]);
    account.projects.delete(other);
    expect((await audited({}, ['beta'])).missing).toEqual([{ companyId: 'beta', projectId: other }]);
  });

  it('does not report a project that can be read although the list leaves it out', async () => {
    await create('acme');
    const client: typeof account.client = async (request, call) => {
      const answer = await account.client(request, call);
      return request.path.includes('?') ? { ...answer, body: Buffer.from('[]') } : answer;
    };
    expect((await audited({ client })).missing).toEqual([]);
  });

  it('fails if the service does not answer', async () => {
    await create('acme');
    account.before = silence;
    expect(await problemOf(audited())).toMatchObject({ name: 'upstream-unavailable' });
  });
});

describe('an audit during a change reports nothing', () => {
  /** An audit, and work that happens when it has read the ledger. */
  async function auditedWith(work: () => Promise<unknown>): Promise<Audited> {
    const { storage } = world;
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

  it('if a project is adopted and deleted', async () => {
    const id = await loseCreation();
    const work = async () => {
      await reconcileLater();
      await segue().delete({ id }, { kind: 'project' }, world.call({ companyId: 'acme' }));
    };
    expect(await auditedWith(work)).toMatchObject(NO_FINDINGS);
    expect(account.projects.size).toBe(0);
  });

  it('if a deletion ends', async () => {
    await loseDeletion();
    expect(await auditedWith(reconcileLater)).toMatchObject(NO_FINDINGS);
    expect(await audited()).toMatchObject({ checked: 0 });
  });
});

it('an audit compares a company that has an account of its own with that account', async () => {
  const isOwnAccount = async (companyId: string) => companyId === 'beta';
  const own = playAccount({ now: world.now });
  const client: typeof account.client = (request, call) =>
    (call.companyId === 'beta' ? own : account).client(request, call);
  const service = segue({ client, isOwnAccount });
  // There, custom ids may look like those that Segue makes for other companies.
  for (const customId of ['segue.acme.n.x', 'segue.beta.g.x']) await create('beta', { customId }, service);
  expect(await audited({ client, isOwnAccount })).toMatchObject(NO_FINDINGS);

  const shared = await create('acme', { customId: 'a' }, service);
  expect(own.projects.has(shared)).toBe(true);
  expect(await audited({ client, isOwnAccount })).toMatchObject(NO_FINDINGS);
  own.projects.delete(shared);
  const stray = { ...answered(checked()), customId: 'segue.beta.g.lost', id: 77 };
  own.projects.set(77, stray);
  expect(await audited({ client, isOwnAccount })).toMatchObject({
    unowned: [{ companyId: 'beta', projectId: 77 }],
    missing: [{ companyId: 'beta', projectId: shared }],
  });
});
