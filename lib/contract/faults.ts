import * as z from 'zod/mini';
import { countOf } from './count.ts';
import { LONGEST_NAME, pointerTo, valueAt } from './pointer.ts';
import { suggestNames } from './suggest-names.ts';

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
  'not-the-same': 'The first request with this idempotency key had a different value at this pointer.',
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
  'plan-differs': 'The deletion would not remove what its plan shows, or the plan is for another deletion.',
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

/** The fields of one kind of object. */
export interface Names {
  /** The names that a request may have. */
  readonly known: readonly string[];
  /** The names that only answers have. */
  readonly serviceOnly: readonly string[];
  /** Returns an example of a field's value, as JSON; without a name, of a whole object of this kind. */
  readonly exampleOf?: (field?: string) => string | undefined;
}

/**
 * Returns the fields of one kind of object, for `faultsOf`.
 * @param schema the schema of the object
 * @param serviceOnly the names that only answers have
 * @param list the schema of the list that contains such objects, with an example
 */
export function namesOf(
  schema: { readonly shape: Readonly<Record<string, z.core.$ZodType>> },
  serviceOnly: readonly string[],
  list?: z.core.$ZodType,
): Names {
  return {
    known: Object.keys(schema.shape),
    serviceOnly,
    exampleOf: (field) => {
      if (field !== undefined) return asJson(exampleOf(schema.shape[field]));
      const entries = exampleOf(list);
      return Array.isArray(entries) ? asJson(entries[0]) : undefined;
    },
  };
}

function exampleOf(schema: z.core.$ZodType | undefined): unknown {
  const examples = schema && z.globalRegistry.get(schema)?.['examples'];
  return Array.isArray(examples) ? examples[0] : undefined;
}

function asJson(example: unknown): string | undefined {
  return JSON.stringify(example, null, 1)?.replace(/\n */g, ' ').replaceAll('[ {', '[{').replaceAll('} ]', '}]');
}

/**
 * Returns the fields of the object at a path. The path starts at the value that a schema checked, which may be a part
 * of the body.
 */
export type NamesAt = (path: readonly PropertyKey[]) => Names;

/**
 * Translates zod issues into faults of the contract.
 * @param value the checked value
 * @param base the path from the body to the checked value
 */
export function* faultsOf(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  base: readonly PropertyKey[],
  namesAt: NamesAt,
): Generator<Fault> {
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) yield unknownField([...base, ...issue.path], key, namesAt(issue.path));
    } else {
      const pointer = pointerTo([...base, ...issue.path]);
      yield { pointer, ...explain(issue, valueAt(value, issue.path), exampleAt(issue, namesAt)) };
    }
  }
}

/** Returns a phrase with an example of the right value; empty if there is none. */
function exampleAt(issue: z.core.$ZodIssue, namesAt: NamesAt): string {
  const { path } = issue;
  const field = path.at(-1);
  const example =
    typeof field === 'string' ? namesAt(path.slice(0, -1)).exampleOf?.(field) : namesAt(path).exampleOf?.();
  if (example === undefined) return '';
  // The example of a list is that of an entry.
  return field === undefined && issue.code === 'invalid_type' && issue.expected === 'array'
    ? `, such as [${example}]`
    : `, such as ${example}`;
}

/** Whether a fault says that a value is missing, or has another type, where the contract expects this one. */
export function isExpected(type: 'array' | 'object', { code, detail }: Fault): boolean {
  return code === 'required'
    ? detail.startsWith(`An ${type} is required`)
    : code === 'wrong-type' && detail.includes(` must be an ${type}`);
}

type Explanation = Pick<Fault, 'code' | 'detail' | 'allowed'>;

/** @param example a phrase that ends the sentence about the right type */
function explain(issue: z.core.$ZodIssue, found: unknown, example: string): Explanation {
  switch (issue.code) {
    case 'invalid_type':
      return found === undefined || found === null
        ? { code: 'required', detail: `${a(issue.expected)} is required${example}.` }
        : {
            code: 'wrong-type',
            detail: `This ${issue.path.length === 0 ? 'value' : 'field'} must be ${a(issue.expected).toLowerCase()}${example}.`,
          };
    case 'invalid_value': {
      const allowed = issue.values.filter((value) => typeof value === 'string');
      const detail = `This field must be one of: ${allowed.join(', ')}.`;
      if (found === undefined || found === null) return { code: 'required', detail, allowed };
      return { code: typeof found === 'string' ? 'not-allowed' : 'wrong-type', detail, allowed };
    }
    case 'too_small':
      return issue.origin === 'array'
        ? {
            code: 'too-few',
            detail: `This list must have at least ${countOf(Number(issue.minimum), 'entry', 'entries')}.`,
          }
        : { code: 'out-of-range', detail: `This number must be at least ${issue.minimum}.` };
    case 'too_big':
      return issue.origin === 'array'
        ? { code: 'too-many', detail: `This list must have at most ${issue.maximum} entries.` }
        : { code: 'out-of-range', detail: 'This number must be below 2^53.' };
    case 'invalid_format':
      return issue.format === 'email'
        ? { code: 'invalid-email', detail: 'This field must be an e-mail address, such as name@example.com.' }
        : { code: 'not-allowed', detail: 'This text has the wrong format.' };
    case 'custom':
      return ruleBroken(issue.params);
    default:
      return { code: 'wrong-type', detail: 'This value is not valid here.' };
  }
}

/** Reads the code and detail that `rule` in `fields.ts` attached to a zod issue. */
function ruleBroken(params: Readonly<Record<string, unknown>> | undefined): Explanation {
  const code = params?.['fault'];
  const detail = params?.['detail'];
  if (!isFaultCode(code) || typeof detail !== 'string') throw new TypeError('A rule of the contract names no fault');
  return { code, detail };
}

function unknownField(path: readonly PropertyKey[], name: string, { known, serviceOnly }: Names): Fault {
  const pointer = pointerTo([...path, name]);
  if (serviceOnly.includes(name)) {
    return {
      pointer,
      code: 'service-field',
      detail: 'Only answers have this field. Leave it out of the request.',
    };
  }
  if (name.length > LONGEST_NAME) {
    // `pointerTo` leaves the long name out, so the pointer names the object.
    return {
      pointer,
      code: 'unknown-field',
      detail: 'This object has an unknown field, with a name longer than any known name.',
    };
  }
  const allowed = suggestNames(name, known);
  const hint = allowed.length > 0 ? ` Did you mean ${allowed.join(' or ')}?` : '';
  return { pointer, code: 'unknown-field', detail: `This object has no such field.${hint}`, ...(hint && { allowed }) };
}

const A: Readonly<Record<string, string>> = {
  string: 'A string',
  number: 'A number',
  int: 'An integer',
  boolean: 'A boolean',
  array: 'An array',
  object: 'An object',
};

function a(expected: string): string {
  return A[expected] ?? 'Another value';
}
