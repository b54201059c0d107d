/** What a JSON text means: numbers by their value, objects whatever the order of their keys. */
export type Meaning = null | boolean | number | string | readonly Meaning[] | ReadonlyMap<string, Meaning>;

const SIMPLE: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Everything that stands for itself: from the space on, but for quotes and backslashes. */
const PLAIN = /[ !#-[\]-\uffff]+/y;

/**
 * Reads JSON by RFC 8259 to the letter, without the language's own reader: UTF-8 without a byte order mark, every key
 * once, only whole characters.
 * @throws {SyntaxError}
 */
export function readStrictly(bytes: Uint8Array): Meaning {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  let at = 0;

  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  }
  const space = () => take(/[ \t\n\r]*/y);
  function need(pattern: RegExp): string {
    const found = take(pattern);
    if (found === undefined) throw new SyntaxError(`Not JSON at ${at}`);
    return found;
  }

  function value(): Meaning {
    space();
    const next = text[at];
    if (next === '{') return object();
    if (next === '[') return list();
    if (next === '"') return string();
    const word = take(/true|false|null/y);
    if (word !== undefined) return word === 'null' ? null : word === 'true';
    return Number(need(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y));
  }

  function list(): Meaning {
    const entries: Meaning[] = [];
    need(/\[[ \t\n\r]*/y);
    if (take(/\]/y)) return entries;
    do {
      entries.push(value());
      space();
    } while (take(/,/y));
    need(/\]/y);
    return entries;
  }

  function object(): Meaning {
    const members = new Map<string, Meaning>();
    need(/\{[ \t\n\r]*/y);
    if (take(/\}/y)) return members;
    do {
      space();
      const name = string();
      if (members.has(name)) throw new SyntaxError('A key twice');
      space();
      need(/:/y);
      members.set(name, value());
      space();
    } while (take(/,/y));
    need(/\}/y);
    return members;
  }

  function string(): string {
    need(/"/y);
    let read = '';
    for (;;) {
      read += take(PLAIN) ?? '';
      if (take(/"/y)) break;
      const escaped = need(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y);
      const letter = escaped.slice(1, 2);
      read += letter === 'u' ? String.fromCharCode(Number.parseInt(escaped.slice(2), 16)) : SIMPLE[letter];
    }
    if (!read.isWellFormed()) throw new SyntaxError('Half a character');
    return read;
  }

  const read = value();
  space();
  if (at !== text.length) throw new SyntaxError(`More than JSON at ${at}`);
  return read;
}

/** One text for each meaning. */
export function canonical(meaning: Meaning): string {
  if (meaning instanceof Map) {
    const members = [...meaning].map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
    return `{${members.sort().join()}}`;
  }
  return Array.isArray(meaning) ? `[${meaning.map(canonical).join()}]` : JSON.stringify(meaning);
}

/** The same without the members that are null. */
export function withoutNull(meaning: Meaning): Meaning {
  if (Array.isArray(meaning)) return meaning.map(withoutNull);
  if (!(meaning instanceof Map)) return meaning;
  return new Map([...meaning].flatMap(([name, member]) => (member === null ? [] : [[name, withoutNull(member)]])));
}
