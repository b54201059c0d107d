import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { LIMITS } from '../../lib/contract/limits.ts';
import { PARAMETERS } from '../../lib/contract/parameters.ts';
import { EXPLANATIONS } from '../../lib/contract/problem-explanations.ts';
import { PROBLEM_TYPES, PROBLEMS, type ProblemType } from '../../lib/contract/problems.ts';
import {
  BODY_LIMITS,
  type BodyLimits,
  COMMON_PROBLEMS,
  CREDENTIAL_PROBLEMS,
  type OperationId,
  ROUTES,
  type Route,
} from '../../lib/contract/routes.ts';
import { WIRE } from '../../lib/contract/wire.ts';
import { ANSWER_EXAMPLES, problemExample, REQUEST_EXAMPLES } from './openapi/examples.ts';
import { namedSchemas, schemaOf } from './openapi/schemas.ts';
import {
  HEADERS,
  type HeaderName,
  INTRODUCTION,
  LINKS,
  PATH_PARAMETERS,
  QUERY_SCHEMAS,
  REQUEST_HEADERS,
  SUCCESSES,
} from './openapi/words.ts';

type RouteWithId = Route & { readonly id: OperationId };

/** `lib/contract/openapi.json`: the API in OpenAPI 3.1. Where it is, only whoever answers with it knows. */
export function openApiText(): string {
  return `${JSON.stringify(openApi(), null, 2)}\n`;
}

function openApi() {
  const paths = Map.groupBy<Route['path'], RouteWithId>(ROUTES, ({ path }) => path);
  return {
    openapi: '3.1.0',
    info: { title: 'Segue', version: version(), description: INTRODUCTION },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(
      Array.from(paths, ([path, routes]) => [
        path,
        Object.fromEntries(routes.map((route) => [route.method.toLowerCase(), operation(route)])),
      ]),
    ),
    components: {
      schemas: namedSchemas(),
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
      ),
      examples: Object.fromEntries(PROBLEM_TYPES.map((type) => [type, exampleOf(type)])),
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'The company id as user name, the API key as password.' },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key by itself, or an access token of `obtainToken`.',
        },
      },
    },
  };
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

function operation(route: RouteWithId) {
  const { id, summary, scope, path, query } = route;
  const parameters = [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      ...PATH_PARAMETERS[name],
    })),
    ...query.map((name) => {
      const { description, takes } = PARAMETERS[name];
      return { name, in: 'query', description: `${description} Takes ${takes}.`, schema: QUERY_SCHEMAS[name] };
    }),
    ...(REQUEST_HEADERS[id] ?? []),
  ];
  return {
    operationId: id,
    summary,
    ...(scope !== null && { description: `The key needs the scope \`${scope}\`.` }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...requestOf(route),
    responses: withLinks(id, { ...successes(route), ...failures(route) }),
  };
}

function withLinks(id: OperationId, responses: Readonly<Record<string, object>>) {
  const linksOf = new Map(Object.entries(LINKS[id] ?? {}));
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const links = linksOf.get(status);
      return [status, { ...response, ...(links && { links }) }];
    }),
  );
}

/** Whatever the sender makes, byte for byte as it was signed. */
const MESSAGE = {
  required: true,
  content: {
    '*/*': {
      schema: {
        description: `At most ${BODY_LIMITS.message.mostBytes} bytes, signed as the source has it. Nothing of them is read before that is proved.`,
      },
    },
  },
};

function securityOf({ scope, body }: Route) {
  if (scope !== null) return [{ basic: [] }, { bearer: [] }];
  return body === 'credentials' ? [{}, { basic: [] }] : [];
}

function requestOf({ id, body }: RouteWithId) {
  if (body === 'message') return { requestBody: MESSAGE };
  const { request } = WIRE[id];
  if (!request) return {};
  const content = { 'application/json': { schema: schemaOf(request), example: REQUEST_EXAMPLES[id] } };
  return { requestBody: { description: mostOf(BODY_LIMITS[body]), required: body !== 'credentials', content } };
}

function mostOf({ mostBytes, mostSentBytes }: BodyLimits): string {
  const when = mostSentBytes === undefined ? 'after decoding' : 'as sent and after decoding';
  return `At most ${mostBytes} bytes ${when}, ${LIMITS.jsonDepth} levels and ${LIMITS.jsonValues} JSON values.`;
}

function successes({ id, success, produces = ['application/json'] }: RouteWithId) {
  const { answers } = WIRE[id];
  return Object.fromEntries(
    success.map((status) => {
      const { description = '', headers = [] } = SUCCESSES[id][status] ?? {};
      const schema = answers[status];
      const example = ANSWER_EXAMPLES[id]?.[status];
      const content = {
        ...(produces.includes('text/html') && { 'text/html': { schema: { type: 'string' } } }),
        ...(schema && { 'application/json': { schema: schemaOf(schema), ...(example !== undefined && { example }) } }),
      };
      const hasBody = Object.keys(content).length > 0;
      return [status, { description, headers: headersOf(headers), ...(hasBody && { content }) }];
    }),
  );
}

function failures({ scope, problems }: Route) {
  const all: ProblemType[] = [...COMMON_PROBLEMS, ...(scope === null ? [] : CREDENTIAL_PROBLEMS), ...problems];
  const byStatus = Map.groupBy(all, (type) => PROBLEMS[type].status);
  return Object.fromEntries(Array.from(byStatus, ([status, types]) => [status, failure(types)]));
}

function failure(types: readonly ProblemType[]) {
  const headers: HeaderName[] = [
    ...(types.some((type) => PROBLEMS[type].retryable) ? (['Retry-After'] as const) : []),
    ...(types.includes('outcome-unknown') ? (['Location'] as const) : []),
  ];
  return {
    description: types.map((type) => `${PROBLEMS[type].title}.`).join(' '),
    headers: headersOf(headers),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(types.map((type) => [type, { $ref: `#/components/examples/${type}` }])),
      },
    },
  };
}

function headersOf(names: readonly HeaderName[]) {
  const all: readonly HeaderName[] = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function exampleOf(type: ProblemType) {
  const { cause, remedy } = EXPLANATIONS[type];
  return { summary: PROBLEMS[type].title, description: `${cause}\n\n${remedy}`, value: problemExample(type) };
}
