import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { LIMITS } from '../../lib/contract/limits.ts';
import { oauthErrorBody } from '../../lib/contract/oauth.ts';
import { PARAMETERS, queryName } from '../../lib/contract/parameters.ts';
import { EXPLANATIONS } from '../../lib/contract/problem-explanations.data.ts';
import { EXAMPLES, problemPage } from '../../lib/contract/problem-page.ts';
import { PROBLEM_TYPES, PROBLEMS, type ProblemType } from '../../lib/contract/problems.ts';
import {
  BODY_LIMITS,
  type BodyLimits,
  COMMON_PROBLEMS,
  CREDENTIAL_PROBLEMS,
  type MediaType,
  type Route,
  type Scope,
  scopesOf,
} from '../../lib/contract/routes.ts';
import { PROBLEMS_URL } from '../../lib/operations/docs/examples.ts';
import { type Answer, HEADERS, type HeaderName } from '../../lib/operations/docs/operation-docs.ts';
import { PATH_PARAMETERS, QUERY_PARAMETERS } from '../../lib/operations/docs/parameters.ts';
import { TAGS } from '../../lib/operations/docs/tags.ts';
import { obtainOAuthTokenRoute } from '../../lib/operations/obtain-oauth-token.ts';
import { docsOf, type OperationId, ROUTES } from '../../lib/operations/routes.ts';
import { namedSchemas, schemaOf } from './openapi/schemas.ts';
import { webhooks } from './openapi/webhooks.ts';

const INTRODUCTION = `Segue is the front door to a multilingual project service. It accepts translation projects, checks them completely, and
deletes them on request.

The operator of Segue gives you a company id and an API key. Send both with Basic authentication, or exchange them for an access
token with \`obtainToken\`.

Query names and values are exact: Segue rejects unknown, repeated, empty and malformed parameters. HEAD works wherever GET does, with
the same headers and no body. This description leaves it out.

Every failure is a problem (RFC 9457). Its \`type\` is the URL of a page that explains it. A schema cannot express the rules between
fields; Segue reports every broken rule as a fault, all at once.

The operator sets the limit of each company. Above it, the answer is 429 \`rate-limited\`. Wait for the seconds in \`Retry-After\`
before you try again. It is also in \`RateLimit\`. Other answers do not say how many requests are left.`;

/** What a key or token with each scope may do. */
const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  create: 'Create projects, and check them without creating them.',
  read: 'Read projects, results, events, operations and languages.',
  update: 'Change existing projects with a put.',
  delete: 'Delete projects and tasks.',
  translate: 'Write translations, and start or stop the work on a language.',
  manage: 'Create the secrets that sign events.',
};

/** How a client gets and sends its credentials. */
const SECURITY_SCHEMES = {
  basic: {
    type: 'http',
    scheme: 'basic',
    description:
      'Use the company id as the user name and the API key as the password. The operator of Segue creates both with `segue company add`. The key is shown only once.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Send an access token as `Authorization: Bearer <ACCESS_TOKEN>`. To get one, call `obtainToken` with the company id and the API key. It is valid for 30 minutes. An API key alone works here too.',
  },
  oauth: {
    type: 'oauth2',
    description:
      'The client credentials grant of OAuth 2.0. Use the company id as the client id and the API key as the client secret. Segue checks tokens as RFC8725 requires.',
    flows: { clientCredentials: { tokenUrl: obtainOAuthTokenRoute.path, scopes: SCOPE_TEXTS } },
  },
} as const;

type RouteWithId = Route & { readonly id: OperationId };

/** The problems of the operations. Workflows and the gateway have others. */
const HTTP_PROBLEMS = problemsWith(undefined);
/** The problems of the operations whose errors have the form of OAuth. */
const OAUTH_PROBLEMS = problemsWith('oauth');
/** The beginning of the names of their examples. */
const OAUTH_EXAMPLE = 'oauth-';

