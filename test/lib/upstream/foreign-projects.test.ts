import { describe, expect, it } from 'vitest';
import { utc } from '../../../lib/contract/date.ts';
import { operationIdOf, type ProjectRef } from '../../../lib/service/port.ts';
import type { UpstreamOptions } from '../../../lib/upstream/deps.ts';
import { asObject, type JsonObject, segment } from '../../support/projects.ts';
import { contentOf, type UpstreamService } from '../../support/world.ts';
import { problemOf } from '../support.ts';
import { absent, changed, type Fate, failing, HostedUpstream, lost, START_MS, swallowed, twice } from './world.ts';

const FIELDS: JsonObject = { customId: 'c', name: 'Ours', segments: [segment({ content: 'Hello, world!' })] };
const THEIRS: JsonObject = { ...FIELDS, name: 'Theirs' };

/** A company with an account of its own, in which other clients create projects too. */
class OwnAccount extends HostedUpstream {
  override segue(options: Partial<UpstreamOptions> = {}): UpstreamService {
    return super.segue({ isOwnAccount: async () => true, ...options });
  }

  /** Creates a project as another client of the account. */
  readonly makeForeign = (fields: JsonObject = THEIRS) =>
    this.service.create(this.world.checked(fields), this.account());

  readonly create = (segue: UpstreamService) => segue.create(this.world.checked(FIELDS), this.world.once('k'));

  readonly createHurriedly = (segue: UpstreamService) =>
    segue.create(this.world.checked(FIELDS), this.world.hurried('k'));
}

/** A short settle time, after which no request can still take effect. */
const SOON = { propagationMs: 10_000 };

/** Returns a fate in which another client is faster: its project exists when the create arrives. */
const overtakenBy =
  (makeForeign: () => Promise<unknown>, fate: Fate = (reach) => reach()): Fate =>
  async (reach) => {
    await makeForeign();
    return fate(reach);
  };

/** Expects that the company has no project, and that the other client's project is unchanged. */
async function expectUntouched(account: OwnAccount, segue: UpstreamService, foreignId: number): Promise<void> {
  const { world } = account;
  expect((await segue.list({ limit: 9 }, world.call())).projects).toEqual([]);
  const refs: readonly ProjectRef[] = [{ id: foreignId }, { customId: 'c' }];
  for (const ref of refs) {
    for (const work of [
      segue.get(ref, undefined, world.call()),
      segue.delete(ref, { kind: 'project' }, world.call()),
      segue.delete(ref, { kind: 'task', taskId: 't' }, world.call()),
    ]) {
      expect((await problemOf(work)).name).toBe('project-not-found');
    }
  }
  expect((await account.service.get({ customId: 'c' }, undefined, account.account())).id).toBe(foreignId);
}

describe('a 409 in an account of the company’s own', () => {
  const earlier = utc(START_MS - 1);

  it.each<[what: string, theirs: JsonObject, shown?: JsonObject]>([
    ['other content', THEIRS],
    ['the same content and another start date', { ...FIELDS, startDateUtc: earlier }],
    ['the same content and no start date', FIELDS, { startDateUtc: null }],
  ])('is custom-id-in-use, and the other client’s project stays untouched: %s', async (_, theirs, shown = {}) => {
    const account = new OwnAccount();
    const segue = account.segue();
    account.next(
      'create',
      overtakenBy(() => account.makeForeign(theirs)),
    );
    const show = changed((project) => ({ ...project, ...shown }));
    account.next('find', absent, show);
    expect((await problemOf(account.create(segue))).name).toBe('custom-id-in-use');
    expect(account.asked).toEqual(['find', 'create', 'find']);
    expect(await account.state()).toMatchObject({ kind: 'failed', problem: { name: 'custom-id-in-use' } });
    const { id } = await account.service.get({ customId: 'c' }, undefined, account.account());
    await expectUntouched(account, segue, id);

    await account.service.delete({ id }, { kind: 'project' }, account.account());
    expect(await contentOf(await account.create(segue))).toMatchObject({ name: 'Ours' });
  });

  it.each<[what: string, shown: JsonObject]>([
    ['all that was sent', {}],
    ['the start date to the second', { startDateUtc: utc(START_MS).replace(/\.\d+/, '') }],
    ['the start date with another offset', { startDateUtc: utc(START_MS + 3_600_000).replace('Z', '+01:00') }],
  ])('for a creation that a proxy sent twice leads to its project, which shows %s', async (_, shown) => {
    const account = new OwnAccount();
    account.next('create', twice);
    const show = changed((project) => ({ ...project, ...shown }));
    account.next('find', absent, absent, failing, show);
    expect(await contentOf(await account.create(account.segue()))).toMatchObject({ ...FIELDS, ...shown });
    expect(await account.names()).toEqual(['c']);
  });

  it('does not affect a later request with the key and another start date', async () => {
    const account = new OwnAccount();
    const segue = account.segue();
    // A deletion may be running: the custom id belongs to no project, but the service refuses it.
    account.next('create', async () => ({ status: 409, headers: {}, body: new Uint8Array() }), lost);
    expect((await problemOf(account.createHurriedly(segue))).name).toBe('outcome-unknown');
    account.world.settle();
    account.next('find', absent, absent);
    expect((await problemOf(account.createHurriedly(segue))).name).toBe('outcome-unknown');
    expect(await segue.reconcile(() => true)).toMatchObject({ settled: 1, left: 0 });
    expect(await account.state()).toMatchObject({ kind: 'done' });
  });
});

