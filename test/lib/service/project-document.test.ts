import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { deadlineAt } from '../../../lib/service/deadline.ts';
import { decodeText, encodeText } from '../../../lib/service/encoded-text.ts';
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

describe('a deadline', () => {
  it('has less and less left, and never less than nothing', () => {
    let now = 0;
    const deadline = deadlineAt(100, () => now);
    const left = [0, 99, 100, 5_000].map((at) => {
      now = at;
      return deadline.remainingMs();
    });
    expect(left).toEqual([100, 1, 0, 0]);
  });
});