function problemsWith(errorForm: Route['errorForm']): readonly ProblemType[] {
  const routes = ROUTES.filter((route: Route) => route.errorForm === errorForm);
  return PROBLEM_TYPES.filter((type) => routes.some((route) => problemsOf(route).includes(type)));
}

/** Returns the text of `lib/contract/openapi.json`: the API in OpenAPI 3.1, without the API's own URL. */
export function openApiText(): string {
  return `${JSON.stringify(openApi(), null, 2)}\n`;
}

function openApi() {
  const paths = Map.groupBy<Route['path'], RouteWithId>(ROUTES, ({ path }) => path);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Segue',
      version: version(),
      summary: 'The front door to a multilingual project service',
      description: INTRODUCTION,
      contact: { name: 'The operator of this API' },
      license: { name: 'MIT License', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The API that serves this description.', 'x-internal': false }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(
      Array.from(paths, ([path, routes]) => [
        path,
        Object.fromEntries(routes.map((route) => [route.method.toLowerCase(), operation(route)])),
      ]),
    ),
    webhooks: webhooks(),
    components: {
      schemas: namedSchemas(),
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
      ),
      examples: Object.fromEntries([
        ...HTTP_PROBLEMS.map((type) => [type, exampleOf(type, problemPage(type, PROBLEMS_URL, ROUTES).example)]),
        ...OAUTH_PROBLEMS.map((type) => [
          OAUTH_EXAMPLE + type,
          exampleOf(type, oauthErrorBody(type, EXAMPLES[type].occurrence, PROBLEMS_URL)),
        ]),
      ]),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

function operation(route: RouteWithId) {
  const { id, summary, scope, path, query, problems } = route;
  const {
    tag,
    description,
    forAgents,
    scopes,
    upstream = 'Only the hosted service supports this operation.',
    headers = [],
  } = docsOf(id);
  const parameters = [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      ...PATH_PARAMETERS[name],
    })),
    ...query.map((name) => {
      const { description, schema } = QUERY_PARAMETERS[name];
      return {
        name: queryName(name),
        in: 'query',
        description: `${description} Takes ${PARAMETERS[name].takes}.`,
        schema,
      };
    }),
    ...headers,
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [
      description,
      ...(problems.includes('not-supported') ? [upstream] : []),
      ...(scopes ? [scopes] : scope === null ? [] : [`The key needs the scope \`${scope}\`.`]),
    ].join(' '),
    ...(forAgents !== undefined && { 'x-for-agents': forAgents }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...requestOf(route),
    responses: { ...successes(route), ...failures(route) },
  };
}

/** The request body of a webhook message: any bytes, exactly as the sender signed them. */
const MESSAGE_CONTENT = {
  schema: {
    type: 'string',
    format: 'binary',
    maxLength: BODY_LIMITS.message.maxBytes,
    description: `At most ${BODY_LIMITS.message.maxBytes} bytes, signed in the scheme of the source. Segue checks the signature before it reads the message.`,
  },
};

// Some generators of clients leave out an operation that has only `*/*`.
const MESSAGE = {
  required: true,
  content: { '*/*': MESSAGE_CONTENT, 'application/octet-stream': MESSAGE_CONTENT },
};

function securityOf({ scope, body }: Route) {
  if (scope !== null) return [{ basic: [] }, { bearer: [] }, ...scopesOf({ scope }).map((each) => ({ oauth: [each] }))];
  return body === 'credentials' || body === 'client-credentials' ? [{}, { basic: [] }] : [];
}

function requestOf({ id, body }: RouteWithId) {
  if (body === 'message') return { requestBody: MESSAGE };
  const { request } = docsOf(id);
  if (!request) return {};
  const isForm = body === 'client-credentials';
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const content = { [type]: { schema: schemaOf(request.schema), example: request.example } };
  const ofJson = isForm ? '' : `, ${LIMITS.jsonDepth} levels and ${LIMITS.jsonValues} JSON values`;
  const description = `At most ${maxSizeText(BODY_LIMITS[body])}${ofJson}.`;
  return { requestBody: { description, required: body !== 'credentials', content } };
}

