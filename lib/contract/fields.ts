import * as z from 'zod/mini';
import { instantOf, isBeyondYears } from './date.ts';
import type { FaultCode } from './faults.ts';
import { LIMITS } from './limits.ts';
import { fieldsOf } from './pointer.ts';

/**
 * A custom zod rule that carries the code and detail of its fault to `faults.ts`. For a text, checking stops at the first
 * broken rule. For an object, all broken rules are reported, because each concerns another field.
 */
// Marked for esbuild, so that a bundle without these fields drops their rules too. @__NO_SIDE_EFFECTS__
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

/** A string of at most `codePoints` characters, by default 1,000. */
export const text = (codePoints: number = LIMITS.stringCharacters) => z.string().check(wellFormed, atMost(codePoints));

/** A longer text for people. */
export const freeText = () => text(LIMITS.freeTextCharacters);

/** The content of a segment. */
export const content = () =>
  z.string().check(
    notEmpty,
    wellFormed,
    rule(
      'too-long',
      `The content must have at most ${LIMITS.contentBytes} bytes in UTF-8.`,
      // A UTF-16 unit takes at most three bytes in UTF-8, so the length alone decides nearly always.
      (t) => t.length * 3 <= LIMITS.contentBytes || Buffer.byteLength(t) <= LIMITS.contentBytes,
    ),
  );

/** The caller's own id of a project, used in paths. */
export const customId = () =>
  text(LIMITS.customIdCharacters).check(
    notEmpty,
    rule('reserved-name', 'Clients remove "." and ".." from a path. Use another id.', (t) => t !== '.' && t !== '..'),
  );

/** A text of at most 1,000 characters, with at least one visible character. */
export const nonBlankText = () => text().check(notBlank);

/** The id of a task. */
export const taskId = nonBlankText;

/** An RFC 3339 date with up to 7 fraction digits. Without an offset it is in UTC. */
export const instant = () =>
  z.string().check(
    rule(
      'invalid-date',
      'The date must be RFC 3339 with at most 7 fraction digits, such as 2026-01-31T09:00:00Z or 2026-01-31T04:00:00-05:00. Without an offset it is in UTC.',
      (t) => instantOf(t) !== undefined || isBeyondYears(t),
    ),
    rule('invalid-date', 'The year of this date in UTC is outside 0000 to 9999.', (t) => !isBeyondYears(t)),
  );

/** An identifier in the system: a positive integer below 2^53. */
export const id = () => z.int().check(z.gte(1));

/** An e-mail address. */
export const email = () => z.email().check(atMost(LIMITS.stringCharacters));

/** An https URL. Not `z.url`, which accepts and repairs malformed URLs. */
export const httpsUrl = () =>
  text().check(
    rule(
      'invalid-url',
      'The text must be an https URL.',
      (t) => /^https:\/\/[^\s\p{Cc}]+$/iu.test(t) && URL.canParse(t),
    ),
  );

/** A required field. */
export const required = <S extends z.core.$ZodType>(schema: S, description: string): S => {
  z.globalRegistry.add(schema, { description });
  return schema;
};

/** An optional field. `null` means the same as leaving it out. */
export const optional = <S extends z.core.$ZodType>(schema: S, description: string) => {
  const field = z.optional(z.nullable(schema));
  z.globalRegistry.add(field, { description });
  return field;
};

/** A list whose length is checked before its entries, so that an oversized list costs nothing more. */
export const list = <S extends z.core.$ZodType>(entry: S, { min = 0, max }: { min?: number; max: number }) =>
  z.pipe(z.array(z.unknown()).check(z.minLength(min), z.maxLength(max)), z.array(entry));

/** Whether a text has more than so many Unicode code points. */
export function isTooLong(text: string, codePoints: number): boolean {
  // A code point is one or two UTF-16 units, so most texts are settled by their length alone.
  if (text.length <= codePoints) return false;
  if (text.length > codePoints * 2) return true;
  let count = 0;
  for (const _ of text) if (++count > codePoints) return true;
  return false;
}

/** Whether a text holds nothing but white space, format and control characters. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Z}\p{Cc}\p{Cf}]/u.test(text);
}

/** A type of JSON values whose fields are never null: there, null means the same as leaving the field out. */
export type WithoutNulls<T> = T extends readonly (infer E)[]
  ? WithoutNulls<E>[]
  : T extends object
    ? { [K in keyof T]: WithoutNulls<Exclude<T[K], null>> }
    : T;

/** Leaves out every field that is null, at any depth. A value that has none is returned as it is, not copied. */
export function withoutNulls<T>(value: T): WithoutNulls<T>;
export function withoutNulls(value: unknown): unknown {
  if (!hasNull(value)) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}

/** Whether an object or array has a null in it, at any depth. Nearly none has, so this is where the time goes. */
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

/** The form of a caller's idempotency key. It has no space, so keys that Segue makes itself have one. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
