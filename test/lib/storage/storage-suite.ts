import assert from 'node:assert/strict';
import { describe, expect, it } from 'vitest';
import {
  type Batch,
  type Key,
  type ListRange,
  MAX_INSIDE_BYTES,
  type Storage,
  type Write,
} from '../../../lib/storage/port.ts';

const key = (sort: string, partition = 'p'): Key => ({ partition, sort });
const insert = (sort: string, data: unknown = { sort }) => ({ kind: 'insert', key: key(sort), data }) as const;
const replace = (sort: string, version: number, data: unknown) =>
  ({ kind: 'replace', key: key(sort), version, data }) as const;
const remove = (sort: string, version: number) => ({ kind: 'remove', key: key(sort), version }) as const;
const check = (sort: string, version: number) => ({ kind: 'check', key: key(sort), version }) as const;
const ALL = { prefix: '', limit: 9, maxBytes: 1_000_000 };
const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);

/**
 * Tests the port of a store.
 * @param open opens an empty store for one test
 */
export function describeStorage(name: string, open: () => Storage | Promise<Storage>): void {
  describe(name, () => {
    conditions(open);
    puts(open);
    expiry(open);
    atomicity(open);
    lists(open);
    payloads(open);
  });
}

type Open = () => Storage | Promise<Storage>;

function conditions(open: Open): void {
  describe('a write', () => {
    it('inserts an item with version 1', async () => {
      const store = await open();
      const data = { text: 'ä\u0000😀"', number: 9_007_199_254_740_991, none: null, list: [[], {}, ''], yes: true };
      expect(await store.commit({ writes: [insert('a', data)] })).toEqual({ ok: true });
      expect(await store.read(key('a'))).toEqual({ ...key('a'), version: 1, data });
    });

    it('removes an item; the next one with its key has version 1', async () => {
      const store = await open();
      await store.commit({ writes: [insert('a')] });
      expect(await store.commit({ writes: [remove('a', 1)] })).toEqual({ ok: true });
      expect(await store.read(key('a'))).toBeUndefined();
      await store.commit({ writes: [insert('a')] });
      expect(await store.read(key('a'))).toMatchObject({ version: 1 });
    });

    it('inserts an item with another first version, and counts from there', async () => {
      const store = await open();
      const firstVersion = 281_474_976_710_656;
      await store.commit({ writes: [{ ...insert('a'), firstVersion }] });
      expect(await store.read(key('a'))).toMatchObject({ version: firstVersion });
      expect(await store.commit({ writes: [replace('a', 1, 'other')] })).toEqual({ ok: false, refused: 0 });
      expect(await store.commit({ writes: [replace('a', firstVersion, 'next')] })).toEqual({ ok: true });
      expect(await store.read(key('a'))).toMatchObject({ version: firstVersion + 1, data: 'next' });
    });

    it.each<[string, Batch['writes'][number]]>([
      ['inserts an existing item', insert('a', 'other')],
      ['replaces another version', replace('a', 2, 'other')],
      ['replaces a missing item', replace('b', 1, 'other')],
      ['removes another version', remove('a', 2)],
      ['removes a missing item', remove('b', 1)],
      ['checks another version', check('a', 2)],
      ['checks a missing item', check('b', 1)],
    ])('is refused if it %s, and changes nothing', async (_, write) => {
      const store = await open();
      await store.commit({ writes: [insert('a')] });
      expect(await store.commit({ writes: [write] })).toEqual({ ok: false, refused: 0 });
      expect(await store.read(key('a'))).toEqual({ ...key('a'), version: 1, data: { sort: 'a' } });
      expect(await store.read(key('b'))).toBeUndefined();
    });

    it('separates partitions, and keys that are nearly equal', async () => {
      const store = await open();
      const keys = [key('a'), key('a', 'P'), key('A'), key('a '), key('\u00e4'), key('a\u0308'), key('a\u0000')];
      await store.commit({ writes: keys.map((at, n) => ({ kind: 'insert', key: at, data: n })) });
      const read = await Promise.all(keys.map((at) => store.read(at)));
      expect(read.map((item) => item?.data)).toEqual(keys.map((_, n) => n));
    });
  });
}

