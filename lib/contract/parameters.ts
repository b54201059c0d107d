import { instantOf } from './date.ts';
import { invalidQuery } from './failures.ts';
import type { Fault } from './faults.ts';
import { isBlank, isTooLong } from './fields.ts';
import { type LanguageState, STATES } from './language-states.ts';
import { LIMITS } from './limits.ts';
import { type PageCursor, readPageCursor } from './page-cursor.ts';
import { pointerTo } from './pointer.ts';
import { suggestNames } from './suggest-names.ts';
import { TRANSLATION_STATUSES, type TranslationStatus } from './translation-status.ts';

/** The parsed value of each query parameter. */
export interface ParameterValues {
  taskId: string;
  revision: number;
  validateOnly: boolean;
  limit: number;
  /** The id of the project after which the page starts. */
  cursor: number;
  state: LanguageState;
  customIdPrefix: string;
  /** A moment in nanoseconds since 1970, as `instantOf` reads it. */
  createdAfter: bigint;
  /** A moment in nanoseconds since 1970. */
  dueBefore: bigint;
  done: boolean;
  status: TranslationStatus;
  languageCode: string;
  segmentLimit: number;
  segmentCursor: PageCursor;
  active: true;
  /** The id of the event after which the page starts. */
  after: string;
  eventLimit: number;
}
export type ParameterName = keyof ParameterValues;

/** The definition of one query parameter. */
interface Parameter<T> {
  /** The name in the query. Two operations may each have a parameter of the same name. Default: the name in the table. */
  readonly name?: string;
  /** A phrase that names the accepted values, for the detail of a fault. */
  readonly takes: string;
  /** Parses the text of the parameter; `undefined` if the text is not accepted. */
  readonly read: (text: string) => T | undefined;
  /** A parameter that a query must not have beside this one, and why. */
  readonly excludes?: { readonly parameter: ParameterName; readonly reason: string };
}

const MOMENT = 'an RFC 3339 date, such as 2026-01-31T09:00:00Z. In a query, write + as %2B';

/** Every query parameter of the API. Their descriptions and schemas are in `lib/operations/docs/parameters.ts`. */
export const PARAMETERS: { readonly [Name in ParameterName]: Parameter<ParameterValues[Name]> } = {
  taskId: {
    takes: `a task id of 1 to ${LIMITS.stringCharacters} characters that is not blank`,
    read: (text) => visibleText(text, LIMITS.stringCharacters),
  },
  revision: {
    takes: `an integer from 0 to ${Number.MAX_SAFE_INTEGER}`,
    read: (text) => (/^(?:0|[1-9]\d{0,15})$/.test(text) ? safe(Number(text)) : undefined),
    excludes: { parameter: 'taskId', reason: 'A revision numbers the versions of a whole project.' },
  },
  validateOnly: {
    takes: 'true or false',
    read: trueOrFalse,
  },
  limit: {
    takes: `an integer from 1 to ${LIMITS.listMax}`,
    read: (text) => countUpTo(LIMITS.listMax, text),
  },
  cursor: {
    takes: 'the unchanged cursor of a `Link` header',
    read: (text) =>
      /^c[1-9a-z][0-9a-z]{0,10}$/.test(text) ? positiveSafe(Number.parseInt(text.slice(1), 36)) : undefined,
  },
  state: {
    takes: STATES.join(' or '),
    read: (text) => STATES.find((state) => state === text),
  },
  customIdPrefix: {
    takes: `a text of 1 to ${LIMITS.customIdCharacters} characters that is not blank`,
    read: (text) => visibleText(text, LIMITS.customIdCharacters),
  },
  createdAfter: {
    takes: MOMENT,
    read: instantOf,
  },
  dueBefore: {
    takes: MOMENT,
    read: instantOf,
  },
  done: {
    takes: 'true or false',
    read: trueOrFalse,
  },
  status: {
    takes: TRANSLATION_STATUSES.join(', ').replace(/, (?=\w+$)/, ' or '),
    read: (text) => TRANSLATION_STATUSES.find((status) => status === text),
  },
  languageCode: {
    takes: 'the code of a target language of the project',
    read: (text) => visibleText(text, LIMITS.stringCharacters),
  },
  segmentLimit: {
    name: 'limit',
    takes: `an integer from 1 to ${LIMITS.segmentsMax}`,
    read: (text) => countUpTo(LIMITS.segmentsMax, text),
  },
  segmentCursor: {
    name: 'cursor',
    takes: 'the unchanged cursor of a `Link` header',
    read: readPageCursor,
  },
  active: {
    takes: 'true',
    read: (text) => text === 'true' || undefined,
  },
  after: {
    takes: 'the id of an event',
    read: (text) => (EVENT_ID.test(text) ? text : undefined),
  },
  eventLimit: {
    name: 'limit',
    takes: `an integer from 1 to ${LIMITS.eventsMax}`,
    read: (text) => countUpTo(LIMITS.eventsMax, text),
  },
};

