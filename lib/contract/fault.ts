/** One fault of a request. */
export interface Fault {
  /** JSON pointer (RFC 6901) into the body; `/query/<name>` and `/headers/<name>` outside it. */
  readonly pointer: string;
  /** Stable, for programs. */
  readonly code: FaultCode;
  /** For people: what is wrong and what is expected. */
  readonly detail: string;
  /** The accepted values, or the nearest ones, if they can be listed. */
  readonly allowed?: readonly (string | number)[];
}

/** Every fault code with its meaning. */
export const FAULT_CODES = {
  required: 'A value is required.',
  'wrong-type': 'The value has the wrong JSON type.',
  'out-of-range': 'The number is out of range.',
  'unknown-field': 'The contract has no such field here.',
  'service-field': 'Only answers have this field.',
  empty: 'The text is empty.',
  blank: 'The text has no visible characters.',
  'too-long': 'The text is longer than the limit.',
  'too-few': 'The list has fewer entries than the limit.',
  'too-many': 'The list has more entries than the limit, or the body more values or field names.',
  'ill-formed-unicode': 'The text contains half of a surrogate pair.',
  'reserved-name': 'The text is "." or "..", which clients remove from a path.',
  'invalid-date':
    'The text is not an RFC 3339 date (an offset is optional), or its year in UTC is outside 0000 to 9999.',
  'start-not-now': 'The start date differs too much from the time of the service.',
  'end-not-after-start': 'The end date is not after the start date.',
  'invalid-email': 'The text is not an e-mail address.',
  'invalid-url': 'The text is not an https URL.',
  'not-allowed': 'The value is not one of the allowed ones.',
  'in-use': 'Something else already uses this value.',
  'not-the-same': 'The first request with the key had another value.',
  'unknown-language': 'The catalogue has no such language.',
  'language-mismatch': 'The id and the code name different languages.',
  'same-as-source': 'The target language equals the source language.',
  'duplicate-language': 'The target language is repeated.',
  'team-needed': 'Human work requires a team.',
  'team-without-translator': 'The team has a proofreader but no translator.',
  'duplicate-member': 'The team member is repeated.',
  'duplicate-key': 'The object repeats a key.',
  syntax: 'The text is not JSON.',
  'too-deep': 'The value is nested too deeply.',
  encoding: 'The bytes are not UTF-8, start with a byte order mark, or are not a complete gzip stream.',
  'unknown-parameter': 'The operation has no such query parameter.',
  'invalid-parameter': 'The query parameter is invalid.',
  'repeated-parameter': 'The query parameter is repeated.',
  'invalid-header': 'The header is invalid.',
} as const;
export type FaultCode = keyof typeof FAULT_CODES;

/** Whether a value is a fault code. */
export function isFaultCode(value: unknown): value is FaultCode {
  return typeof value === 'string' && Object.hasOwn(FAULT_CODES, value);
}
