import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { EVENT_TYPES } from '../../lib/contract/event.ts';
import openApi from '../../lib/contract/openapi.json' with { type: 'json' };
import { fieldsOf, valueAt } from '../../lib/contract/pointer.ts';
import { SCOPES } from '../../lib/contract/routes.ts';
import { describedBy } from '../support/described.ts';

const text = z.string().check(z.minLength(1));
const Ref = z.strictObject({ $ref: text });
const schema = z.looseObject({});
const headers = z.record(z.string(), Ref);
const Example = z.strictObject({ summary: text, description: text, value: z.unknown() });
const content = z.record(
  z.string().check(z.regex(/^(?:\w+\/[\w+-]+|\*\/\*)$/)),
  z.strictObject({ schema, example: z.optional(z.unknown()), examples: z.optional(z.record(z.string(), Ref)) }),
);
const parameter = z.strictObject({
  name: text,
  in: z.enum(['path', 'query', 'header']),
  required: z.optional(z.boolean()),
  description: text,
  schema,
  example: z.optional(z.unknown()),
});
const links = z.record(
  z.string(),
  z.strictObject({ operationId: text, description: text, parameters: z.record(z.string(), text) }),
);
const scope = z.enum(SCOPES);
const operation = z.strictObject({
  operationId: text,
  tags: z.tuple([text]),
  summary: text.check(z.maxLength(59)),
  description: text,
  'x-for-agents': z.optional(text),
  security: z.array(
    z.strictObject({
      basic: z.optional(z.tuple([])),
      bearer: z.optional(z.tuple([])),
      oauth: z.optional(z.tuple([scope])),
    }),
  ),
  parameters: z.optional(z.array(parameter)),
  requestBody: z.optional(z.strictObject({ description: z.optional(text), required: z.boolean(), content })),
  responses: z.record(
    z.string().check(z.regex(/^[2-5]\d\d$/)),
    z.strictObject({ description: text, headers, content: z.optional(content), links: z.optional(links) }),
  ),
});

const webhook = z.extend(operation, {
  parameters: z.array(parameter),
  requestBody: z.strictObject({ required: z.literal(true), content }),
  responses: z.record(text, z.strictObject({ description: text })),
});

/** The schema of the part of OpenAPI 3.1 that the description uses. Any other member is a failure. */
const OpenApi = z.strictObject({
  openapi: z.literal('3.1.0'),
  info: z.strictObject({
    title: text,
    version: text,
    summary: text,
    description: text,
    contact: z.strictObject({ name: text }),
    license: z.strictObject({ name: text, identifier: text }),
  }),
  servers: z.array(z.strictObject({ url: text, description: text, 'x-internal': z.boolean() })),
  tags: z.array(z.strictObject({ name: text, description: text })),
  paths: z.record(
    z.string().check(z.startsWith('/')),
    z.partialRecord(z.enum(['get', 'post', 'put', 'patch', 'delete']), operation),
  ),
  webhooks: z.record(z.enum(EVENT_TYPES), z.strictObject({ post: webhook })),
  components: z.strictObject({
    schemas: z.record(z.string().check(z.regex(/^\w+$/)), schema),
    headers: z.record(z.string(), z.strictObject({ description: text, schema })),
    examples: z.record(z.string(), Example),
    securitySchemes: z.strictObject({
      basic: z.strictObject({ type: z.literal('http'), scheme: z.literal('basic'), description: text }),
      bearer: z.strictObject({ type: z.literal('http'), scheme: z.literal('bearer'), description: text }),
      oauth: z.strictObject({
        type: z.literal('oauth2'),
        description: text,
        flows: z.strictObject({
          clientCredentials: z.strictObject({ tokenUrl: z.literal('/oauth/token'), scopes: z.record(scope, text) }),
        }),
      }),
    }),
  }),
});

const { paths, components, tags, webhooks } = OpenApi.parse(openApi);
const operations = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap((each) => each ?? []));

/** Yields all objects in a value, the value included. */
function* within(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  const fields = fieldsOf(value);
  if (!fields) return;
  yield fields;
  for (const member of Object.values(fields)) yield* within(member);
}

