/** So many entries are written as one text: small texts never leave the young generation of the heap. */
const ENTRIES_AT_ONCE = 50;

/** The JSON text of an object in UTF-8. What may be long in it are its own lists: those are written piece by piece. */
export function jsonBytes(fields: object): Buffer {
  if (!Object.values(fields).some(isLong)) return Buffer.from(JSON.stringify(fields));
  return Buffer.concat(Array.from(textsOf(fields), (text) => Buffer.from(text)));
}

function isLong(member: unknown): member is readonly unknown[] {
  return Array.isArray(member) && member.length > ENTRIES_AT_ONCE;
}

function* textsOf(fields: object): Generator<string> {
  let before = '{';
  for (const [name, member] of Object.entries(fields)) {
    if (member === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    if (isLong(member)) yield* listTexts(member);
    else yield JSON.stringify(member);
    before = ',';
  }
  yield '}';
}

function* listTexts(entries: readonly unknown[]): Generator<string> {
  let before = '[';
  for (let from = 0; from < entries.length; from += ENTRIES_AT_ONCE) {
    const text = JSON.stringify(entries.slice(from, from + ENTRIES_AT_ONCE)).slice(1, -1);
    yield `${before}${text}`;
    before = ',';
  }
  yield ']';
}
