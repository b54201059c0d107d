import { describe, expect, it } from 'vitest';
import { deadlineAt } from '../../lib/service/deadline.ts';
import { FETCH_LIMITS } from '../../lib/webhooks/fetch-entry.ts';
import { mapper } from '../../lib/webhooks/mapping/mapper.ts';
import { localFetcher, startContentSystem } from '../lib/webhooks/content-system.ts';

const textOf = (bytes: number) => 'x'.repeat(bytes);

/** Pads a JSON text with spaces to the most bytes. */
const padded = (json: string) => json + ' '.repeat(FETCH_LIMITS.bytes - Buffer.byteLength(json));
const of = (count: number, entry: (n: number) => string) =>
  `{"list":[${Array.from({ length: count }, (_, n) => entry(n)).join()}]}`;

/** The entries of the most bytes that need most time or memory, with an expression that reads all of their texts. */
const LARGEST: readonly [string, string, string, number][] = [
  [
    'one text',
    padded(JSON.stringify({ text: textOf(FETCH_LIMITS.bytes - 20) })),
    '$length(fetched.text)',
    FETCH_LIMITS.bytes - 20,
  ],
  [
    'long texts of three bytes a letter',
    padded(of(1_000, () => `"${'漢'.repeat(1_300)}"`)),
    '$count(fetched.list)',
    1_000,
  ],
  [
    'blocks',
    padded(of(4_000, (n) => `{"key":"${n}","html":"${textOf(1_000)}"}`)),
    '$count(fetched.list.{ "id": key, "content": html })',
    4_000,
  ],
  ['small objects', padded(of(99_000, (n) => `{"a":${n},"b":"x","c":null,"d":1.5}`)), '$count(fetched.list)', 99_000],
  ['empty lists', padded(of(499_000, () => '[]')), '$exists(fetched) ? 1', 1],
  ['long integers', padded(of(240_000, () => '9007199254740993')), '$count(fetched.list)', 240_000],
];

describe.each(LARGEST)('an entry with %s', (_, body, expression, result) => {
  it('is fetched, and mapped within the limits of a mapping, together with the largest message', async () => {
    const { url, host } = await startContentSystem((__, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
    const message = { headers: {}, body: { url, text: textOf(262_000) } };
    const call = { nowMs: 0, deadline: deadlineAt(Date.now() + 60_000, Date.now) };
    const fetchedJson = await localFetcher()({ url: 'body.url', hosts: [host] }, message, call);
    const own = mapper();
    try {
      expect(await own.apply(expression, { ...message, fetchedJson }, 0)).toBe(result);
    } finally {
      own.close();
    }
  });
});
