import { withValueAt } from '../../contract/pointer.ts';
import type { JsonObject } from '../../support/projects.ts';

const PLACE = 'the place';

/** A project as it goes on the wire, with any bytes as the value at a JSON pointer. */
export function withBytesAt(project: JsonObject, pointer: string, bytes: Uint8Array): Buffer {
  const [before = '', after = ''] = JSON.stringify(withValueAt(project, pointer, PLACE)).split(JSON.stringify(PLACE));
  return Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]);
}

/** What the JSON of the language reads from bytes, with every key twice and every depth; `undefined` where it refuses. */
export function standardValue(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) };
  } catch {
    return undefined;
  }
}