function puts(open: Open): void {
  describe('a put', () => {
    const put = (sort: string, data: unknown) => ({ kind: 'put', key: key(sort), data }) as const;

    it('inserts a missing item, and replaces one of any version', async () => {
      const store = await open();
      expect(await store.commit({ writes: [put('a', 'first')] })).toEqual({ ok: true });
      expect(await store.read(key('a'))).toEqual({ ...key('a'), version: 1, data: 'first' });
      expect(await store.commit({ writes: [put('a', 'second')] })).toEqual({ ok: true });
      expect(await store.read(key('a'))).toEqual({ ...key('a'), version: 2, data: 'second' });
    });

    it('counts from the version of the replaced item, whatever its own first version', async () => {
      const store = await open();
      for (const version of [7, 8]) {
        await store.commit({ writes: [{ ...put('a', version), firstVersion: 7 }] });
        expect(await store.read(key('a'))).toMatchObject({ version, data: version });
      }
      expect(await store.commit({ writes: [replace('a', 7, 'late')] })).toEqual({ ok: false, refused: 0 });
    });

    it('counts up to its highest version, and refuses its batch beyond, however many are committed at once', async () => {
      const store = await open();
      const counting = (n: number): Write[] => [insert(`n${n}`), { ...put('a', n), maxVersion: 3 }];
      const commits = await Promise.all(Array.from({ length: 8 }, (_, n) => store.commit({ writes: counting(n) })));
      expect(commits.filter(({ ok }) => ok)).toHaveLength(3);
      expect(commits.filter((commit) => !commit.ok && commit.refused === 1)).toHaveLength(5);
      expect(await store.read(key('a'))).toMatchObject({ version: 3 });
      const stored = await Promise.all(commits.map((_, n) => store.read(key(`n${n}`))));
      expect(stored.map((item) => item !== undefined)).toEqual(commits.map(({ ok }) => ok));
      expect(await store.commit({ writes: [{ ...put('a', 4), maxVersion: 4 }] })).toEqual({ ok: true });
    });
  });
}

/** A time that is later than the clock of every store, in milliseconds since 1970. */
const LATER_MS = Date.UTC(2100, 0, 1);

function expiry(open: Open): void {
  describe('an item that expires', () => {
    const expiring = (expiresAtMs: number): readonly Write[] => [
      { ...insert('inserted'), expiresAtMs },
      { kind: 'put', key: key('put'), data: {}, expiresAtMs },
      { ...replace('replaced', 1, {}), expiresAtMs },
    ];

    it('is read and listed with its expiry after every kind of write', async () => {
      const store = await open();
      await store.commit({ writes: [insert('replaced')] });
      await store.commit({ writes: expiring(LATER_MS + 1) });
      for (const sort of ['inserted', 'put', 'replaced']) {
        expect(await store.read(key(sort))).toMatchObject({ sort, expiresAtMs: LATER_MS + 1 });
      }
      const { items } = await store.list('p', ALL);
      expect(items.map(({ expiresAtMs }) => expiresAtMs)).toEqual([LATER_MS + 1, LATER_MS + 1, LATER_MS + 1]);
    });

    it('is replaced by an insert once it has expired by the time of the insert, and not before', async () => {
      const store = await open();
      await store.commit({ writes: [{ ...insert('a'), expiresAtMs: LATER_MS }] });
      const over = (replacesExpiredAtMs: number): Write => ({ ...insert('a', 'next'), replacesExpiredAtMs });
      expect(await store.commit({ writes: [over(LATER_MS - 1)] })).toEqual({ ok: false, refused: 0 });
      expect(await store.read(key('a'))).toMatchObject({ version: 1, data: { sort: 'a' } });
      expect(await store.commit({ writes: [over(LATER_MS)] })).toEqual({ ok: true });
      expect(await store.read(key('a'))).toEqual({ ...key('a'), version: 2, data: 'next' });
      expect(await store.commit({ writes: [over(LATER_MS)] })).toEqual({ ok: false, refused: 0 });
      expect(await store.commit({ writes: [{ ...over(1), key: key('new') }] })).toEqual({ ok: true });
      expect(await store.read(key('new'))).toMatchObject({ version: 1 });
    });

    it.each<[string, (version: number) => Write]>([
      ['replaced', (version) => replace('a', version, {})],
      ['put over', () => ({ kind: 'put', key: key('a'), data: {} })],
    ])('does not expire once it is %s without an expiry', async (_, over) => {
      const store = await open();
      await store.commit({ writes: [{ ...insert('a'), expiresAtMs: LATER_MS }] });
      await store.commit({ writes: [over(1)] });
      expect(await store.read(key('a'))).not.toHaveProperty('expiresAtMs');
    });

    it('can be replaced until it is removed, and inserted after that', async () => {
      const store = await open();
      await store.commit({ writes: [{ ...insert('a'), expiresAtMs: 1 }] });
      const item = await store.read(key('a'));
      const next: Write = item ? replace('a', item.version, 'next') : insert('a', 'next');
      expect(await store.commit({ writes: [next] })).toEqual({ ok: true });
      expect(await store.read(key('a'))).toMatchObject({ data: 'next' });
    });
  });
}

