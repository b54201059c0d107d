/** One fault of a request. */
export interface Fault {
  /** Where the fault is: a JSON pointer (RFC 6901) into the body, or `/query/<name>`, or `/headers/<name>`. */
  readonly pointer: string;
  /** The kind of fault, for programs. Codes never change. */
  readonly code: FaultCode;
  /** A text for people: what is wrong, and which values are accepted. */
  readonly detail: string;
  /** The accepted values, or those nearest to the rejected value. Absent if they cannot be listed. */
  readonly allowed?: readonly (string | number)[];
  /** The current version of the translation, if the request names another. */
  readonly currentVersion?: number;
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
  'too-few': 'The list has fewer entries than the minimum.',
  'too-many':
    'The list has more entries than the limit. Or the project has too many tasks for its number of target languages, or too many sentences to translate automatically. Or the body has more values or field names than the limit.',
  'ill-formed-unicode': 'The text contains an unpaired surrogate.',
  'reserved-name': 'The text is "." or "..", which clients remove from a path.',
  'invalid-date':
    'The text is not an RFC 3339 date (an offset is optional), or its year in UTC is outside 0000 to 9999.',
  'start-not-now':
    'The start date is too far before or after the current time. Segue allows 5 minutes by its own clock, unless the operator changed the limit. An upstream service has its own clock and limit.',
  'end-not-after-start': 'The end date is not after the start date.',
  'invalid-email': 'The text is not an e-mail address.',
  'invalid-url': 'The text is not an https URL.',
  'receiver-refused': 'Segue sends no events to this URL.',
  'not-allowed': 'The value is not one of the allowed values.',
  'in-use': 'Another project already uses this value.',
  'not-the-same':
    'The first request with this idempotency key had a different value at this pointer. Or the custom id differs from that of the project that the put names.',
  'unknown-language': 'The catalogue, or the project, has no such language.',
  'language-mismatch': 'The id and the code name different languages.',
  'unsupported-pair': 'The translation engine does not translate between these languages.',
  'same-as-source': 'The target language equals the source language.',
  'duplicate-language': 'The target language is repeated.',
  'team-needed': 'Human work requires a team.',
  'team-without-translator': 'The team has a proofreader but no translator.',
  'duplicate-member': 'The team member is repeated.',
  'exclusive-field': 'The object has two fields of which it may have only one.',
  'unknown-segment': 'The project has no such segment.',
  'ambiguous-segment': 'Several segments of the project have this custom id.',
  'duplicate-translation': 'The request has two entries for the same segment and language.',
  'status-lower': 'The status is below the current status of the translation, and the entry does not reopen it.',
  'version-differs': 'The translation has another version now.',
  'plan-differs': 'The deletion or put would not do what its plan shows, or the plan is for another one.',
  'duplicate-key': 'The object repeats a key.',
  syntax: 'The text is not JSON.',
  'too-deep': 'The value is nested too deeply.',
  encoding: 'The bytes are not UTF-8, start with a byte order mark, or are a broken gzip stream.',
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
