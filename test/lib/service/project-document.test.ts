import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText, encodeText, jsonBytes } from '../../../lib/service/encoded-text.ts';
import { documentOf } from '../../../lib/service/project-document.ts';
import { projectFrom } from '../../../lib/service/project-from.ts';
import { segments } from '../../support/projects.ts';
import { checked, NOW_MS } from '../support.ts';

describe('encoded JSON', () => {
  it.each([0, 1_023, 1_024, 65_535, 65_536, 3_000_000])('of %i bytes is decoded to the same bytes', async (length) => {
    const text = 'é'.repeat(length >> 1) + 'x'.repeat(length % 2);
    const json = await encodeText(text);
    expect(json.length).toBe(length);
    expect(json.encoding).toBe(length < 1_024 ? 'identity' : 'gzip');
    expect(Buffer.from(decodeText(json)).toString()).toBe(text);
    if (json.encoding === 'gzip') expect(gunzipSync(json.bytes).toString()).toBe(text);
  });
});

describe('the document of a project', () => {
  it('is its JSON, with its id and its counts', async () => {
    const project = projectFrom(checked({ segments: segments(7) }), 5, NOW_MS);
    const document = await documentOf(project);
    expect(document).toMatchObject({ id: 5, segments: 7, targetLanguages: 1 });
    expect(Buffer.from(decodeText(document.json)).toString()).toBe(JSON.stringify(project));
  });
});

const textOf = (fields: object) => jsonBytes(fields).toString();

it.each([0, 1, 49, 50, 51, 100, 101])('a list of %i entries is as JSON.stringify writes it', (length) => {
  const fields = { id: 1, list: Array.from({ length }, (_, index) => ({ index, text: 'é"\\\u2028😀' })), last: null };
  expect(textOf(fields)).toBe(JSON.stringify(fields));
});

it('any object is as JSON.stringify writes it', () => {
  const long = fc.tuple(fc.jsonValue(), fc.integer({ min: 51, max: 120 }));
  const member = fc.oneof(
    fc.jsonValue(),
    long.map(([entry, length]) => Array.from({ length }, () => entry)),
    fc.constant(undefined),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), member), (fields) => {
      expect(textOf(fields)).toBe(JSON.stringify(fields));
    }),
  );
});