function atomicity(open: Open): void {
  describe('a batch', () => {
    it('is refused as a whole: names the first unmet condition, and leaves payloads', async () => {
      const store = await open();
      await store.commit({ writes: [{ ...insert('a'), bytes }, insert('d'), insert('e')] });
      const { payload } = (await store.read(key('a'))) ?? {};
      const refused = await store.commit({
        writes: [
          { kind: 'put', key: key('e'), data: 'put' },
          { ...insert('b'), bytes },
          { ...remove('a', 1), drops: payload },
          replace('d', 2, 'changed'),
          remove('c', 1),
        ],
      });
      expect(refused).toEqual({ ok: false, refused: 3 });
      expect(await store.read(key('e'))).toMatchObject({ version: 1, data: { sort: 'e' } });
      expect(await store.readWithPayload(key('a'))).toMatchObject({ item: { version: 1 }, bytes });
      expect(await store.read(key('b'))).toBeUndefined();
      expect(await store.readWithPayload(key('b'))).toBeUndefined();
    });

    it('is made as a whole', async () => {
      const store = await open();
      await store.commit({ writes: [{ ...insert('a'), bytes }, insert('b'), insert('d')] });
      const { payload } = (await store.read(key('a'))) ?? {};
      const made = await store.commit({
        writes: [
          check('d', 1),
          { ...remove('a', 1), drops: payload },
          { ...replace('b', 1, 'new'), bytes },
          insert('c'),
        ],
      });
      expect(made).toEqual({ ok: true });
      expect(await store.read(key('d'))).toMatchObject({ version: 1 });
      expect((await store.list('p', ALL)).items.map(({ sort }) => sort)).toEqual(['d', 'c', 'b']);
      expect(await store.readWithPayload(key('a'))).toBeUndefined();
      expect((await store.readWithPayload(key('b')))?.bytes).toEqual(bytes);
    });

    it('succeeds once of many concurrent ones', async () => {
      const store = await open();
      await store.commit({ writes: [insert('a', 0)] });
      const attempts = Array.from({ length: 10 }, (_, n) =>
        store.commit({ writes: [replace('a', 1, n), insert(`by ${n}`)] }),
      );
      const won = (await Promise.all(attempts)).flatMap(({ ok }, n) => (ok ? [n] : []));
      expect(won).toHaveLength(1);
      expect(await store.read(key('a'))).toMatchObject({ version: 2, data: won[0] });
      expect((await store.list('p', { prefix: 'by ', limit: 99, maxBytes: 1_000_000 })).items).toHaveLength(1);
    });
  });
}