function maxSizeText({ maxBytes, maxSentBytes }: BodyLimits): string {
  return `${maxBytes} bytes ${maxSentBytes === undefined ? 'after decoding' : 'as sent and after decoding'}`;
}

function successes({ id, produces = ['application/json'] }: RouteWithId) {
  const byStatus = Map.groupBy(docsOf(id).answers, ({ status }) => status);
  return Object.fromEntries(Array.from(byStatus, ([status, answers]) => [status, successOf(answers, produces)]));
}

/** @param answers the answers with one status, the usual one first */
function successOf(answers: readonly Answer[], produces: readonly MediaType[]) {
  const example = answers.find((answer) => answer.example !== undefined)?.example;
  const schemas = [...new Set(answers.flatMap(({ schema }) => schema ?? []))].map(schemaOf);
  const [schema] = schemas.length > 1 ? [{ anyOf: schemas }] : schemas;
  const content = {
    ...Object.fromEntries(
      produces.filter((type) => type !== 'application/json').map((type) => [type, { schema: { type: 'string' } }]),
    ),
    ...(schema && { 'application/json': { schema, ...(example !== undefined && { example }) } }),
  };
  return {
    description: answers.map(({ description }) => description).join(' '),
    headers: headersOf([...new Set(answers.flatMap(({ headers = [] }) => headers))]),
    ...(Object.keys(content).length > 0 && { content }),
    ...linksOf(Object.assign({}, ...answers.map(({ links }) => links))),
  };
}

function linksOf(links: Answer['links']) {
  const entries = Object.entries(links ?? {}).map(([operationId, link]) => [operationId, { operationId, ...link }]);
  return entries.length > 0 && { links: Object.fromEntries(entries) };
}

function problemsOf({ scope, problems }: Route): readonly ProblemType[] {
  return [...COMMON_PROBLEMS, ...(scope === null ? [] : CREDENTIAL_PROBLEMS), ...problems];
}

function failures(route: RouteWithId) {
  const byStatus = Map.groupBy(problemsOf(route), (type) => PROBLEMS[type].status);
  // A problem with an unknown outcome links to the operation, like the answer with status 202.
  const links = docsOf(route.id).answers.find(({ status }) => status === 202)?.links;
  return Object.fromEntries(
    Array.from(byStatus, ([status, types]) => [status, failureOf(types, links, route.errorForm)]),
  );
}

function failureOf(types: readonly ProblemType[], links: Answer['links'], errorForm: Route['errorForm']) {
  const isUnknown = types.includes('outcome-unknown');
  const headers: HeaderName[] = [
    ...(types.some((type) => PROBLEMS[type].retryable) ? (['Retry-After'] as const) : []),
    ...(types.includes('rate-limited') ? (['RateLimit'] as const) : []),
    ...(isUnknown ? (['Location'] as const) : []),
  ];
  return {
    description: types.map((type) => `${PROBLEMS[type].title}.`).join(' '),
    headers: headersOf(headers),
    content: errorForm === 'oauth' ? oauthErrors(types) : problemsAmong(types),
    ...(isUnknown && linksOf(links)),
  };
}

function problemsAmong(types: readonly ProblemType[]) {
  const examples = Object.fromEntries(types.map((type) => [type, { $ref: `#/components/examples/${type}` }]));
  return { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, examples } };
}

/** Returns the errors of OAuth. The gateway answers with a problem if it refuses the request itself. */
function oauthErrors(types: readonly ProblemType[]) {
  const examples = types.map((type) => [type, { $ref: `#/components/examples/${OAUTH_EXAMPLE}${type}` }]);
  return {
    'application/json': {
      schema: { $ref: '#/components/schemas/OAuthError' },
      examples: Object.fromEntries(examples),
    },
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  };
}

function headersOf(names: readonly HeaderName[]) {
  const all: readonly HeaderName[] = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function exampleOf(type: ProblemType, value: unknown) {
  const { cause, remedy } = EXPLANATIONS[type];
  return { summary: PROBLEMS[type].title, description: `${cause}\n\n${remedy}`, value };
}
