import { beforeEach, describe, expect, it } from 'vitest';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { type Audited, type AuditOptions, audit } from '../../../lib/upstream/audit.ts';
import type { Client } from '../../../lib/upstream/client.ts';
import type { UpstreamOptions } from '../../../lib/upstream/deps.ts';
import { storeWith } from '../../faults/faulty.ts';
import { problemOf } from '../support.ts';
import { every, HostedUpstream, lost, response, swallowed, UpstreamAccount, type World } from './world.ts';

const HOUR_MS = 3_600_000;
const NO_FINDINGS = { unowned: [], missing: [] };

let world: World;
let account: HostedUpstream;
beforeEach(() => {
  account = new HostedUpstream();
  world = account.world;
});

const segue = (options: Partial<UpstreamOptions> = {}) => account.segue(options);

/** Runs an audit two hours later, when no project is young. */
function audited(options: Partial<AuditOptions> = {}, companyIds = ['acme', 'beta']): Promise<Audited> {
  const { storage, nowMs } = world;
  const later = { client: account.client, storage, customIdPrefix: 'segue', now: () => nowMs + 2 * HOUR_MS };
  return audit({ ...later, ...options }, companyIds, { remainingMs: () => 60_000 });
}

/**
 * Creates a project through Segue.
 * @returns its id
 */
async function create(companyId: string, fields: { customId?: string } = {}, service = segue()): Promise<number> {
  return (await service.create(world.checked(fields), world.call({ companyId }))).id;
}

/**
 * Leaves a create open whose response is lost.
 * @returns the project's id
 */
async function loseCreation(): Promise<number> {
  account.way = every(lost);
  const creation = segue().create(world.checked({ customId: 'lost' }), world.hurried('c', { companyId: 'acme' }));
  expect(await problemOf(creation)).toMatchObject({ name: 'outcome-unknown' });
  account.way = every((reach) => reach());
  return (await account.heads())[0]?.id ?? 0;
}

/** Leaves a delete open whose response is lost. */
async function loseDeletion(): Promise<void> {
  const id = await create('acme');
  account.way = ({ method }, reach) =>
    method === 'DELETE' || account.asked.includes('remove') ? lost(reach) : reach();
  const deletion = segue().delete({ id }, { kind: 'project' }, world.hurried('d', { companyId: 'acme' }));
  expect(await problemOf(deletion)).toMatchObject({ name: 'outcome-unknown' });
  account.way = every((reach) => reach());
  expect(await account.names()).toEqual([]);
}

/**
 * Creates a project as another client.
 * @returns its id
 */
async function createForeign(customId: string): Promise<number> {
  return (await account.service.create(world.checked({ customId }), account.account())).id;
}

const reconcileLater = () => segue({ now: () => world.nowMs + HOUR_MS }).reconcile(() => true);