function lists(open: Open): void {
  describe('a list', () => {
    const filled = async () => {
      const store = await open();
      const sorts = ['n/1', 'n/2', 'n/10', 'n/\u{1F600}', 'n/\uffff', 'n', 'm/9', 'o/0', 'n0'];
      await store.commit({ writes: sorts.map((sort) => insert(sort)) });
      await store.commit({ writes: [{ kind: 'insert', key: key('n/5', 'other'), data: {} }] });
      return store;
    };
    const all = ['n/\u{1F600}', 'n/\uffff', 'n/2', 'n/10', 'n/1'];

    it.each<[string, Omit<ListRange, 'maxBytes'>, string[]]>([
      ['a prefix, in descending order of code points', { prefix: 'n/', limit: 99 }, all],
      ['a limit', { prefix: 'n/', limit: 2 }, all.slice(0, 2)],
      ['items before another', { prefix: 'n/', before: 'n/2', limit: 99 }, ['n/10', 'n/1']],
      ['items before a missing one', { prefix: 'n/', before: 'n/15', limit: 99 }, ['n/10', 'n/1']],
      ['nothing before the first', { prefix: 'n/', before: 'n/1', limit: 99 }, []],
      ['nothing of a missing prefix', { prefix: 'x/', limit: 99 }, []],
    ])('has %s', async (_, range, sorts) => {
      const store = await filled();
      const { items } = await store.list('p', { ...range, maxBytes: 1_000_000 });
      expect(items.map(({ sort }) => sort)).toEqual(sorts);
    });

    it('tells whether the range has more', async () => {
      const store = await filled();
      const more = async (limit: number, maxBytes: number) =>
        (await store.list('p', { prefix: 'n/', limit, maxBytes })).more;
      expect(await more(5, 1_000)).toBe(false);
      expect(await more(4, 1_000)).toBe(true);
      expect(await more(5, 1)).toBe(true);
    });

    it('ends at its byte limit, and has at least one item', async () => {
      const store = await open();
      const data = 'x'.repeat(98);
      const writes = ['a', 'b', 'c'].map((sort): Write => ({ kind: 'insert', key: key(sort), data }));
      await store.commit({ writes });
      const listed = async (maxBytes: number) =>
        (await store.list('p', { prefix: '', limit: 9, maxBytes })).items.map(({ sort }) => sort);
      expect(await listed(1)).toEqual(['c']);
      expect(await listed(100)).toEqual(['c']);
      expect(await listed(101)).toEqual(['c', 'b']);
    });

    it('counts a payload inside an item to its byte limit', async () => {
      const store = await open();
      for (const sort of ['a', 'b', 'c']) await store.commit({ writes: [{ ...insert(sort, ''), bytes }] });
      const { items } = await store.list('p', { prefix: '', limit: 9, maxBytes: bytes.length + 3 });
      expect(items.map(({ sort }) => sort)).toEqual(['c', 'b']);
    });

    it('continues after the largest number of bytes that a store reads at once', async () => {
      const store = await open();
      const sorts = ['a', 'b', 'c', 'd'];
      for (const sort of sorts) await store.commit({ writes: [insert(sort, sort.repeat(350_000))] });
      const { items, more } = await store.list('p', { prefix: '', limit: 4, maxBytes: 10_000_000 });
      expect(items.map(({ sort }) => sort)).toEqual(sorts.toReversed());
      expect(more).toBe(false);
    });

    it('has the items of one partition only', async () => {
      const store = await filled();
      expect(await store.list('other', ALL)).toEqual({
        items: [{ ...key('n/5', 'other'), version: 1, data: {} }],
        more: false,
      });
      expect(await store.list('nobody', ALL)).toEqual({
        items: [],
        more: false,
      });
    });
  });
}

