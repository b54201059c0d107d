import { verifyMessage } from '../../../../lib/webhooks/signature-schemes/scheme.ts';
import { type SchemeSettings, schemeOf } from '../../../../lib/webhooks/signature-schemes/schemes.ts';
import type { Sender, Unsigned } from '../../../support/senders.ts';
import { NOW_MS } from '../../support.ts';

/** A message with everything in it that text makes difficult. */
export const MESSAGE: Unsigned = {
  body: '{"name":"Müller 😀","n":1.0}',
  atMs: NOW_MS,
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
};

/** What a message proves to a receiver with these secrets. */
export function proofOf(
  settings: SchemeSettings,
  secrets: readonly string[],
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: string | Uint8Array,
  nowMs = NOW_MS,
) {
  const headerValues = (name: string) => [headers[name] ?? []].flat();
  return verifyMessage(schemeOf(settings), secrets, { headerValues, body: Buffer.from(body) }, nowMs);
}

/** What a sender's own message proves, with headers and body as they are or as they have become. */
export function received(
  sender: Sender,
  changed: { readonly headers?: Record<string, string>; readonly body?: Uint8Array; readonly nowMs?: number } = {},
) {
  const headers = { ...sender.sign(MESSAGE), ...changed.headers };
  return proofOf(sender.settings, [sender.secret], headers, changed.body ?? MESSAGE.body, changed.nowMs);
}

/** A text once for each of its bits, with that one turned over; each character is a byte. */
export function flips(text: string): string[] {
  return flippedBytes(Buffer.from(text, 'latin1')).map((bytes) => bytes.toString('latin1'));
}

/** Bytes once for each of their bits, with that one turned over. */
export function flippedBytes(bytes: Uint8Array): Buffer[] {
  return Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return flipped;
  });
}