/** Matches the id of an event. */
const EVENT_ID = /^[\w-]{1,64}$/;

/** Returns the name that a parameter has in a query. */
export function queryName(parameter: ParameterName): string {
  return PARAMETERS[parameter].name ?? parameter;
}

/** Returns the cursor of the page that starts after a project. */
export function cursorAfter(projectId: number): string {
  return `c${projectId.toString(36)}`;
}

/** The query parameters of a request: all values of each name, percent-decoded once. */
export type Query = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * Parses the query of a request.
 * @param names the parameters that the operation accepts
 * @throws {Problem} `unknown-parameter` or `invalid-parameter`, with every fault of the query
 */
export function readQuery<Name extends ParameterName>(
  names: readonly Name[],
  query: Query,
): Partial<Pick<ParameterValues, Name>> {
  const values: Partial<Pick<ParameterValues, Name>> = {};
  const unknown: Fault[] = [];
  const invalid: Fault[] = [];
  for (const [name, texts = []] of Object.entries(query)) {
    const parameter = names.find((known) => queryName(known) === name);
    if (parameter === undefined) unknown.push(unknownParameter(name, names.map(queryName)));
    else {
      const [text = ''] = texts;
      const value = texts.length === 1 ? PARAMETERS[parameter].read(text) : undefined;
      if (value === undefined) invalid.push(invalidParameter(parameter, texts.length));
      else values[parameter] = value;
    }
  }
  for (const parameter of names) {
    const { excludes } = PARAMETERS[parameter];
    const has = (name: ParameterName) => Object.hasOwn(query, queryName(name));
    if (excludes && has(parameter) && has(excludes.parameter)) invalid.push(excluded(parameter, excludes));
  }
  const type = unknown.length > 0 ? 'unknown-parameter' : invalid.length > 0 ? 'invalid-parameter' : undefined;
  if (type) throw invalidQuery(type, [...unknown, ...invalid]);
  return values;
}

/** Makes the fault of a parameter that an operation does not have. */
export function unknownParameter(name: string, names: readonly string[]): Fault {
  const takes = names.length === 0 ? 'no parameter' : `only ${names.join(', ')}`;
  const [suggestion] = suggestNames(name, names, 1);
  const meant = suggestion ? ` Did you mean ${suggestion}?` : '';
  const hint = /^custom[-_]?id$/i.test(name)
    ? ' A custom id is part of the path: /segments/projects/custom/{customId}.'
    : meant;
  return {
    pointer: pointerTo(['query', name]),
    code: 'unknown-parameter',
    detail: `The query of this request may have ${takes}.${hint}`,
    allowed: names,
  };
}

/** @param count how many values the query has for the parameter */
export function invalidParameter(parameter: ParameterName, count: number): Fault {
  const { takes } = PARAMETERS[parameter];
  const name = queryName(parameter);
  return count > 1
    ? {
        pointer: pointerTo(['query', name]),
        code: 'repeated-parameter',
        detail: `${name} was given ${count} times. Give it once.`,
      }
    : { pointer: pointerTo(['query', name]), code: 'invalid-parameter', detail: `${name} must be ${takes}.` };
}

function excluded(name: ParameterName, { parameter, reason }: NonNullable<Parameter<unknown>['excludes']>): Fault {
  return {
    pointer: pointerTo(['query', queryName(name)]),
    code: 'invalid-parameter',
    detail: `A query must not have both ${queryName(name)} and ${queryName(parameter)}. ${reason}`,
  };
}

function trueOrFalse(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** Reads a text of at most `most` characters with at least one visible character. */
function visibleText(text: string, most: number): string | undefined {
  return text.isWellFormed() && !isBlank(text) && !isTooLong(text, most) ? text : undefined;
}

/** Reads a number from 1 to `most` in plain decimal. */
function countUpTo(most: number, text: string): number | undefined {
  const count = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= most ? count : undefined;
}

function positiveSafe(value: number): number | undefined {
  return value > 0 ? safe(value) : undefined;
}

function safe(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined;
}
