import { utc } from '../contract/date.ts';
import type { Fault, FaultCode } from '../contract/faults.ts';
import { IDEMPOTENCY_KEY } from '../contract/fields.ts';
import { LIMITS } from '../contract/limits.ts';
import { fieldsOf, pointerTo } from '../contract/pointer.ts';
import { Problem } from '../contract/problem.ts';
import { DEFAULT_LIMIT, needsKey, PLAN, type Tool, type ToolRoute } from './tools.ts';

/** The request to an operation that a call of its tool makes. */
export interface OperationRequest {
  readonly route: ToolRoute;
  /** The path of the route with its parameters, percent-encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, which is JSON; absent if the operation takes none. */
  readonly body?: string;
}

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Makes the request of a call. It checks only what the operation cannot: the names of the arguments, and which are there.
 * @param nowMs the current time, in milliseconds since 1970
 * @throws {Problem} `invalid-parameter` with every fault of the arguments
 */
export function operationRequest(tool: Tool, args: Arguments, nowMs: number): OperationRequest {
  const faults = [...unknownArguments(tool, args), ...missingArguments(tool, args), ...wrongArguments(tool, args)];
  if (faults.length > 0) {
    const detail = `The arguments of ${tool.name} are wrong. Segue did nothing. Correct them, and call the tool again.`;
    throw new Problem('invalid-parameter', { detail, errors: faults });
  }
  const route = routeFor(tool, args);
  const query: Record<string, string> = {};
  const headers: Record<string, string> = {};
  const inPath = new Map<string, string>();
  let body: string | undefined;
  for (const [argument, { in: place, name }] of tool.places) {
    const value = args[argument] ?? (argument === 'limit' ? DEFAULT_LIMIT : undefined);
    if (value === undefined) continue;
    if (place === 'body') body = JSON.stringify(route.body === 'project' ? startedNow(value, nowMs) : value);
    else if (place === 'path') inPath.set(name, encodeURIComponent(inPathOf(name, String(value))));
    else if (place === 'query') query[name] = String(value);
    else headers[name] = argument === 'plan' ? `"${String(value)}"` : String(value);
  }
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => inPath.get(name) ?? '');
  return { route, path, query, headers: { ...headers, ...fixedHeaders(route) }, ...(body !== undefined && { body }) };
}

/** Fills in the start of a project, as other doors do: few models know the time. */
function startedNow(project: unknown, nowMs: number): unknown {
  const fields = Array.isArray(project) ? undefined : fieldsOf(project);
  const isStarted = (fields?.['startDateUtc'] ?? null) !== null;
  return fields && !isStarted ? { ...fields, startDateUtc: utc(nowMs) } : project;
}

/**
 * The headers that no argument sets. An agent wants to know what a put did, without the whole project. It learns at once if
 * the engine cannot translate a language.
 */
function fixedHeaders({ method, body }: ToolRoute): Record<string, string> {
  if (body !== 'project') return {};
  return { Prefer: method === 'PUT' ? 'return=minimal, handling=strict' : 'handling=strict' };
}

/** A problem names its type with a URL. */
const PROBLEM_URL = /^https?:.*\/([\w-]+)$/;

function inPathOf(name: string, text: string): string {
  return (name === 'type' && PROBLEM_URL.exec(text)?.[1]) || text;
}

/** Returns the route by which a call names its project. */
function routeFor({ routes }: Tool, args: Arguments): ToolRoute {
  const named = routes.length > 1 && 'customId' in args ? 'customId' : undefined;
  const route = routes.find(({ path }) => named === undefined || path.includes(`{${named}}`));
  if (!route) throw new RangeError('A tool has no route');
  return route;
}

function fault(argument: string, code: FaultCode, detail: string, allowed?: readonly string[]): Fault {
  return { pointer: pointerTo(['arguments', argument]), code, detail, ...(allowed && { allowed }) };
}

