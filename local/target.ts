import { GatewayError } from './gateway-error.ts';

/** A request target in its raw, percent-encoded parts. */
export interface Target {
  readonly path: string;
  /** What follows the first `?`; `null` where there is none. */
  readonly query: string | null;
}

/** Each parameter once with its last value, and each with all its values. */
export interface Query {
  readonly last: Record<string, string>;
  readonly all: Record<string, string[]>;
}

/** Splits a request target; of the absolute form only what follows the authority counts. */
export function splitTarget(target: string): Target {
  const local = target.startsWith('/') ? target : withoutOrigin(target);
  const mark = local.indexOf('?');
  return mark < 0 ? { path: local, query: null } : { path: local.slice(0, mark), query: local.slice(mark + 1) };
}

function withoutOrigin(target: string): string {
  const scheme = target.indexOf('://');
  if (scheme < 0) return target;
  const rest = target.slice(scheme + 3);
  const start = rest.search(/[/?]/);
  if (start < 0) return '/';
  return rest[start] === '?' ? `/${rest.slice(start)}` : rest.slice(start);
}

/**
 * Checks what API Gateway refuses before it looks at the API: a stray `%`, raw bytes outside ASCII, and in the query
 * the characters that its documentation wants encoded.
 * @throws {GatewayError} BAD_REQUEST_PARAMETERS
 */
export function checkTarget({ path, query }: Target): void {
  const malformed = /[^\x21-\x7e]|%(?![0-9a-f]{2})/i;
  if (malformed.test(path) || (query !== null && (malformed.test(query) || /[|{}]/.test(query)))) {
    throw new GatewayError('BAD_REQUEST_PARAMETERS');
  }
}

/**
 * Reads a query as API Gateway does: decoded once, `+` is a space, `;` separates like `&`, a name alone has the value ''.
 * @returns null where the query names no parameter
 * @throws {GatewayError} BAD_REQUEST_PARAMETERS where the bytes are not UTF-8
 */
export function readQuery(query: string | null): Query | null {
  if (!query) return null;
  const all = new Map<string, string[]>();
  for (const pair of query.split(/[&;]/)) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeOnce(spaced(equals < 0 ? pair : pair.slice(0, equals)));
    const value = equals < 0 ? '' : decodeOnce(spaced(pair.slice(equals + 1)));
    const values = all.get(name);
    if (values) values.push(value);
    else all.set(name, [value]);
  }
  if (all.size === 0) return null;
  const last = new Map<string, string>();
  for (const [name, values] of all) last.set(name, values.at(-1) ?? '');
  // fromEntries makes own properties even of names such as __proto__.
  return { last: Object.fromEntries(last), all: Object.fromEntries(all) };
}

function spaced(text: string): string {
  return text.replaceAll('+', ' ');
}

/**
 * Decodes percent-encoding once.
 * @throws {GatewayError} BAD_REQUEST_PARAMETERS where the bytes are not UTF-8
 */
function decodeOnce(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new GatewayError('BAD_REQUEST_PARAMETERS', { cause });
  }
}

/** A path parameter as an event has it. Nothing reads it: the functions take ids from the raw path, and answer 404. */
export function decodedOrRaw(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
