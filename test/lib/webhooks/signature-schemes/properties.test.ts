import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSeconds } from '../../../../lib/webhooks/signature-schemes/scheme.ts';
import { SENDERS } from '../../../support/senders.ts';
import { NOW_MS } from '../../support.ts';
import { MESSAGE, proofOf } from './fixture.ts';

const part = fc.constantFrom('v1', 'v1a', 't', ',', '=', ' ', '.', 'sha256=', 'whsec_', '0', 'A', '\u0000', 'é', '😀');
const header = fc.oneof(
  fc.string(),
  fc.array(part, { maxLength: 40 }).map((parts) => parts.join('')),
  fc.base64String(),
);
const values = fc.oneof(header, fc.array(header, { maxLength: 3 }));

describe.each(SENDERS)('$name', (sender) => {
  const own = sender.sign(MESSAGE);

  it('proves nothing by whatever headers, and never fails otherwise', () => {
    const some = fc.record(Object.fromEntries(Object.keys(own).map((name) => [name, values])), { requiredKeys: [] });
    fc.assert(
      fc.property(some, fc.uint8Array({ maxLength: 64 }), (headers, body) => {
        expect(proofOf(sender.settings, [sender.secret, sender.otherSecret], headers, body)).toBeUndefined();
      }),
    );
  });

  it('proves nothing with any one header replaced', () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(own)), header, (name, value) => {
        fc.pre(value !== own[name]);
        expect(proofOf(sender.settings, [sender.secret], { ...own, [name]: value }, MESSAGE.body)).toBeUndefined();
      }),
    );
  });

  it('proves every message that is signed', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
    const offsetMs = fc.integer({ min: -299_000, max: 299_000 });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), id, offsetMs, (body, messageId, offset) => {
        const headers = sender.sign({ body, id: messageId, atMs: NOW_MS + offset });
        expect(proofOf(sender.settings, [sender.secret], headers, body)).toBeDefined();
      }),
    );
  });

  it('takes no secret that it would not take back', () => {
    fc.assert(
      fc.property(fc.string(), (secret) => {
        expect(proofOf(sender.settings, [secret], own, MESSAGE.body)).toBeUndefined();
      }),
    );
  });
});

it('seconds are read where they are written in the one way, and nothing else is', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999_999_999 }), (seconds) => {
      expect(readSeconds(String(seconds))).toBe(seconds * 1_000);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      const read = readSeconds(text);
      if (read !== undefined) expect(String(read / 1_000)).toBe(text);
    }),
  );
});
