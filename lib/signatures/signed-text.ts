/** A place in the headers of a message: a header, or the value of one `key=value` part of a header. */
export interface Place {
  /** The name of the header, in lower case. */
  readonly header: string;
  /** The key of the part; absent if the whole header counts. */
  readonly part?: string | undefined;
}

/** Parses a place: `<header>`, or `<header>#<key>`. */
export function placeOf(text: string): Place {
  const [header = '', part] = text.split('#', 2);
  return { header, part };
}

/** A field of a template, by what it stands for. */
export type Field =
  | { readonly kind: 'id' | 'timestamp' | 'method' | 'path' | 'body' | 'json-body' }
  | { readonly kind: 'header'; readonly place: Place }
  /** The headers whose names the sender lists in a header, as `name:value` joined by semicolons. */
  | { readonly kind: 'headers'; readonly list: string };

/** A piece of a template: literal text, or a field. */
export type Piece = { readonly kind: 'text'; readonly text: string } | (Field & FieldRules);

interface FieldRules {
  /**
   * A character that the field must not contain: the first one of the text after a field in front of the body, and the
   * last one of the text before a field behind the body. So two messages never have the same signed text: nobody can
   * move characters from one field to its neighbour.
   */
  readonly excludes?: string | undefined;
}

/** Matches each field of a template. Other braces are text, as in a template of JSON. */
const FIELD = /\{(id|timestamp|method|path|body:json|body|headers?:[^{}\s]+)\}/;

/** Parses a template of the signed text. */
export function piecesOf(template: string): readonly Piece[] {
  const split = template.split(FIELD);
  const texts = split.map((text, index) => (index % 2 === 0 ? text : ''));
  const body = split.findIndex((name, index) => index % 2 === 1 && name.startsWith('body'));
  return split.flatMap((text, index): Piece[] => {
    if (index % 2 === 0) return text === '' ? [] : [{ kind: 'text', text }];
    const excludes = index < body ? texts[index + 1]?.at(0) : texts[index - 1]?.at(-1);
    return [{ ...fieldOf(text), excludes }];
  });
}

function fieldOf(name: string): Field {
  const [kind = '', of = ''] = name.split(/:(.*)/s);
  if (kind === 'header') return { kind, place: placeOf(of) };
  if (kind === 'headers') return { kind, list: of };
  if (kind === 'body') return { kind: of === 'json' ? 'json-body' : 'body' };
  if (kind === 'id' || kind === 'timestamp' || kind === 'method') return { kind };
  return { kind: 'path' };
}

/** The name of a header, in lower case. */
export const HEADER_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const MAX_LISTED = 64;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no header has control characters, so a template may use them.
const CONTROL = /[\x00-\x1f\x7f]/;

/**
 * Joins the headers that a sender lists, as `name:value` with semicolons between them.
 * @param required headers that the list must have
 * @param headerOf returns the value of a header, if the message has the header exactly once
 * @returns `undefined` if the list is invalid, or the text could be that of other headers
 */
export function joinListed(
  listed: string,
  required: readonly string[],
  headerOf: (name: string) => string | undefined,
): string | undefined {
  const names = listed.split(',', MAX_LISTED + 1);
  if (names.length > MAX_LISTED || new Set(names).size < names.length) return undefined;
  if (!names.every((name) => HEADER_NAME.test(name)) || !required.every((name) => names.includes(name)))
    return undefined;
  const values = names.map(headerOf);
  // A value with `;name:` would look like the next header.
  const isOpen = (value: string | undefined) =>
    value === undefined || CONTROL.test(value) || names.some((name) => value.includes(`;${name}:`));
  return values.some(isOpen) ? undefined : names.map((name, index) => `${name}:${values[index]}`).join(';');
}

const PART = /^([A-Za-z][A-Za-z0-9_-]{0,31})=([\x21-\x2b\x2d-\x3a\x3c-\x7e]{1,512})$/;
const MAX_PARTS = 16;

/** How a header is divided into `key=value` parts. */
export interface Layout {
  /** The keys in the order in which the sender writes them. */
  readonly keys: readonly string[];
  /** The text between two parts. */
  readonly separator: string;
}

/** Parses a layout: the keys with the separator between them, such as `t,v1`. */
export function layoutOf(text: string): Layout {
  const separator = /[,;] ?/.exec(text)?.[0] ?? ',';
  return { keys: text.split(separator), separator };
}

/** Returns all values of each part of a header. Parts with other keys are kept too. @returns `undefined` if it is invalid */
export function partsOf({ separator }: Layout, value: string): ReadonlyMap<string, readonly string[]> | undefined {
  const parts = value.split(separator, MAX_PARTS + 1).map((part) => PART.exec(part));
  if (parts.length > MAX_PARTS || parts.includes(null)) return undefined;
  const pairs = parts.map((part) => [part?.[1] ?? '', part?.[2] ?? ''] as const);
  return new Map([...Map.groupBy(pairs, ([key]) => key)].map(([key, all]) => [key, all.map(([, text]) => text)]));
}