function unknownArguments({ name, places, inputSchema }: Tool, args: Arguments): Fault[] {
  const known = [...places.keys()];
  const body = known.find((argument) => places.get(argument)?.in === 'body');
  const fields = fieldsOf(fieldsOf(inputSchema.properties[body ?? ''])?.['properties']) ?? {};
  return Object.keys(args)
    .filter((argument) => !places.has(argument))
    .slice(0, LIMITS.faults)
    .map((argument) => {
      const hint = Object.hasOwn(fields, argument) ? ` Put it into ${body}.` : '';
      return fault(argument, 'unknown-parameter', `${name} has no such argument.${hint}`, known);
    });
}

function missingArguments(tool: Tool, args: Arguments): Fault[] {
  const { inputSchema, routes } = tool;
  const faults = inputSchema.required
    .filter((argument) => !(argument in args))
    .map((argument) => fault(argument, 'required', howToGet(tool, argument)));
  const names = ['id', 'customId'].filter((argument) => argument in args);
  if (routes.length > 1 && names.length === 0) {
    faults.push(fault('id', 'required', 'Name the project, by id or by customId.'));
  }
  if (routes.length > 1 && names.length === 2) {
    faults.push(fault('customId', 'exclusive-field', 'Name the project either by id or by customId.'));
  }
  if (needsKey(routes) && String(args['validateOnly']) !== 'true' && !('idempotencyKey' in args)) {
    faults.push(fault('idempotencyKey', 'required', howToGet(tool, 'idempotencyKey')));
  }
  return faults;
}

/** Returns what a missing argument is, and so how to get it: the description in the schema. */
function howToGet({ explained }: Tool, argument: string): string {
  return `The argument ${argument} is required. ${explained(argument)}`.trim();
}

function wrongArguments(tool: Tool, args: Arguments): Fault[] {
  const { places, explained, inputSchema } = tool;
  return Object.entries(args).flatMap(([argument, value]) => {
    const place = places.get(argument)?.in;
    if (place === undefined) return [];
    if (place === 'body') return wrongBody(tool, argument, value);
    // Null is not absent: a `taskId` that is left out makes a change of a task one of its project.
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      const hint = place === 'header' ? ` ${explained(argument)}` : '';
      const detail = `${argument} must be a text, a number or a boolean, or be left out.${hint}`;
      return [fault(argument, 'wrong-type', detail)];
    }
    // A number beyond these is another one than the agent wrote, and a text of digits is no number.
    const mayBeNumber = typeof value !== 'number' || Number.isSafeInteger(value);
    if (!mayBeNumber || (typeof value === 'number' && typeIn(inputSchema.properties[argument]) === 'string')) {
      return [fault(argument, 'wrong-type', `${argument} must be given as a text, in quotation marks.`)];
    }
    const text = String(value);
    if (!text.isWellFormed())
      return [fault(argument, 'ill-formed-unicode', `${argument} must be well-formed Unicode.`)];
    if (place === 'path' && ['', '.', '..'].includes(text)) {
      return [fault(argument, 'invalid-parameter', `${argument} must not be empty, "." or "..".`)];
    }
    const isRight = FORMS[argument]?.(text) ?? true;
    return isRight
      ? []
      : [fault(argument, 'invalid-parameter', `The argument ${argument} is wrong. ${explained(argument)}`)];
  });
}

/** Whether a text can be an argument that becomes a header, which the operation could not read. */
const FORMS: Readonly<Record<string, (text: string) => boolean>> = {
  plan: (text) => new RegExp(PLAN).test(text),
  idempotencyKey: (text) => IDEMPOTENCY_KEY.test(text) && !text.includes('"'),
};

/** Some models write an object or a list as a text of JSON. */
function wrongBody({ inputSchema }: Tool, argument: string, value: unknown): Fault[] {
  const wanted = typeIn(inputSchema.properties[argument]) === 'array' ? 'a list' : 'an object';
  const sent = kindOf(value);
  if (sent === wanted) return [];
  const detail = `The argument ${argument} must be ${wanted}: you sent ${sent}.`;
  return [fault(argument, 'wrong-type', detail)];
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

/** Returns the type that the schema of an argument names; `undefined` if it names none. */
function typeIn(schema: object | undefined): unknown {
  return fieldsOf(schema)?.['type'];
}