function payloads(open: Open): void {
  describe('a payload', () => {
    it.each([
      ['every byte', bytes],
      ['none', new Uint8Array()],
      ['a part of a larger memory', bytes.subarray(3, 9)],
      ['a megabyte', new Uint8Array(1_048_576).fill(7)],
    ])('is read back unchanged: %s', async (_, content) => {
      const store = await open();
      await store.commit({ writes: [{ ...insert('a'), bytes: content }] });
      const whole = await store.readWithPayload(key('a'));
      expect(Buffer.compare(whole?.bytes ?? Buffer.from('missing'), content)).toBe(0);
      expect(whole?.item).toEqual(await store.read(key('a')));
      expect(whole?.item).toMatchObject({ ...key('a'), version: 1, data: { sort: 'a' }, payload: expect.any(String) });
    });

    it('is absent for an item without one, and without an item', async () => {
      const store = await open();
      await store.commit({ writes: [insert('a')] });
      expect(await store.readWithPayload(key('a'))).toBeUndefined();
      expect(await store.readWithPayload(key('b'))).toBeUndefined();
      expect(await store.read(key('a'))).not.toHaveProperty('payload');
    });

    it('is inside its item if it is small', async () => {
      const store = await open();
      const inside = new Uint8Array(MAX_INSIDE_BYTES).fill(1);
      const outside = new Uint8Array(MAX_INSIDE_BYTES + 1).fill(2);
      await store.commit({
        writes: [
          { ...insert('a'), bytes: inside },
          { ...insert('b'), bytes: outside },
        ],
      });
      expect(Buffer.compare((await store.read(key('a')))?.bytes ?? Buffer.of(), inside)).toBe(0);
      expect(await store.read(key('b'))).not.toHaveProperty('bytes');
      const { items } = await store.list('p', ALL);
      expect(items).toEqual([await store.read(key('b')), await store.read(key('a'))]);
    });

    it('leaves its item if the item is put anew', async () => {
      const store = await open();
      await store.commit({ writes: [{ ...insert('a'), bytes }] });
      await store.commit({ writes: [{ kind: 'put', key: key('a'), data: 'new' }] });
      expect(await store.read(key('a'))).toEqual({ ...key('a'), version: 2, data: 'new' });
      expect(await store.readWithPayload(key('a'))).toBeUndefined();
    });

    it('moves into its item and out of it, and leaves with it', async () => {
      const store = await open();
      const large = new Uint8Array(MAX_INSIDE_BYTES + 1).fill(2);
      await store.commit({ writes: [{ ...insert('a'), bytes }] });
      for (const next of [large, bytes, large, bytes, undefined]) {
        const item = await store.read(key('a'));
        assert(item);
        const write = { ...replace('a', item.version, 'next'), drops: item.payload, ...(next && { bytes: next }) };
        expect(await store.commit({ writes: [write] })).toEqual({ ok: true });
        expect((await store.readWithPayload(key('a')))?.bytes.length).toBe(next?.length);
        expect((await store.read(key('a')))?.bytes?.length).toBe(next === bytes ? bytes.length : undefined);
      }
    });

    it.each([
      ['inside its item', bytes],
      ['outside', Uint8Array.from({ length: 500_000 }, (_, index) => index % 251)],
    ])('is read in ranges, until its item changes or as it was read with it: %s', async (_, content) => {
      const store = await open();
      await store.commit({ writes: [{ ...insert('a'), bytes: content }, insert('b')] });
      const [item, other] = [await store.read(key('a')), await store.read(key('b'))];
      assert(item && other);
      const ranges = [
        { from: 0, to: 1 },
        { from: 3, to: content.length - 2 },
        { from: content.length - 1, to: content.length },
      ];
      for (const { from, to } of ranges) {
        const read = await store.readPayloadRange(item, { from, to });
        expect(Buffer.compare(read ?? Buffer.of(), content.subarray(from, to))).toBe(0);
      }
      expect(await store.readPayloadRange(other, { from: 0, to: 1 })).toBeUndefined();
      await store.commit({ writes: [{ ...replace('a', 1, 'second'), bytes: content, drops: item.payload }] });
      const after = await store.readPayloadRange(item, { from: 0, to: 1 });
      expect(after?.length).toBe(content.length > MAX_INSIDE_BYTES ? undefined : 1);
    });

    it.each<[string, (drops: string | undefined) => Write]>([
      ['an insert', () => ({ ...insert('a', 'other'), bytes: Uint8Array.of(9) })],
      ['a replacement', (drops) => ({ ...replace('a', 2, 'other'), bytes: Uint8Array.of(9), drops })],
    ])('stays if %s with another is refused', async (_, over) => {
      const store = await open();
      await store.commit({ writes: [{ ...insert('a'), bytes }] });
      const { payload } = (await store.read(key('a'))) ?? {};
      expect(await store.commit({ writes: [over(payload)] })).toEqual({ ok: false, refused: 0 });
      expect(await store.readWithPayload(key('a'))).toMatchObject({ item: { version: 1 }, bytes });
    });

    it('replaces another one as a whole', async () => {
      const store = await open();
      const other = Uint8Array.of(1, 2, 3);
      await store.commit({ writes: [{ ...insert('a'), bytes }] });
      const first = await store.read(key('a'));
      const writes: Write[] = [{ ...replace('a', 1, 'second'), bytes: other, drops: first?.payload }];
      expect(await store.commit({ writes })).toEqual({ ok: true });
      expect(await store.readWithPayload(key('a'))).toMatchObject({
        item: { version: 2, data: 'second' },
        bytes: other,
      });
      expect(await store.commit({ writes })).toEqual({ ok: false, refused: 0 });
      expect(await store.readWithPayload(key('a'))).toMatchObject({ item: { version: 2 }, bytes: other });
    });
  });
}
