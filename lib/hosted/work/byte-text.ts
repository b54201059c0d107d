/**
 * A text in UTF-8 as a string that has one character for each byte. A page of segments is put together from such
 * strings, because they are neither decoded nor encoded, and JavaScript joins them in half the time.
 */
export type ByteText = string;

/** Returns bytes as a text. */
export function byteText(bytes: Uint8Array): ByteText {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Returns the bytes of a text. */
export function bytesIn(text: ByteText): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Writes a value as JSON. */
export function jsonText(value: unknown): ByteText {
  return byteText(Buffer.from(JSON.stringify(value)));
}

/** Writes values as JSON; `undefined` becomes an empty text. */
export function jsonTexts(values: readonly unknown[]): ByteText[] {
  // JSON has no line breaks. Converting one long string is faster than converting many.
  return byteText(Buffer.from(values.map((value) => JSON.stringify(value)).join('\n'))).split('\n');
}

/** Parses JSON. */
export function parseText(text: ByteText): unknown {
  return JSON.parse(bytesIn(text).toString());
}
