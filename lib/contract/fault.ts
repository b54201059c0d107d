/** One thing that is wrong with a request. */
export interface Fault {
  /** JSON pointer (RFC 6901) into the body; `/query/<name>` and `/headers/<name>` outside it. */
  readonly pointer: string;
  /** Stable and made for programs. */
  readonly code: FaultCode;
  /** Made for people: what is wrong, and what would be right. */
  readonly detail: string;
  /** The values that would be right, or the nearest ones, where they can be listed. */
  readonly allowed?: readonly (string | number)[];
}

/** Every code a fault can have, with what it means. */
export const FAULT_CODES = {
  required: 'A value is needed here.',
  'wrong-type': 'The value has another JSON type than the field.',
  'out-of-range': 'The number is outside the range of the field.',
  'unknown-field': 'The contract has no such field here.',
  'service-field': 'The service adds this field to its answer; a request leaves it out.',
  empty: 'The text is empty.',
  blank: 'The text holds nothing visible.',
  'too-long': 'The text is longer than the limit.',
  'too-few': 'The list has fewer entries than the limit.',
  'too-many': 'The list has more entries than the limit, or the body more values or names.',
  'ill-formed-unicode': 'The text holds half of a surrogate pair.',
  'reserved-name': 'The text is a name that clients fold away in a path.',
  'invalid-date':
    'The text is not a date of RFC 3339, with or without an offset, or its year in UTC is outside 0000 to 9999.',
  'start-not-now': 'The start date is too far from the time of the service.',
  'end-not-after-start': 'The end date is not later than the start date.',
  'invalid-email': 'The text is not an e-mail address.',
  'invalid-url': 'The text is not an https URL.',
  'not-allowed': 'The value is not one of the allowed ones.',
  'in-use': 'The value belongs to something that exists.',
  'not-the-same': 'The first request with the key has another value.',
  'unknown-language': 'The catalogue has no such language.',
  'language-mismatch': 'The id and the code name two languages.',
  'same-as-source': 'The target language is the source language.',
  'duplicate-language': 'The target language stands in the list before.',
  'team-needed': 'Manual work needs a team.',
  'team-without-translator': 'The team has a proofreader and no translator.',
  'duplicate-member': 'The member stands in the team before.',
  'duplicate-key': 'The object has this key twice.',
  syntax: 'The text is not JSON.',
  'too-deep': 'The value is nested too deep.',
  encoding: 'The bytes are not UTF-8 without a byte order mark, or not a whole gzip stream.',
  'unknown-parameter': 'The operation has no such query parameter.',
  'invalid-parameter': 'The query parameter has no usable value.',
  'repeated-parameter': 'The query parameter is given more than once.',
  'invalid-header': 'The header has no usable value.',
} as const;
export type FaultCode = keyof typeof FAULT_CODES;

/** Whether a value is the code of a fault. */
export function isFaultCode(value: unknown): value is FaultCode {
  return typeof value === 'string' && Object.hasOwn(FAULT_CODES, value);
}
