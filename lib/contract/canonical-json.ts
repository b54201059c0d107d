/** Writes a value as JSON with sorted keys, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (isPlain(member) ? sorted(member) : member));
}

/** Yields the text of `canonicalJson` in pieces, so that a long list in a field is not written at once. */
export function* canonicalPieces(value: unknown): Generator<string> {
  if (!isPlain(value)) return yield canonicalJson(value);
  let before = '{';
  for (const [name, member] of Object.entries(sorted(value))) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    if (Array.isArray(member) && member.length > 0) yield* listPieces(member);
    else yield canonicalJson(member);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* listPieces(list: readonly unknown[]): Generator<string> {
  let before = '[';
  for (const entry of list) {
    yield before + canonicalJson(entry ?? null);
    before = ',';
  }
  yield ']';
}

/** Sorts the keys of an object. Keys that are integers come first, in the order of the integers. */
function sorted(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
