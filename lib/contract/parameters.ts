import type { Fault } from './fault.ts';
import { LIMITS } from './limits.ts';
import { nearest } from './nearest.ts';
import { pointerTo } from './pointer.ts';
import { Problem } from './problem.ts';
import { isBlank, isTooLong } from './text.ts';

/** The value of each query parameter once it is read. */
export interface ParameterValues {
  taskId: string;
  validateOnly: boolean;
  limit: number;
  /** The project id after which a page begins. */
  cursor: number;
}
export type ParameterName = keyof ParameterValues;

interface Parameter<T> {
  readonly description: string;
  /** What the parameter takes, for the fault's text. */
  readonly takes: string;
  /** `undefined` means ill-formed. */
  readonly read: (text: string) => T | undefined;
}

/** Every query parameter of the API, each with one way of being right. */
export const PARAMETERS: { readonly [Name in ParameterName]: Parameter<ParameterValues[Name]> } = {
  taskId: {
    description: 'Only this task of the project.',
    takes: `the id of a task, 1 to ${LIMITS.stringCharacters} characters, not blank`,
    read: (text) =>
      text.isWellFormed() && !isBlank(text) && !isTooLong(text, LIMITS.stringCharacters) ? text : undefined,
  },
  validateOnly: {
    description: 'Check the project and report every fault, without creating it.',
    takes: 'true or false',
    read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  },
  limit: {
    description:
      'The most projects that a page holds. Without it, the answer is the whole list, or 406 if that does not fit.',
    takes: `an integer from 1 to ${LIMITS.listMax}`,
    read: (text) => {
      const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0;
      return limit >= 1 && limit <= LIMITS.listMax ? limit : undefined;
    },
  },
  cursor: {
    description:
      'Where the page begins, as given in the `Link` header of the page before. Without `limit`, the answer is all that follows.',
    takes: 'the cursor of a `Link` header, unchanged',
    read: (text) =>
      /^c[1-9a-z][0-9a-z]{0,10}$/.test(text) ? positiveSafe(Number.parseInt(text.slice(1), 36)) : undefined,
  },
};

/** The text of a cursor that begins after a project. */
export function cursorAfter(projectId: number): string {
  return `c${projectId.toString(36)}`;
}

/** Query parameters as received: every value of every name, decoded once. */
export type Query = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * Reads the query of an operation.
 * @throws {Problem} `unknown-parameter` or `invalid-parameter`, with every fault of the query.
 */
export function readQuery<Name extends ParameterName>(
  names: readonly Name[],
  query: Query,
): Partial<Pick<ParameterValues, Name>> {
  const values: Partial<Pick<ParameterValues, Name>> = {};
  const unknown: Fault[] = [];
  const invalid: Fault[] = [];
  for (const [name, texts = []] of Object.entries(query)) {
    if (!isOneOf(name, names)) unknown.push(unknownParameter(name, names));
    else {
      const [text = ''] = texts;
      const value = texts.length === 1 ? PARAMETERS[name].read(text) : undefined;
      if (value === undefined) invalid.push(invalidParameter(name, texts.length));
      else values[name] = value;
    }
  }
  const type = unknown.length > 0 ? 'unknown-parameter' : invalid.length > 0 ? 'invalid-parameter' : undefined;
  if (type) {
    throw new Problem(type, {
      detail: 'The request was refused because of its query, and nothing was done.',
      errors: [...unknown, ...invalid],
    });
  }
  return values;
}

function isOneOf<Name extends string>(name: string, names: readonly Name[]): name is Name {
  return names.some((known) => known === name);
}

function unknownParameter(name: string, names: readonly string[]): Fault {
  const [suggestion] = nearest(name, names, 1);
  const takes = names.length === 0 ? 'no query parameter' : `only ${names.join(', ')}`;
  return {
    pointer: pointerTo(['query', name]),
    code: 'unknown-parameter',
    detail: `This operation takes ${takes}.${suggestion ? ` Did you mean ${suggestion}?` : ''}`,
    allowed: names,
  };
}

function invalidParameter(name: ParameterName, count: number): Fault {
  const { takes } = PARAMETERS[name];
  return count > 1
    ? {
        pointer: pointerTo(['query', name]),
        code: 'repeated-parameter',
        detail: `${name} was given ${count} times; give it once.`,
      }
    : { pointer: pointerTo(['query', name]), code: 'invalid-parameter', detail: `${name} takes ${takes}.` };
}

function positiveSafe(value: number): number | undefined {
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
