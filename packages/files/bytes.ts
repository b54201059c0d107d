/** How many bytes of Latin-1 are decoded at once. A call cannot take many more arguments. */
const AT_ONCE = 8_192;

/** Returns the number of bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Decodes Latin-1, in which each byte is the character with its number. A `TextDecoder` takes it for windows-1252. */
export function latin1Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return text;
}

/** Encodes a text in UTF-16. */
export function utf16Bytes(text: string, { isLittleEndian }: { readonly isLittleEndian: boolean }): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let at = 0; at < text.length; at++) view.setUint16(2 * at, text.charCodeAt(at), isLittleEndian);
  return new Uint8Array(view.buffer);
}

/** Whether two files have the same bytes. */
export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
