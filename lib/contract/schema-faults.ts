import * as z from 'zod/mini';
import { countOf } from './count.ts';
import { type Fault, isFaultCode } from './faults.ts';
import { LONGEST_NAME, pointerTo, valueAt } from './pointer.ts';
import { suggestNames } from './suggest-names.ts';

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
