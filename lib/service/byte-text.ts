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

/** Writes each of some texts as a JSON string. */
export function jsonTexts(texts: readonly string[]): ByteText[] {
  // One long string is written and converted in half the time of many. JSON strings have no line breaks.
  const lines = JSON.stringify(texts, null, 1);
  return byteText(Buffer.from(lines.slice('[\n '.length, -'\n]'.length))).split(',\n ');
}

/** Parses JSON. */
export function parseText(text: ByteText): unknown {
  return JSON.parse(bytesIn(text).toString());
}
