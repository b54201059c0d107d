/**
 * Reads the fields of a form (`application/x-www-form-urlencoded`), each with all of its values in order.
 * @returns `undefined` if the bytes are not UTF-8, before or after percent-decoding
 */
export function readForm(bytes: Uint8Array): Readonly<Record<string, readonly string[]>> | undefined {
  const text = utf8Of(bytes);
  if (text === undefined || !canDecode(text)) return undefined;
  // URLSearchParams would drop a "?" at the beginning, but here the "?" is part of a name. The "&" prevents that.
  const pairs = Map.groupBy(new URLSearchParams(`&${text}`), ([name]) => name);
  return Object.fromEntries(Array.from(pairs, ([name, all]) => [name, all.map(([, value]) => value)]));
}

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether every percent-encoding is valid. URLSearchParams would replace invalid bytes without an error. */
function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