describe('an audit', () => {
  it.each([
    ['on one page', 100, 1],
    ['on three pages', 2, 3],
  ])('finds nothing if both sides agree: %s', async (_, pageSize, requests) => {
    account.pageSize = pageSize;
    for (const customId of ['one', 'two', 'x'.repeat(255)]) await create('acme', { customId });
    await create('acme');
    await create('beta', { customId: 'one' });
    await createForeign('nobody’s');
    account.asked.splice(0);
    expect(await audited()).toEqual({ checked: 10, ...NO_FINDINGS });
    expect(account.asked).toHaveLength(requests);
  });

  it('reports projects with a custom id of Segue that no company owns, and only reads', async () => {
    await create('acme', { customId: 'mine' });
    const strays = [
      { companyId: 'acme', projectId: await createForeign('segue.acme.n.lost') },
      { companyId: 'gone', projectId: await createForeign('segue.gone.g.op') },
      { companyId: 'beta', projectId: await createForeign('segue.beta.h.xyz') },
    ];
    for (const customId of ['segues.acme.n.other', 'segue.acme.x.other']) await createForeign(customId);
    account.asked.splice(0);
    const { unowned, missing } = await audited();
    expect([new Set(unowned), missing]).toEqual([new Set(strays), []]);
    expect(account.asked).not.toContain('create');
    expect(account.asked).not.toContain('remove');
    expect((await audited({ customIdPrefix: 'other' })).unowned).toEqual([]);
  });

  it('reports a project that has a company’s id and another custom id', async () => {
    const id = await create('acme', { customId: 'mine' });
    account.shown = (project) => ({ ...project, customId: 'segue.acme.n.other' });
    expect((await audited()).unowned).toEqual([{ companyId: 'acme', projectId: id }]);
    account.shown = (project) => ({ ...project, customId: 'outside' });
    expect(await audited()).toMatchObject({ unowned: [], missing: [{ companyId: 'acme', projectId: id }] });
  });

  it('reports the project of an open creation only after the creation has ended without it', async () => {
    const id = await loseCreation();
    expect((await audited()).unowned).toEqual([]);
    account.way = async () => response(404);
    await reconcileLater();
    account.way = every((reach) => reach());
    expect((await audited()).unowned).toEqual([{ companyId: 'acme', projectId: id }]);
  });

  it('reports missing projects of the given companies, unless they are young', async () => {
    const gone = await create('acme', { customId: 'gone' });
    const other = await create('beta', { customId: 'other' });
    await account.lose(gone);
    expect((await audited()).missing).toEqual([{ companyId: 'acme', projectId: gone }]);
    expect((await audited({ now: world.now })).missing).toEqual([]);
    await account.lose(other);
    expect((await audited({}, ['beta'])).missing).toEqual([{ companyId: 'beta', projectId: other }]);
  });

  it('does not report a project that can be read although the list leaves it out', async () => {
    await create('acme');
    account.next('list', async () => response(200, Buffer.from('[]')));
    expect((await audited()).missing).toEqual([]);
  });

  it('fails if the service does not answer', async () => {
    await create('acme');
    account.way = every(swallowed);
    expect(await problemOf(audited())).toMatchObject({ name: 'upstream-unavailable' });
  });
});

describe('an audit during a change reports nothing', () => {
  /** Runs an audit, and some work when the audit has read the ledger. */
  async function auditedWith(work: () => Promise<unknown>): Promise<Audited> {
    const { storage } = world;
    let isDone = false;
    const racing: ListedStore = storeWith(storage, {
      async list(partition, range) {
        const page = await storage.list(partition, range);
        if (partition === 'company/beta' && !isDone) {
          isDone = true;
          await work();
        }
        return page;
      },
    });
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
    expect(await account.names()).toEqual([]);
  });

  it('if a deletion ends', async () => {
    await loseDeletion();
    expect(await auditedWith(reconcileLater)).toMatchObject(NO_FINDINGS);
    expect(await audited()).toMatchObject({ checked: 0 });
  });
});

it('an audit compares a company that has an account of its own with that account', async () => {
  const isOwnAccount = async (companyId: string) => companyId === 'beta';
  const own = new UpstreamAccount(world.now);
  const client: Client = (request, call) => (call.companyId === 'beta' ? own : account).client(request, call);
  const service = segue({ client, isOwnAccount });
  // In that account, custom ids may look like those that Segue chooses for other companies.
  for (const customId of ['segue.acme.n.x', 'segue.beta.g.x']) await create('beta', { customId }, service);
  expect(await audited({ client, isOwnAccount })).toMatchObject(NO_FINDINGS);

  const [id = 0] = (await own.heads()).map((head) => head.id);
  await own.lose(id);
  const stray = await own.service.create(world.checked({ customId: 'segue.beta.g.lost' }), own.account());
  expect(await audited({ client, isOwnAccount })).toMatchObject({
    unowned: [{ companyId: 'beta', projectId: stray.id }],
    missing: [{ companyId: 'beta', projectId: id }],
  });
});
