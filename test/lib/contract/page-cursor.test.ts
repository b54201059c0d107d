import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { pageCursorText, readPageCursor } from '../../../lib/contract/page-cursor.ts';

const revision = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const position = fc.integer({ min: 1, max: LIMITS.segments });

describe('the cursor of a page of segments', () => {
  it('can be read back, and needs no encoding in a URL', () => {
    fc.assert(
      fc.property(position, revision, (at, name) => {
        const text = pageCursorText({ position: at, revision: name });
        expect(encodeURIComponent(text)).toBe(text);
        expect(readPageCursor(text)).toEqual({ position: at, revision: name });
      }),
    );
  });

  it('has only one text', () => {
    const near = fc.tuple(position, revision).map(([at, name]) => pageCursorText({ position: at, revision: name }));
    const changed = fc
      .tuple(near, fc.nat(70), fc.string({ unit: 'binary', maxLength: 2 }))
      .map(([text, at, put]) => text.slice(0, at) + put + text.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(changed, fc.string({ unit: 'binary' })), (text) => {
        const read = readPageCursor(text);
        if (read) expect(pageCursorText(read)).toBe(text);
      }),
    );
  });
});
