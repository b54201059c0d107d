import { describe, expect, it } from 'vitest';
import { createProject } from '../../../lib/operations/create-project.ts';
import { deleteProject } from '../../../lib/operations/delete-project.ts';
import { health } from '../../../lib/operations/health.ts';
import { changeProjects, changeTranslations, ROUTES, readProjects } from '../../../lib/operations/routes.ts';
import { project } from '../support.ts';
import { contextOf, documentWith, eventOf, fakeService, keptLog, readAnswer, receiptWith } from './fixture.ts';

const { options } = keptLog();
const context = contextOf();
const body = JSON.stringify(project());

describe('the base URL of an answer', () => {
  it.each([
    ['/v1', 'api.example.com', {}, 'https://api.example.com/v1'],
    ['', 'projects.example.com', {}, 'https://projects.example.com'],
    ['/segments/projects', 'x.example.com', {}, 'https://x.example.com/segments/projects'],
    ['', '127.0.0.1:8787', { 'X-Forwarded-Proto': 'http' }, 'http://127.0.0.1:8787'],
    ['', '[::1]:8787', { 'x-forwarded-proto': 'javascript' }, 'https://[::1]:8787'],
    ['/v1', undefined, {}, 'https://localhost/v1'],
    ['/v1', 'evil.example.com/"><', {}, 'https://localhost/v1'],
  ])('is the path before the route: %j at %s', async (prefix, domainName, headers, base) => {
    const handler = createProject(fakeService({ create: () => documentWith(77) }), options);
    const answer = await handler(eventOf('createProject', { prefix, domainName, headers, body }), context);
    expect(answer.headers['Location']).toBe(`${base}/segments/projects/77`);
    const invalid = await handler(eventOf('createProject', { prefix, domainName, headers, body: '{}' }), context);
    expect(readAnswer(invalid).json).toMatchObject({ type: `${base}/problems/invalid-project` });
  });
});

describe('Strict-Transport-Security', () => {
  const [remove] = deleteProject(fakeService({ delete: async () => receiptWith() }), options);
  it.each([
    ['JSON', health(options), 'health', {}],
    ['a problem', health(options), 'health', { body: '{}' }],
    ['an answer without a body', remove, 'deleteProject', {}],
  ] as const)('is sent with %s over TLS, and never over plain HTTP', async (_, handler, id, event) => {
    const secure = await handler(eventOf(id, event), context);
    const plain = await handler(eventOf(id, { ...event, headers: { 'X-Forwarded-Proto': 'http' } }), context);
    expect(secure.headers['Strict-Transport-Security']).toBe('max-age=31536000');
    expect(plain.headers).not.toHaveProperty('Strict-Transport-Security');
    expect(plain.statusCode).toBe(secure.statusCode);
  });
});

describe('Prefer: handling=strict', () => {
  const preferred = { Prefer: 'respond-async, handling=strict' };

  it.each([
    [async () => true, 'respond-async, handling=strict', 'handling=strict'],
    [undefined, 'respond-async', undefined],
  ])('is confirmed if an engine can be asked: %s', async (supportsPair, created, validated) => {
    const passed: unknown[] = [];
    const service = fakeService({
      create(_, call) {
        passed.push(call.supportsPair);
        return documentWith(77);
      },
      async validate(_, call) {
        passed.push(call.supportsPair);
      },
    });
    const handler = createProject(service, { ...options, supportsPair });
    for (const headers of [preferred, {}]) {
      const answers = [];
      for (const query of [{}, { validateOnly: ['true'] }]) {
        const answer = await handler(eventOf('createProject', { body, headers, query }), context);
        answers.push(answer.headers['Preference-Applied']);
      }
      expect(answers).toEqual(headers === preferred ? [created, validated] : [undefined, undefined]);
    }
    expect(passed).toEqual([supportsPair, supportsPair, undefined, undefined]);
  });
});

describe('validateOnly', () => {
  const price = { amount: 20, currency: 'EUR' };

  it.each([
    [undefined, null],
    [async () => undefined, null],
    [async () => ({ name: 'deepl' }), { engine: 'deepl', characters: 0, cost: null }],
    [async () => ({ name: 'deepl', price }), { engine: 'deepl', characters: 0, cost: { amount: 0, currency: 'EUR' } }],
  ])('quotes the engine that %s returns', async (quotedEngine, automaticTranslation) => {
    const handler = createProject(fakeService({ validate: async () => {} }), { ...options, quotedEngine });
    const answer = await handler(eventOf('createProject', { body, query: { validateOnly: ['true'] } }), context);
    expect(readAnswer(answer).json).toMatchObject({ valid: true, quote: { automaticTranslation } });
  });
});

it.each<Readonly<Record<string, string>>>([
  { 'Content-Type': 'text/plain', 'content-type': 'application/json' },
  { 'Content-Type': 'application/json; charset=latin1' },
])('refuses a body with %j', async (headers) => {
  const handler = createProject(fakeService({ create: () => documentWith(77) }), options);
  expect((await handler(eventOf('createProject', { body, headers }), context)).statusCode).toBe(415);
});

it.each([
  ['without a media type', {}, 400],
  ['with a wrong media type', { 'Content-Type': 'text/plain' }, 415],
] as const)('refuses a creation without a body and %s', async (_, headers, status) => {
  const handler = createProject(fakeService({ create: () => documentWith(77) }), options);
  expect((await handler(eventOf('createProject', { headers }), context)).statusCode).toBe(status);
});

it.each(Object.entries({ changeProjects, changeTranslations, readProjects }))(
  'the list %s has the operations whose routes name that function',
  (name, operations) => {
    const listed = operations.flatMap((operation) => operation(fakeService(), options)).map(({ route }) => route.id);
    const named = ROUTES.filter((route) => route.function === name).map(({ id }) => id);
    expect(listed.sort()).toEqual(named.sort());
  },
);
