import { invalidHeader } from '../contract/failures.ts';
import type { HttpRequest } from './request.ts';

/** A kind of change that can have a plan. */
interface PlannedChange<Plan> {
  /** What the change is, such as `deletion`. */
  readonly name: string;
  /** How a client gets the plan: a sentence. */
  readonly hint: string;
  /** Reads the token of a plan; `undefined` if the text is not one. */
  readonly read: (token: string) => Plan | undefined;
}

/** The conditional headers of RFC 9110 that Segue does not evaluate. */
const UNSUPPORTED = ['If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since'];

/**
 * Reads the plan that a change must agree with, from `If-Match`; `undefined` if there is none. Segue evaluates no other
 * condition, so it must change nothing if there is one.
 * @throws {Problem} `invalid-header`
 */
export function readPlan<Plan>({ headerValues }: HttpRequest, { name, hint, read }: PlannedChange<Plan>) {
  const [tag, ...others] = headerValues('if-match');
  const [, token] = /^"([\w-]+)"$/.exec(tag ?? '') ?? [];
  const planned = others.length === 0 && token !== undefined ? read(token) : undefined;
  const details = new Map<string, string>();
  if (tag !== undefined && planned === undefined) {
    const detail = `The header If-Match must have one value: the plan of this ${name}, in quotation marks.`;
    details.set('If-Match', `${detail} ${hint} Segue did nothing.`);
  }
  for (const header of UNSUPPORTED) {
    if (headerValues(header.toLowerCase()).length === 0) continue;
    details.set(header, `A ${name} does not support the header ${header}. Segue did nothing. Leave the header out.`);
  }
  if (details.size > 0) throw invalidHeader(Object.fromEntries(details));
  return planned;
}
