import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { digestOf, lineKey, readLine } from '../../../../lib/workflow/bulk/manifest-line.ts';
import { problemOf } from '../../support.ts';
import { fileOf } from '../world.ts';

const read = (text: string) => readLine(fileOf(text), { offset: 0, bytes: Buffer.byteLength(text) });
const faultsOf = async (text: string) =>
  (await problemOf(() => read(text))).occurrence.errors?.map(({ pointer, code }) => `${pointer} ${code}`);

describe('a line', () => {
  it('is a command', async () => {
    const create = { name: 'A', segments: [{ content: 'a, "b"\nc' }] };
    expect(await read(JSON.stringify({ create }))).toMatchObject({ command: { create } });
    const put = { put: create, revision: 7 };
    expect(await read(JSON.stringify(put))).toMatchObject({ command: put });
    const deletion = { delete: { scope: 'project', projectId: 5 } };
    expect(await read(JSON.stringify(deletion))).toMatchObject({ command: deletion });
  });

  it('is named in the problem of invalid JSON', async () => {
    expect((await problemOf(() => read('{'))).occurrence.detail).toMatch(/^The line is not valid JSON at column 2: /);
  });

  it('may have an idempotency key, which identifies it', async () => {
    const key = '~!"'.padEnd(255, 'k');
    expect(await read(JSON.stringify({ create: {}, idempotencyKey: key }))).toMatchObject({ ownKey: key });
    for (const text of ['{"create":{},"idempotencyKey":null}', '{"create":{}}'])
      expect((await read(text)).ownKey).toBeUndefined();
  });

  it.each<[string, string, string[]]>([
    ['no JSON', '{"create":', [' syntax']],
    ['no command', '[]', [' wrong-type']],
    ['a misspelt one', '{"crate":{}}', ['/crate unknown-field', ' required']],
    ['both', '{"create":{},"delete":{"scope":"project","projectId":5}}', [' required']],
    ['every fault', '{"delete":{"scope":"all","id":5}}', ['/delete/scope not-allowed', '/delete/id unknown-field']],
    ['a misspelt key', '{"create":{},"idempotencykey":"a"}', ['/idempotencykey unknown-field']],
    ['an empty key', '{"create":{},"idempotencyKey":""}', ['/idempotencyKey not-allowed']],
    ['a key with a space', '{"create":{},"idempotencyKey":"bulk 1"}', ['/idempotencyKey not-allowed']],
    ['a key that is not ASCII', '{"create":{},"idempotencyKey":"ä"}', ['/idempotencyKey not-allowed']],
    ['a key that is a number', '{"create":{},"idempotencyKey":5}', ['/idempotencyKey wrong-type']],
  ])('is refused if it is %s', async (_, text, faults) => {
    expect(await faultsOf(text)).toEqual(faults);
  });

  it('is refused unread if it is larger than a body', async () => {
    const text = JSON.stringify({ create: 'x'.repeat(LIMITS.bodyBytes) });
    expect((await problemOf(() => read(text))).name).toBe('too-large');
  });
});

describe('the content of a line', () => {
  const same = (one: string, other: string) => expect(digestOf(JSON.parse(one))).toBe(digestOf(JSON.parse(other)));
  const differ = (one: string, other: string) =>
    expect(digestOf(JSON.parse(one))).not.toBe(digestOf(JSON.parse(other)));

  it.each([
    ['the order of keys', '{"create":{"a":1,"b":{"c":2,"d":3}}}', '{"create":{"b":{"d":3,"c":2},"a":1}}'],
    ['how a text is escaped', '{"create":{"name":"A/é"}}', '{"create":{"name":"\\u0041\\/\\u00e9"}}'],
    ['a null', '{"create":{"a":1,"b":null,"c":[{"d":null}]}}', '{"create":{"a":1,"c":[{}]}}'],
    ['a start date', '{"create":{"a":1,"startDateUtc":"2026-01-01T00:00:00Z"}}', '{"create":{"a":1}}'],
    ['the start date of a put', '{"put":{"a":1,"startDateUtc":"2026-01-01T00:00:00Z"}}', '{"put":{"a":1}}'],
  ])('does not depend on %s', (_, one, other) => same(one, other));

  it.each([
    ['a value', '{"create":{"a":1}}', '{"create":{"a":2}}'],
    ['an end date', '{"create":{"endDateUtc":"2026-01-01T00:00:00Z"}}', '{"create":{}}'],
    ['the start date of something else', '{"create":{"a":{"startDateUtc":"x"}}}', '{"create":{"a":{}}}'],
    ['a command', '{"create":{"scope":"project"}}', '{"delete":{"scope":"project"}}'],
    ['whether it creates or puts', '{"create":{"a":1}}', '{"put":{"a":1}}'],
    ['a revision', '{"put":{"a":1},"revision":1}', '{"put":{"a":1},"revision":2}'],
    ['a name that objects have', '{"create":{"__proto__":{"a":1}}}', '{"create":{}}'],
  ])('depends on %s', (_, one, other) => differ(one, other));
});

it('a line has a key that no caller can send', () => expect(lineKey('a', 'd', 1)).toContain(' '));
