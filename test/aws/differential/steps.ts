import fc from 'fast-check';
import { MAX_IN_TABLE_BYTES } from '../../../lib/storage/dynamodb/payload.ts';
import type { Item, ListRange, Write } from '../../../lib/storage/port.ts';

/**
 * Sort keys. There are few and they are similar, so that they collide. Their order in UTF-8 differs from that in
 * UTF-16.
 */
const SORTS = ['n', 'n/', 'n/1', 'n/10', 'n/2', 'n/\uffff', 'n/\u{1F600}', 'm'] as const;
/** The keys whose items never have a payload, so that `put` is allowed. */
const PLAIN: ReadonlySet<string> = new Set(['n', 'm', 'n/2']);

/** A planned write, before the present item is known. */
interface Draft {
  readonly kind: Write['kind'];
  readonly sort: string;
  /** The difference between the write's version and the present one. */
  readonly off: number;
  readonly data: unknown;
  readonly expiresAtMs?: number;
  /** The length of the payload, in bytes. */
  readonly size?: number;
}

/** A call of a store. */
export type Step =
  | { readonly call: 'commit'; readonly drafts: readonly Draft[] }
  | { readonly call: 'read' | 'readWithPayload'; readonly sort: string }
  | { readonly call: 'list'; readonly range: ListRange };

const sort = fc.constantFrom(...SORTS);
const size = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(0, 1, 300) },
  { weight: 1, arbitrary: fc.constantFrom(MAX_IN_TABLE_BYTES, MAX_IN_TABLE_BYTES + 1) },
);
const draft: fc.Arbitrary<Draft> = fc.record(
  {
    kind: fc.constantFrom('insert', 'insert', 'put', 'replace', 'remove', 'check'),
    sort,
    off: fc.constantFrom(0, 0, 0, 0, 0, 0, 1),
    data: fc.constantFrom({ a: [1, null] }, null, '', 'ä😀"\u0000', 'x'.repeat(2_000)),
    expiresAtMs: fc.constantFrom(1, 4_102_444_800_001),
    size,
  },
  { requiredKeys: ['kind', 'sort', 'off', 'data'], noNullPrototype: true },
);
const range: fc.Arbitrary<ListRange> = fc
  .record({
    prefix: fc.constantFrom('', '', 'n', 'n/', 'n/1', 'm', 'x'),
    before: fc.option(fc.oneof(sort, fc.constantFrom('n/15', 'o')), { nil: undefined }),
    limit: fc.constantFrom(1, 2, 3, 9),
    maxBytes: fc.constantFrom(1, 9, 2_010, 1_000_000),
  })
  // A page must begin at a key of its range.
  .map(({ before, ...all }) => (before?.startsWith(all.prefix) ? { ...all, before } : all));
const commit = fc.uniqueArray(draft, { minLength: 1, maxLength: 4, selector: (each) => each.sort });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: commit.map((drafts) => ({ call: 'commit' as const, drafts })) },
  { weight: 1, arbitrary: sort.map((name) => ({ call: 'read' as const, sort: name })) },
  { weight: 2, arbitrary: sort.map((name) => ({ call: 'readWithPayload' as const, sort: name })) },
  { weight: 2, arbitrary: range.map((asked) => ({ call: 'list' as const, range: asked })) },
);

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 2, maxLength: 8, size: 'max' });

/** Returns the write of a draft for the present item, or for a key without one. */
export function writeOf(
  { kind, sort: name, off, data, expiresAtMs, size: bytes }: Draft,
  partition: string,
  item?: Item,
): Write {
  const key = { partition, sort: name };
  const content = { key, data, ...(expiresAtMs !== undefined && { expiresAtMs }) };
  const payload = bytes !== undefined && !PLAIN.has(name) && { bytes: Buffer.alloc(bytes, name) };
  const present = { key, version: (item?.version ?? 1) + off, drops: item?.payload };
  switch (kind) {
    case 'put':
      return PLAIN.has(name)
        ? { kind, ...content, ...(off === 1 && { maxVersion: 2 }) }
        : { kind: 'insert', ...content };
    case 'insert':
      return { kind, ...content, ...payload };
    case 'replace':
      return { kind, ...present, ...content, ...payload };
    case 'remove':
      return { kind, ...present };
    case 'check':
      return { kind, key, version: present.version };
  }
}
