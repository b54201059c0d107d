import { isUtf8 } from 'node:buffer';
import type { FaultCode } from '../../contract/fault.ts';
import { Problem } from '../../contract/problem.ts';

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The most fields of a form. */
export const MOST_FIELDS = 1_000;

/** Whether the content type says that the body is a form. */
export function isForm({ 'content-type': type = '' }: Readonly<Record<string, string>>): boolean {
  const [mediaType = ''] = type.split(';');
  return mediaType.trim().toLowerCase() === FORM_TYPE;
}

/**
 * Reads the fields of a form as strictly as JSON is read: whole escapes, UTF-8, and no field twice.
 * @throws {Problem} `malformed-json`
 */
export function readForm(bytes: Uint8Array): Readonly<Record<string, string>> {
  if (!isUtf8(bytes)) throw malformed('encoding', 'The form is not UTF-8.');
  const pairs = Buffer.from(bytes).toString().split('&').filter(Boolean);
  if (pairs.length > MOST_FIELDS) throw malformed('too-many', `The form has more than ${MOST_FIELDS} fields.`);
  const fields = new Map<string, string>();
  for (const pair of pairs) {
    const [name = ''] = pair.split('=', 1);
    const field = decode(name);
    if (fields.has(field)) throw malformed('duplicate-key', 'The form has the same field twice.');
    fields.set(field, decode(pair.slice(name.length + 1)));
  }
  return Object.fromEntries(fields);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed('encoding', 'The form has a percent sign that is not followed by the code of a byte of UTF-8.');
  }
}

function malformed(code: FaultCode, detail: string): Problem {
  return new Problem('malformed-json', { detail, errors: [{ pointer: '', code, detail }] });
}