describe('a 409 after an attempt of another process whose response was lost', () => {
  /** Sends a create whose first attempt does not arrive. */
  async function createAgain(account: OwnAccount, fate: Fate) {
    account.next('create', swallowed, fate);
    expect((await problemOf(account.createHurriedly(account.segue(SOON)))).name).toBe('outcome-unknown');
    account.world.settle();
    return account.create(account.segue(SOON));
  }

  it('adopts the project if it has the sent content', async () => {
    const account = new OwnAccount();
    expect(await contentOf(await createAgain(account, twice))).toMatchObject(FIELDS);
    expect(await account.names()).toEqual(['c']);
  });

  it('leaves the outcome unknown if another project has the custom id', async () => {
    const account = new OwnAccount();
    const creation = createAgain(account, overtakenBy(account.makeForeign));
    const { name, occurrence } = await problemOf(creation);
    expect([name, occurrence.operationId]).toEqual(['outcome-unknown', operationIdOf('k')]);
    const { id } = await account.service.get({ customId: 'c' }, undefined, account.account());
    await expectUntouched(account, account.segue(), id);
  });
});

describe('a creation whose response was lost, in an account of the company’s own', () => {
  /** Leaves a create with an unknown outcome, while another client's project has its custom id. */
  async function overtaken() {
    const account = new OwnAccount();
    const segue = account.segue();
    account.next(
      'create',
      overtakenBy(() => account.makeForeign(), swallowed),
    );
    expect((await problemOf(account.createHurriedly(segue))).name).toBe('outcome-unknown');
    const { id } = await account.service.get({ customId: 'c' }, undefined, account.account());
    return { account, segue, id, reconcile: () => segue.reconcile(() => true) };
  }

  it('does not adopt another client’s project, ends as unknown later, and frees key and custom id', async () => {
    const { account, segue, id, reconcile } = await overtaken();
    expect(await reconcile()).toMatchObject({ settled: 0, left: 1 });
    expect(await account.state()).toEqual({ kind: 'running' });
    account.world.settle();
    expect(await reconcile()).toMatchObject({ settled: 1, left: 0 });
    expect(await account.state()).toMatchObject({ kind: 'failed', problem: { name: 'outcome-unknown' } });
    expect(await reconcile()).toMatchObject({ settled: 0, left: 0 });
    await expectUntouched(account, segue, id);

    expect((await problemOf(account.create(segue))).name).toBe('custom-id-in-use');
    await account.service.delete({ id }, { kind: 'project' }, account.account());
    expect(await contentOf(await account.create(segue))).toMatchObject({ name: 'Ours' });
  });

  it('ends as unknown for a retry after the settle time, and is not sent again', async () => {
    const { account, segue, id } = await overtaken();
    account.world.settle();
    account.asked.splice(0);
    const { name, occurrence } = await problemOf(account.create(segue));
    expect(name).toBe('outcome-unknown');
    expect(occurrence).toMatchObject({ operationId: operationIdOf('k') });
    expect(occurrence).not.toHaveProperty('isRunning');
    expect(account.asked).toEqual(['find']);
    expect(await account.state()).toMatchObject({ kind: 'failed' });
    await expectUntouched(account, segue, id);
  });
});

describe('the intent of a creation', () => {
  const fields = { name: 'NAME-CANARY', segments: [segment({ content: 'CONTENT-CANARY' })] };

  /** Returns the data that the store has of an open create. */
  async function keptOf(account: HostedUpstream, segue: UpstreamService, more: JsonObject) {
    account.next('create', lost);
    account.next('find', absent, absent);
    const deadline = { remainingMs: () => 1_600 };
    const project = account.world.checked({ ...fields, ...more });
    const { occurrence } = await problemOf(segue.create(project, account.world.call({ deadline })));
    const key = { partition: 'company/company', sort: `request/${occurrence.operationId}` };
    return asObject(JSON.parse(JSON.stringify(account.world.storage.peek(key)?.data)));
  }

  it('has salted digests and no content', async () => {
    const account = new OwnAccount();
    const [one, other] = [
      asObject((await keptOf(account, account.segue(), { customId: 'one' }))['intent']),
      asObject((await keptOf(account, account.segue(), { customId: 'other' }))['intent']),
    ];
    expect(JSON.stringify([one, other])).not.toContain('CANARY');
    const values = [one, other].flatMap(({ content }) => Object.values(asObject(asObject(content)['digests'])));
    expect(values.length).toBeGreaterThan(8);
    expect(new Set(values).size).toBe(values.length);
    // DynamoDB counts one unit of a write for each 1,024 bytes.
    expect(JSON.stringify(one).length).toBeLessThan(800);
  });

  it.each([
    ['in the shared account', false, { customId: 'c' }],
    ['without a custom id', true, {}],
  ])('has no digests if Segue made the custom id: %s', async (_, isOwn, more) => {
    const behind = new HostedUpstream();
    const { intent } = await keptOf(behind, behind.segue({ isOwnAccount: async () => isOwn }), more);
    expect(asObject(intent)).not.toHaveProperty('content');
  });
});
