import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { authenticate } from '../../lib/credentials/authenticate.ts';
import { companiesIn, type NewKey } from '../../lib/credentials/companies.ts';
import type { Principal } from '../../lib/credentials/key-directory.ts';
import { issueFirstPair, refreshPair, type TokenPair } from '../../lib/credentials/token-pair.ts';
import type { Storage } from '../../lib/storage/port.ts';
import { ADDRESS, sent } from '../lib/credentials/world.ts';
import { everyWay, throughout, WAYS, type Way } from './faulty.ts';
import { expectSame, repeating } from './repeating.ts';
import { SqliteWorld } from './sqlite-world.ts';
import { endingOf, type Process, REQUEST_MS } from './world.ts';

const world = new SqliteWorld();
afterAll(() => world.close());

const Row = z.strictObject({ sort: z.string(), version: z.int(), data: z.string() });

const FamilyList = z.object({ families: z.array(z.object({ id: z.string() })) });

/** Returns the items of a company in the store, and the items about it in the list of companies. */
function itemsOf(companyId: string): unknown[] {
  const rows = world.database
    .prepare('SELECT sort, version, data FROM items WHERE partition = ? OR instr(sort || data, ?) > 0 ORDER BY sort')
    .all(`company/${companyId}`, companyId)
    .map((row) => Row.parse(row));
  const families = rows.flatMap(({ sort }) =>
    sort.startsWith('token-family/') ? sort.slice(sort.indexOf('/') + 1) : [],
  );
  return rows.map(({ sort, version, data }) => {
    // The number of attempts may differ. Each attempt has its family in the list, with or without an answer.
    if (sort.startsWith('token-families/')) {
      const listed = FamilyList.parse(JSON.parse(data)).families.map(({ id }) => id);
      return { sort, hasAll: listed.sort().join() === families.sort().join() };
    }
    return { sort, ...(!sort.startsWith('refresh/') && { version }), data: JSON.parse(data) };
  });
}

/** Returns a text without the parts that may differ between two runs. */
function comparable(value: unknown, companyId: string): string {
  return JSON.stringify(value, undefined, 1)
    .replaceAll(companyId, '<company>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<moment>')
    .replaceAll(/("(?:leaseEndsAtMs|issuedAtMs)": )\d+/g, '$1<moment>')
    .replaceAll(/(?<="fingerprint": ")[^"]+/g, '<hash>')
    .replaceAll(/family-\d+/g, '<family>');
}

const isGood = async ({ accessToken }: TokenPair) =>
  (await endingOf(() => authenticate(`Bearer ${accessToken}`, ADDRESS, world.authentication()))).is === 'done';

/** Returns what a pair allows: whether its access token is valid, and how often it can be refreshed. */
async function worthOf(pair: TokenPair): Promise<unknown> {
  const good = await isGood(pair);
  const next = await endingOf(() => refreshPair(world.authentication(), sent(pair.refreshToken)));
  return { good, next: next.is, expiresIn: pair.expiresIn > 1_700 };
}

const newKey = (companyId: string): NewKey => ({ keyId: `second-of-${companyId}`, apiKey: 'seg_second' });

/** Requests of an operator or a client. The test repeats each until it succeeds. */
const REQUESTS: Readonly<Record<string, (company: Principal, storage: Storage) => Promise<unknown>>> = {
  'the addition of a company': ({ companyId }, storage) =>
    companiesIn(storage, world.now).add(`${companyId}-x`, newKey(companyId), { scopes: ['read'] }),
  'the rotation of a key': ({ companyId }, storage) =>
    companiesIn(storage, world.now).rotate(companyId, newKey(companyId)),
  'the revocation of a key': ({ keyId }, storage) => companiesIn(storage, world.now).revoke(keyId),
};

describe.each(Object.entries(REQUESTS))('%s', (_, request) => {
  it('has the same outcome, whichever call of the store fails, and however it fails', () =>
    expectSame(everyWay, async (wayOf) => {
      const company = await world.newKey();
      const { ending, calls } = await repeating(world, ({ storage }) => request(company, storage), wayOf);
      const came = { is: ending.is, items: comparable(itemsOf(company.companyId), company.companyId) };
      return { calls, came };
    }));
});

describe('a sign-in', () => {
  it('returns a valid pair and leaves no other token in use, whichever call of the store fails', () =>
    expectSame(everyWay, async (wayOf) => {
      const company = await world.newKey();
      const begin = ({ storage }: Process) => issueFirstPair(world.authentication(storage), company);
      const { ending, calls } = await repeating(world, begin, wayOf);
      if (ending.is === 'refused') throw ending.problem;
      const items = comparable(
        [...new Set(itemsOf(company.companyId).map((item) => comparable(item, company.companyId)))],
        '',
      );
      return { calls, came: { items, worth: await worthOf(ending.value) } };
    }));
});

const onceWith = (key: string | undefined) =>
  key === undefined ? undefined : { key, leaseMs: REQUEST_MS + 1_000, replayed: () => {} };

/**
 * Refreshes the first pair of a new family, and returns the outcome, the calls, the first pair and the company's items.
 */
