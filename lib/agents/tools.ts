import * as z from 'zod/mini';
import { fieldsOf } from '../contract/pointer.ts';
import { type Route, type Scope, scopesOf } from '../contract/routes.ts';
import { inToolTerms } from './tool-terms.ts';

/** A route of an operation that agents call. */
export type ToolRoute = Pick<Route, 'id' | 'method' | 'path' | 'scope' | 'body'>;

/** Where an argument of a tool goes in the request to its operation. */
interface Place {
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** The name of the parameter or the header. */
  readonly name: string;
}

/** The schema of a tool's arguments. It has no references, and no alternatives at its top, which some hosts refuse. */
interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required: string[];
  readonly additionalProperties: false;
}

/** A tool of the Model Context Protocol: an operation of the API. */
export interface Tool {
  /** The id of the operation. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** The route of the operation. Of an operation on one project there are two: by its id and by its custom id. */
  readonly routes: readonly ToolRoute[];
  /** The scopes of which a key needs one; none if everybody may call the tool. */
  readonly scopes: readonly Scope[];
  /** The places of the arguments, by their names. */
  readonly places: ReadonlyMap<string, Place>;
  /** How to get a plan for this tool: a sentence without its end. */
  readonly planning?: string;
  /** Returns what an argument is, and so how to get it; empty if the schema does not say it. */
  readonly explained: (argument: string) => string;
}

const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.optional(z.boolean()),
  description: z.string(),
  schema: z.looseObject({}),
});
type Parameter = z.infer<typeof Parameter>;

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string(),
  'x-for-agents': z.optional(z.string()),
  parameters: z.optional(z.array(Parameter)),
  requestBody: z.optional(
    z.object({ content: z.record(z.string(), z.object({ schema: z.optional(z.looseObject({})) })) }),
  ),
});
type Operation = z.infer<typeof Operation>;

/** The parts of an API description in OpenAPI of which tools are made. */
const Description = z.object({
  info: z.object({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});
type Description = z.infer<typeof Description>;

/** The tools of an API, and its version. */
export interface Toolbox {
  readonly version: string;
  readonly tools: readonly Tool[];
}

/** The name of the argument with the body, by its kind. */
const BODY_NAMES: Readonly<Partial<Record<Route['body'], string>>> = {
  project: 'project',
  translations: 'translations',
  'language-change': 'change',
};

/** The arguments that become headers, by the header. A tool has no other headers. */
const HEADER_ARGUMENTS: Readonly<Record<string, string>> = { 'If-Match': 'plan', 'Idempotency-Key': 'idempotencyKey' };

/** The token of a plan. */
export const PLAN = '^[A-Za-z0-9_-]{1,256}$';
/** How many characters a pattern may have. The operations check longer ones, such as lists of invisible characters. */
const MAX_PATTERN = 100;
/** The entries in a page if an agent does not say how many. */
export const DEFAULT_LIMIT = 100;

/**
 * Makes the tools of an API.
 * @param description the API in OpenAPI
 * @param routes the routes that agents may call
 * @returns the tools in the order of the description
 */
export function toolsOf(description: unknown, routes: readonly ToolRoute[]): Toolbox {
  const parsed = Description.parse(description);
  const byName = Map.groupBy(routes, ({ id }) => id.replace(/ByCustomId$/, ''));
  const tools = Array.from(byName, ([name, served]) => toolOf(name, served, routes, parsed));
  const order = Object.values(parsed.paths).flatMap((methods) =>
    Object.values(methods).map((each) => each.operationId),
  );
  return {
    version: parsed.info.version,
    tools: tools.toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name)),
  };
}

function toolOf(name: string, routes: readonly ToolRoute[], all: readonly ToolRoute[], description: Description): Tool {
  const operations = routes.map((route) => ({ route, operation: operationAt(route, description) }));
  const [first] = operations;
  if (!first) throw new RangeError(`The tool ${name} has no route`);
  const { route, operation } = first;
  const plannedBy = plannerOf(route, all);
  const refs = { isOne: routes.length > 1, isKeyRequired: needsKey(routes), plannedBy };
  const parameters = operations.flatMap((each) => each.operation.parameters ?? []);
  const properties = new Map<string, object>();
  const places = new Map<string, Place>();
  for (const parameter of parameters) {
    const argument = parameter.in === 'header' ? HEADER_ARGUMENTS[parameter.name] : parameter.name;
    if (argument === undefined || places.has(argument)) continue;
    places.set(argument, { in: parameter.in, name: parameter.name });
    properties.set(argument, argumentSchema(argument, parameter, refs));
  }
  const bodyName = BODY_NAMES[route.body];
  if (bodyName !== undefined) {
    places.set(bodyName, { in: 'body', name: bodyName });
    const schema = inlined(bodySchema(operation), description.components.schemas);
    properties.set(bodyName, route.body === 'project' ? forModels(schema) : schema);
  }
  return {
    name,
    title: operation.summary,
    description: operation['x-for-agents'] ?? operation.description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: requiredOf(route, parameters, bodyName, refs),
      additionalProperties: false,
    },
    routes,
    scopes: scopesOf(route),
    places,
    explained: (argument) => Described.safeParse(properties.get(argument)).data?.description ?? '',
    ...(places.has('plan') && {
      planning:
        plannedBy === undefined ? `Call ${name} with validateOnly` : `Call ${plannedBy} about the same project or task`,
    }),
  };
}