describe('the description of the API', () => {
  it('has no broken reference', () => {
    const refs = [...within(openApi)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []));
    expect(refs.length).toBeGreaterThan(100);
    for (const ref of new Set(refs)) {
      expect(ref).toMatch(/^#\/components\//);
      expect(valueAt(openApi, ref.split('/').slice(1)), ref).toBeDefined();
    }
  });

  it('groups the operations in tags, none of which is empty', () => {
    expect(new Set(operations.map((each) => each.tags[0]))).toEqual(new Set(tags.map(({ name }) => name)));
  });

  it('has one type for each object: generators make several of a schema with alternatives beside its properties', () => {
    const split = [...within(components.schemas)].filter(
      (each) => 'properties' in each && ['anyOf', 'oneOf', 'allOf'].some((keyword) => keyword in each),
    );
    expect(split).toEqual([]);
  });

  it('has a type for every body', () => {
    const bodies = operations.flatMap(({ requestBody }) => Object.values(requestBody?.content ?? {}));
    expect(bodies.length).toBeGreaterThan(5);
    for (const body of bodies) expect(body.schema).toSatisfy((each) => 'type' in each || '$ref' in each);
  });

  it('has patterns that mean the same with and without the flag u', () => {
    const patterns = [...within(openApi)].flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : []));
    expect(patterns.length).toBeGreaterThan(10);
    for (const pattern of new Set(patterns)) {
      expect(new RegExp(pattern, 'u').source).toBe(new RegExp(pattern).source);
      expect(pattern).not.toMatch(/\\p|\(\?[=!<]/);
    }
  });

  it('leaves the fields open whose types and values the service document leaves open', () => {
    const rates = ['translationRate', 'translationProductivity', 'proofreadingRate', 'proofreadingProductivity'];
    const open = {
      Project: ['domain'],
      TargetLanguage: ['id', 'state', 'progress', 'flag'],
      TeamMember: [...rates, 'proofreadedBy'],
      Segment: ['id'],
    };
    for (const [name, fields] of Object.entries(open)) {
      for (const field of fields) {
        const given = valueAt(components.schemas, [name, 'properties', field]);
        expect(given, `${name}/${field}`).toEqual({ description: expect.stringContaining('depend on the service') });
      }
    }
    expect(components.schemas).toMatchObject({ Project: { required: ['id'] }, ProjectHead: { required: ['id'] } });
    for (const name of ['TargetLanguage', 'TeamMember', 'Segment', 'LanguageNote'])
      expect(components.schemas[name]).not.toHaveProperty('required');
  });
});

describe('the examples', () => {
  const bodies = operations.flatMap(({ operationId, requestBody, responses }) => [
    ...(requestBody ? [[`the request of ${operationId}`, requestBody.content] as const] : []),
    ...Object.entries(responses).map(([status, body]) => [`${status} of ${operationId}`, body.content ?? {}] as const),
  ]);
  const inJson = bodies.flatMap(([of, { 'application/json': json, 'application/x-www-form-urlencoded': form }]) =>
    [json, form].flatMap((body) => (body && !body.examples ? [[of, body] as const] : [])),
  );

  it.each(inJson.filter(([of]) => !of.endsWith('getDescription')))('%s keeps its schema', (_, { schema, example }) => {
    expect(example).toBeDefined();
    expect(describedBy(schema)(example)).toBe(true);
  });

  it.each(EVENT_TYPES)('the webhook %s keeps its schema, and no other event does', (type) => {
    const bodies = EVENT_TYPES.map((each) => webhooks[each].post.requestBody.content['application/json']);
    const accepts = describedBy(webhooks[type].post.requestBody.content['application/json']?.schema ?? {});
    expect(bodies.map((body) => accepts(body?.example))).toEqual(EVENT_TYPES.map((each) => each === type));
  });

  const isProblem = describedBy({ $ref: '#/components/schemas/Problem' });
  const isOAuthError = describedBy({ $ref: '#/components/schemas/OAuthError' });
  it.each(Object.entries(components.examples))('%s keeps the schema of problems or OAuth errors', (name, { value }) => {
    const type = name.replace('oauth-', '');
    const isOAuth = name !== type;
    expect([isProblem(value), isOAuthError(value)]).toEqual([!isOAuth, isOAuth]);
    expect(valueAt(value, [isOAuth ? 'error_uri' : 'type'])).toMatch(new RegExp(`/${type}$`));
  });

  it('the description keeps its own schema', () => {
    expect(describedBy({ $ref: '#/components/schemas/Description' })(openApi)).toBe(true);
  });
});