async function refreshOnce(wayOf: (call: number) => Way | undefined, key: string | undefined) {
  const company = await world.newKey();
  const first = await issueFirstPair(world.authentication(), company);
  world.nowMs += 1_000;
  const request = ({ storage }: Process) =>
    refreshPair(world.authentication(storage), sent(first.refreshToken), onceWith(key));
  const { ending, calls } = await repeating(world, request, wayOf);
  const items = comparable(itemsOf(company.companyId), company.companyId);
  return { ending, calls, first, items };
}

describe('a refresh', () => {
  it('with a key has the same outcome, whichever call of the store fails, and however it fails', () =>
    expectSame(everyWay, async (wayOf) => {
      const { ending, calls, items } = await refreshOnce(wayOf, 'key');
      if (ending.is === 'refused') throw ending.problem;
      return { calls, came: { items, worth: await worthOf(ending.value) } };
    }));

  it('of a used token revokes the family, whichever call of the store fails, and however it fails', () =>
    expectSame(everyWay, async (wayOf) => {
      const first = await issueFirstPair(world.authentication(), await world.newKey());
      const used = await refreshPair(world.authentication(), sent(first.refreshToken), onceWith('key'));
      const again = ({ storage }: Process) =>
        refreshPair(world.authentication(storage), sent(first.refreshToken), onceWith('another key'));
      const { ending, calls } = await repeating(world, again, wayOf);
      return { calls, came: { is: ending.is, worth: await worthOf(used) } };
    }));

  it('without a key returns at most one pair, or revokes the family', async () => {
    const faultless = await refreshOnce(() => undefined, undefined);
    expect(faultless.ending.is).toBe('done');
    for (let failing = 1; failing <= faultless.calls; failing++) {
      for (const way of WAYS) {
        const { ending, first, items } = await refreshOnce((call) => (call === failing ? way : undefined), undefined);
        if (ending.is === 'refused') {
          expect(ending.problem.name).toBe('unauthenticated');
          expect(await worthOf(first)).toMatchObject({ good: false, next: 'refused' });
        } else {
          expect(items).toBe(faultless.items);
          expect(await worthOf(ending.value)).toMatchObject({ good: true, next: 'done' });
        }
      }
    }
  });
});

describe('refreshes of one token at once', () => {
  /** Sends a refresh to a new process for each key. A scheduler decides whose call of the store runs next. */
  async function race(keys: readonly (string | undefined)[], scheduler: fc.Scheduler) {
    const { refreshToken } = await issueFirstPair(world.authentication(), await world.newKey());
    const scheduled = throughout(world.storage, (work) => scheduler.schedule(Promise.resolve()).then(work));
    const running = keys.map((key) =>
      endingOf(() => refreshPair(world.authentication(scheduled), sent(refreshToken), onceWith(key))),
    );
    return scheduler.waitFor(Promise.all(running));
  }

  it.each([
    ['two', ['k', 'k']],
    ['three', ['k', 'k', 'k']],
  ])('with one key return one valid pair: %s', async (_, keys) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const pairs = new Map<string, TokenPair>();
        for (const ending of await race(keys, scheduler)) {
          if (ending.is === 'refused') expect(ending.problem.name).toBe('request-in-progress');
          else pairs.set(ending.value.refreshToken, ending.value);
        }
        expect(pairs.size).toBe(1);
        for (const pair of pairs.values()) expect(await worthOf(pair)).toMatchObject({ good: true, next: 'done' });
      }),
      { numRuns: 50 },
    );
  });

  it('with one key return one valid pair, whichever call freezes the first until the second is done', async () => {
    for (let frozenAt = 1, calls = Number.POSITIVE_INFINITY; frozenAt <= calls; frozenAt++) {
      const { refreshToken } = await issueFirstPair(world.authentication(), await world.newKey());
      const [frozen, thawn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let call = 0;
      const freezing = throughout(world.storage, async (work) => {
        if (++call !== frozenAt) return work();
        frozen.resolve();
        await thawn.promise;
        return work();
      });
      const first = refreshPair(world.authentication(freezing), sent(refreshToken), onceWith('k'));
      await Promise.race([frozen.promise, first]);
      calls = call === frozenAt ? calls : call;
      world.nowMs += REQUEST_MS + 2_000;
      const second = await refreshPair(world.authentication(), sent(refreshToken), onceWith('k'));
      thawn.resolve();
      expect({ frozenAt, token: (await first).refreshToken }).toEqual({ frozenAt, token: second.refreshToken });
      expect(await worthOf(second)).toMatchObject({ good: true, next: 'done' });
    }
  });

  it.each([
    ['two without a key', [undefined, undefined]],
    ['two with different keys', ['k', 'l']],
    ['one with a key and one without', ['k', undefined]],
    ['three with two keys', ['k', 'l', 'k']],
  ])('of which one is a second use revoke the family: %s', async (_, keys) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        for (const ending of await race(keys, scheduler)) {
          if (ending.is !== 'refused') {
            expect(await worthOf(ending.value)).toMatchObject({ good: false, next: 'refused' });
          }
        }
      }),
      { numRuns: 50 },
    );
  });
});
