import * as z from 'zod/mini';
import { instantOf, isBeyondYears } from './date.ts';
import type { FaultCode } from './faults.ts';
import { LIMITS } from './limits.ts';
import { fieldsOf } from './pointer.ts';

/**
 * Makes a zod check that attaches a fault code and a detail to its issue, for `faults.ts`. For a text, checking stops
 * at the first broken rule. For an object, all broken rules are reported, because each concerns another field.
 * @param path the path of the faulty field; empty if the checked value itself is faulty
 */
// Tells esbuild to leave the rules out of bundles that do not use them. @__NO_SIDE_EFFECTS__
export function rule<T>(fault: FaultCode, detail: string, holds: (value: T) => boolean, path: readonly string[] = []) {
  return z.refine<T>(holds, { params: { fault, detail }, path: [...path], abort: path.length === 0 });
}

const wellFormed = rule<string>('ill-formed-unicode', 'The text must be well-formed Unicode.', (text) =>
  text.isWellFormed(),
);
const notEmpty = rule<string>('empty', 'The text must not be empty.', (text) => text.length > 0);
const notBlank = rule<string>('blank', 'The text must have visible characters.', (text) => !isBlank(text));

function atMost(codePoints: number) {
  return rule<string>(
    'too-long',
    `The text must have at most ${codePoints} characters.`,
    (t) => !isTooLong(t, codePoints),
  );
}

/** The schema of a text of at most `codePoints` characters, by default 1,000. */
export const text = (codePoints: number = LIMITS.stringCharacters) => z.string().check(wellFormed, atMost(codePoints));

/** The schema of a text for people, of at most 10,000 characters. */
export const freeText = () => text(LIMITS.freeTextCharacters);

/** The schema of the content of a segment. */
export const content = () =>
  z.string().check(
    notEmpty,
    wellFormed,
    rule(
      'too-long',
      `The content must have at most ${LIMITS.contentBytes} bytes in UTF-8.`,
      // A UTF-16 unit takes at most three bytes in UTF-8. So for most texts the length decides, without counting bytes.
      (t) => t.length * 3 <= LIMITS.contentBytes || Buffer.byteLength(t) <= LIMITS.contentBytes,
    ),
  );

/** The schema of a custom id of a project. A URL path contains the id, so it must not be `.` or `..`. */
export const customId = () =>
  text(LIMITS.customIdCharacters).check(
    notEmpty,
    rule('reserved-name', 'Clients remove "." and ".." from a path. Use another id.', (t) => t !== '.' && t !== '..'),
  );

/** The schema of a text of at most 1,000 characters, with at least one visible character. */
export const nonBlankText = () => text().check(notBlank);

/** The schema of the id of a task. */
export const taskId = nonBlankText;

/** The schema of an RFC 3339 date with up to 9 fraction digits. A date without an offset is in UTC. */
export const instant = () =>
  z.string().check(
    rule(
      'invalid-date',
      'The date must be RFC 3339 with at most 9 fraction digits, such as 2026-01-31T09:00:00Z or 2026-01-31T04:00:00-05:00. Without an offset it is in UTC.',
      (t) => instantOf(t) !== undefined || isBeyondYears(t),
    ),
    rule('invalid-date', 'The year of this date in UTC is outside 0000 to 9999.', (t) => !isBeyondYears(t)),
  );

/** The schema of a numeric id: a positive integer below 2^53. */
export const id = () => z.int().check(z.gte(1));

/** The schema of an e-mail address. */
export const email = () => z.email().check(atMost(LIMITS.stringCharacters));

/** How an operator lets events go to a receiver on the same machine. */
export const LOOPBACK_HINT =
  'To receive events on this machine, start Segue with npm start -- --allow-loopback-events, and use http://127.0.0.1:<port>.';

/** Matches a URL of this machine, also without a scheme. */
const LOOPBACK = /^(?:https?:\/\/)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/?#]|$)/i;

/** Whether a text is the URL of a receiver on the machine of Segue. */
export const isLoopbackUrl = (text: string) => LOOPBACK.test(text);

/** The schema of an https URL. It does not use `z.url`, which accepts and repairs malformed URLs. */
export const httpsUrl = () =>
  text().check(
    rule(
      'invalid-url',
      `The text must be an https URL. ${LOOPBACK_HINT}`,
      (t) => !isLoopbackUrl(t) || /^https:/i.test(t),
    ),
    rule(
      'invalid-url',
      'The text must be an https URL.',
      (t) => /^https:\/\/[^\s\p{Cc}]+$/iu.test(t) && URL.canParse(t),
    ),
  );

/** The schema of a URL for events on a machine that also sends events to itself: an https URL, or one of 127.0.0.1. */
export const loopbackOrHttpsUrl = () =>
  text().check(
    rule(
      'invalid-url',
      'The text must be an https URL, or http://127.0.0.1:<port> with an optional path.',
      (t) =>
        /^(?:https:\/\/[^\s\p{Cc}]+|http:\/\/127\.0\.0\.1:\d{1,5}(?:\/[^\s\p{Cc}]*)?)$/iu.test(t) && URL.canParse(t),
    ),
  );

/** Adds a description, and an example of a value, to the schema of a required field. */
export const required = <S extends z.core.$ZodType>(schema: S, description: string, example?: unknown): S => {
  z.globalRegistry.add(schema, { description, ...examples(example) });
  return schema;
};

/**
 * Makes a field optional, and adds a description and an example of a value. A client may leave the field out or set it
 * to `null`.
 */
export const optional = <S extends z.core.$ZodType>(schema: S, description: string, example?: unknown) =>
  required(z.optional(z.nullable(schema)), description, example);

const examples = (example: unknown) => (example === undefined ? {} : { examples: [example] });

/**
 * The schema of a list. It checks the length first, so that Segue does not check the entries of a list that is too
 * long.
 */
export const list = <S extends z.core.$ZodType>(entry: S, { min = 0, max }: { min?: number; max: number }) =>
  z.pipe(z.array(z.unknown()).check(z.minLength(min), z.maxLength(max)), z.array(entry));

/** Whether a text has more than `codePoints` Unicode code points. */
export function isTooLong(text: string, codePoints: number): boolean {
  // A code point is one or two UTF-16 units. So for most texts the length decides, without counting code points.
  if (text.length <= codePoints) return false;
  if (text.length > codePoints * 2) return true;
  let count = 0;
  for (const _ of text) if (++count > codePoints) return true;
  return false;
}

/** Whether a text has no visible characters: only white space, format and control characters. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Z}\p{Cc}\p{Cf}]/u.test(text);
}

/** The type `T` without `null` in its fields, at any depth. */
export type WithoutNulls<T> = T extends readonly (infer E)[]
  ? WithoutNulls<E>[]
  : T extends object
    ? { [K in keyof T]: WithoutNulls<Exclude<T[K], null>> }
    : T;

/** Removes every field that is null, at any depth. Returns the value itself, not a copy, if no field is null. */
export function withoutNulls<T>(value: T): WithoutNulls<T>;
export function withoutNulls(value: unknown): unknown {
  if (!hasNull(value)) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}

/** Whether an object or array contains null, at any depth. Must be fast, because it reads every value of a project. */
function hasNull(value: unknown): value is object {
  const fields = fieldsOf(value);
  if (!fields) return false;
  if (Array.isArray(value)) return value.some(hasNull);
  for (const name in fields) {
    const field = fields[name];
    if (field === null || (typeof field === 'object' && hasNull(field))) return true;
  }
  return false;
}

/**
 * Matches the idempotency key of a client, which has no space. A key that Segue makes contains a space, so that it
 * never equals the key of a client.
 */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
