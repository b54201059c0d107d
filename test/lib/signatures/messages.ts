import type { ReceivedMessage } from '../../../lib/signatures/scheme.ts';
import { SENDER_PATH } from '../../support/senders.ts';

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The path of every test message. */
export const PATH = SENDER_PATH;

/** Returns a message as the gateway has received it. */
export function received(
  headers: Headers,
  body: string | Uint8Array,
  { query = {}, path = PATH }: { readonly query?: Headers; readonly path?: string } = {},
): ReceivedMessage {
  const valuesOf = (values: Headers) => (name: string) => [values[name] ?? []].flat();
  return { headerValues: valuesOf(headers), queryValues: valuesOf(query), path, body: Buffer.from(body) };
}