const Described = z.object({ description: z.string() });

/** Whether operations create or put a project. An agent may repeat a call, and each creation without a key makes a project. */
export function needsKey(routes: readonly ToolRoute[]): boolean {
  return routes.some(({ body }) => body === 'project');
}

function operationAt({ id, method, path }: ToolRoute, { paths }: Description): Operation {
  const operation = paths[path]?.[method.toLowerCase()];
  if (operation?.operationId !== id) throw new RangeError(`The API description has no operation ${id}`);
  return operation;
}

/** The parts of an operation that its arguments refer to. */
interface References {
  /** Whether the tool is about one project, which `id` or `customId` names. */
  readonly isOne: boolean;
  /** Whether a call needs an idempotency key, unless it only validates. */
  readonly isKeyRequired: boolean;
  /** The tool that plans this one. */
  readonly plannedBy: string | undefined;
}

/** Returns the operation that plans a deletion: its path is that of the deletion with a name at its end. */
function plannerOf({ method, path }: ToolRoute, all: readonly ToolRoute[]): string | undefined {
  return method === 'DELETE' ? all.find((other) => other.path === `${path}/deletion`)?.id : undefined;
}

function requiredOf(
  { method, path }: ToolRoute,
  parameters: readonly Parameter[],
  bodyName: string | undefined,
  { isOne }: References,
): string[] {
  const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  const isPlanned = method === 'DELETE' && parameters.some(({ name }) => name === 'If-Match');
  return [
    ...inPath.filter((name) => !(isOne && name === 'id')),
    ...(bodyName === undefined ? [] : [bodyName]),
    ...(isPlanned ? ['plan'] : []),
  ];
}

function argumentSchema(
  argument: string,
  { description, schema }: Parameter,
  { isOne, isKeyRequired, plannedBy }: References,
): object {
  switch (argument) {
    case 'id':
      return { ...schema, description: isOne ? `${description} Give either id or customId.` : description };
    case 'customId':
      return { ...withoutLongPattern(schema), description: 'The project’s custom id. Give either id or customId.' };
    case 'limit':
      return { ...schema, default: DEFAULT_LIMIT, description: 'The maximum number of entries in the answer.' };
    case 'cursor':
      return { type: 'string', description: 'Where the page starts: the cursor that the previous page named.' };
    case 'plan':
      return {
        type: 'string',
        pattern: PLAN,
        description:
          plannedBy === undefined
            ? 'The `plan` of an answer to this tool with `validateOnly`, unchanged. If the put would do anything else, nothing is changed.'
            : `The \`plan\` of an answer of ${plannedBy} about the same project or task, unchanged. It proves how much would be removed. If that differs now, nothing is deleted.`,
      };
    case 'idempotencyKey':
      return {
        type: 'string',
        minLength: 1,
        maxLength: 255,
        description: `${isKeyRequired ? 'Required, unless `validateOnly` is true. ' : ''}A text of your own for this change, such as a UUID: visible ASCII characters, without quotation marks. To repeat the change, give the same key: it takes effect once. For another change, use another key.`,
      };
    case 'type':
      return { type: 'string', description: 'The `type` of a problem: its whole URL, or the last part.' };
    default:
      return { ...withoutLongPattern(schema), description: inToolTerms(description) };
  }
}

function bodySchema({ requestBody }: Operation): unknown {
  const schema = requestBody?.content['application/json']?.schema;
  if (!schema) throw new RangeError('An operation with a body has no schema for it');
  return schema;
}

/** The parts of a project's schema that a tool changes. */
const ProjectSchema = z.looseObject({
  required: z.array(z.string()),
  properties: z.looseObject({ startDateUtc: z.looseObject({}), targetLanguages: z.looseObject({}) }),
});

/** Returns the schema of a project whose start is filled in, with an example that a machine translates. */
function forModels(schema: object): object {
  const { required, properties, ...others } = ProjectSchema.parse(schema);
  const description = 'When the work starts. Leave it out: Segue fills in the current time.';
  return {
    ...others,
    properties: {
      ...properties,
      startDateUtc: { ...properties.startDateUtc, description },
      targetLanguages: { ...properties.targetLanguages, examples: TARGET_LANGUAGES },
    },
    required: required.filter((name) => name !== 'startDateUtc'),
  };
}

/** Without a service, nobody may translate a language, and models copy examples. */
const TARGET_LANGUAGES = [[{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }]];

/** Returns a schema with every reference replaced by what it refers to. */
function inlined(schema: unknown, schemas: Readonly<Record<string, unknown>>): object {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    const fields = fieldsOf(value);
    if (!fields) return value;
    const { $ref, ...others } = fields;
    if (typeof $ref === 'string') return resolve({ ...fieldsOf(schemas[$ref.split('/').at(-1) ?? '']), ...others });
    return withoutLongPattern(Object.fromEntries(Object.entries(others).map(([name, each]) => [name, resolve(each)])));
  };
  return Object(resolve(schema));
}

function withoutLongPattern(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { pattern, ...others } = schema;
  return typeof pattern === 'string' && pattern.length > MAX_PATTERN ? others : { ...schema };
}
