import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { putScopeMissing } from '../../../lib/contract/failures.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { MAX_ANSWER_BYTES } from '../../../lib/http/http-result.ts';
import { putProject } from '../../../lib/operations/put-project.ts';
import { docsOf } from '../../../lib/operations/routes.ts';
import { encodeObject } from '../../../lib/service/encoded-text.ts';
import { type CallContext, operationIdOf, type ProjectService } from '../../../lib/service/port.ts';
import type { PutPlan, PutRequest, PutResult } from '../../../lib/service/put.ts';
import { putToken } from '../../../lib/service/put-plan.ts';
import type { QuotedEngine } from '../../../lib/service/quote.ts';
import { project } from '../support.ts';
import { contextOf, documentWith, type EventOptions, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const BASE = 'https://api.example.com/v1';
const COUNTS = {
  segments: { kept: 3, changed: 1, added: 2, removed: 0 },
  targetLanguages: { kept: 1, added: 0, removed: 0 },
  automaticCharacters: 40,
};
const QUOTE = { words: 2, characters: 12, repeats: 0, automaticTranslation: null };
const PLAN = { ...COUNTS, outcome: 'update', projectId: 77, digest: 'abc' } as const satisfies PutPlan;
const OUTDATED = { outcome: 'outdated', revision: 9 } as const;
const resultOf = (outcome: 'create' | 'update' | 'unchanged'): PutResult => ({
  ...COUNTS,
  outcome,
  projectId: 77,
  customId: 'x',
  document: () => documentWith(77),
});

interface Asked extends EventOptions {
  /** Whether the path has the id of the project; by default it has the custom id. */
  readonly byId?: boolean;
  readonly methods?: Partial<ProjectService>;
  readonly supportsPair?: CallContext['supportsPair'];
  readonly quotedEngine?: () => Promise<QuotedEngine>;
}

/** Sends a put. Returns the answer, and what the service got. */
async function put({ byId = false, methods, supportsPair, quotedEngine, ...event }: Asked = {}) {
  const puts: PutRequest[] = [];
  const plans: PutRequest[] = [];
  const calls: CallContext[] = [];
  const service = fakeService({
    async put(...args) {
      puts.push(args[0]);
      calls.push(args[1]);
      return methods?.put ? methods.put(...args) : resultOf('update');
    },
    async planPut(...args) {
      plans.push(args[0]);
      calls.push(args[1]);
      return methods?.planPut ? methods.planPut(...args) : PLAN;
    },
  });
  const { lines, options } = keptLog();
  const [handleById, handleByCustomId] = putProject(service, {
    ...options,
    supportsPair,
    quotedEngine,
    newId: () => 'random',
  });
  const handle = byId ? handleById : handleByCustomId;
  const defaults = { segment: byId ? '77' : 'x', body: JSON.stringify(project()) };
  const result = await handle(
    eventOf(byId ? 'putProject' : 'putProjectByCustomId', { ...defaults, ...event }),
    contextOf(),
  );
  return { puts, plans, calls, lines, ...readAnswer(result) };
}

const typeOf = (json: unknown) => z.object({ type: z.string() }).parse(json).type.replace(`${BASE}/problems/`, '');
const faultsOf = (json: unknown) =>
  z
    .object({ errors: z.array(z.object({ pointer: z.string(), code: z.string() })) })
    .parse(json)
    .errors.map(({ pointer, code }) => `${pointer} ${code}`);

/** Expects that an answer fits one of the published answers with its status. */
function expectPublished(status: number, json: unknown): void {
  const schemas = docsOf('putProjectByCustomId').answers.flatMap((answer) =>
    answer.status === status ? [answer.schema] : [],
  );
  expect(schemas.some((schema) => schema && z.safeParse(schema, json).success)).toBe(true);
}

describe('what the service gets', () => {
  it.each([
    [true, '77', { id: 77 }],
    [false, 'x', { customId: 'x' }],
    [false, 'a%2Fb', { customId: 'a/b' }],
    [false, 'a%252Fb', { customId: 'a%2Fb' }],
    [false, '77', { customId: '77' }],
  ])('is the project of the path (by id: %s): %s', async (byId, segment, ref) => {
    const { status, puts } = await put({ byId, segment });
    expect([status, puts.map((request) => request.ref)]).toEqual([200, [ref]]);
  });

  it('is the project of the body, with the custom id of the path', async () => {
    const bodies = [{}, { customId: null }, { customId: 'x' }].map((fields) => JSON.stringify(project(fields)));
    for (const body of bodies) {
      const { puts } = await put({ body });
      expect(puts).toMatchObject([{ project: { customId: 'x', name: project()['name'] } }]);
    }
    expect((await put({ byId: true })).puts[0]?.project.customId).toBeUndefined();
  });

  it('is the custom id of the body by id, which only the service can compare', async () => {
    const { puts } = await put({ byId: true, body: JSON.stringify(project({ customId: 'y' })) });
    expect(puts[0]).toMatchObject({ ref: { id: 77 }, project: { customId: 'y' } });
  });

  it.each([
    [{}, { taskId: undefined, revision: undefined }],
    [{ taskId: ['a b'] }, { taskId: 'a b', revision: undefined }],
    [{ revision: ['0'] }, { taskId: undefined, revision: 0 }],
    [{ revision: ['9007199254740991'] }, { taskId: undefined, revision: 9_007_199_254_740_991 }],
  ])('is the task and the revision of the query %j', async (query, expected) => {
    const { status, puts } = await put({ query });
    expect(status).toBe(200);
    expect(puts).toMatchObject([expected]);
  });

  it('is the caller, with its scopes and its key', async () => {
    const authorizer = { companyId: 'acme', keyId: 'key-1', scopes: 'update manage' };
    const { calls } = await put({ authorizer, headers: { 'Idempotency-Key': '"k"' } });
    expect(calls[0]).toMatchObject({
      companyId: 'acme',
      requestedBy: { kind: 'key', id: 'key-1' },
      scopes: ['update', 'manage'],
      idempotency: { key: 'k', isAnnounced: false },
    });
  });

  it.each([
    ['long ago', { startDateUtc: '2001-01-01T00:00:00Z' }],
    ['later than the end', { startDateUtc: '2098-01-01T00:00:00Z', endDateUtc: '2097-01-01T00:00:00Z' }],
  ])('is a project whose start date is %s: only the service knows whether it is created', async (_, fields) => {
    expect((await put({ body: JSON.stringify(project(fields)) })).puts).toMatchObject([{ project: fields }]);
    const invalid = await put({ body: JSON.stringify(project({ ...fields, name: '' })) });
    expect(faultsOf(invalid.json)).toEqual(['/name blank']);
  });
});

describe('the answer', () => {
  it.each([
    ['create', 201],
    ['update', 200],
    ['unchanged', 200],
  ] as const)('is the project: %s', async (outcome, expected) => {
    const { status, headers, json } = await put({ methods: { put: async () => resultOf(outcome) } });
    expect([status, json]).toMatchObject([expected, { id: 77, segments: expect.any(Array) }]);
    expect(headers['Location']).toBe(outcome === 'create' ? `${BASE}/segments/projects/77` : undefined);
    expect(headers).not.toHaveProperty('Preference-Applied');
  });

  it.each([
    ['create', 201],
    ['update', 200],
    ['unchanged', 200],
  ] as const)('is what was done, with return=minimal: %s', async (outcome, expected) => {
    const document = () => Promise.reject(new Error('The project must not be read'));
    const methods = { put: async () => ({ ...resultOf(outcome), document }) };
    const { status, headers, json } = await put({ headers: { Prefer: 'return=minimal' }, methods });
    const { segments, targetLanguages } = COUNTS;
    expect([status, json]).toEqual([
      expected,
      { outcome, segments, targetLanguages, quote: QUOTE, projectId: 77, customId: 'x' },
    ]);
    expect(headers['Location']).toBe(outcome === 'create' ? `${BASE}/segments/projects/77` : undefined);
    expect(headers['Preference-Applied']).toBe('return=minimal');
    expectPublished(status, json);
  });

  it.each([{}, { Prefer: 'return=minimal' }])('is the revision of an outdated put, with %j', async (headers) => {
    const { status, json } = await put({ headers, query: { revision: ['8'] }, methods: { put: async () => OUTDATED } });
    expect([status, json]).toEqual([200, OUTDATED]);
    expectPublished(status, json);
  });

  it('quotes what the put gives to the engine', async () => {
    const quotedEngine = async () => ({ name: 'deepl', price: { amount: 20, currency: 'EUR' } });
    const { json } = await put({ query: { validateOnly: ['true'] }, quotedEngine });
    expect(json).toMatchObject({ quote: { automaticTranslation: { engine: 'deepl', characters: 40 } } });
  });

  it('is the plan, with validateOnly=true', async () => {
    const { status, json, plans, puts, calls } = await put({ query: { validateOnly: ['true'] } });
    const { segments, targetLanguages } = COUNTS;
    const expected = { valid: true, outcome: 'update', segments, targetLanguages, quote: QUOTE, plan: putToken(PLAN) };
    expect([status, json, puts]).toEqual([200, expected, []]);
    expect([plans, calls]).toMatchObject([[{ ref: { customId: 'x' } }], [{ companyId: 'acme' }]]);
    expectPublished(status, json);
    expect((await put({ query: { validateOnly: ['false'] } })).puts).toHaveLength(1);
  });

  it('is the revision, with validateOnly=true of an outdated put', async () => {
    const planPut = async () => OUTDATED;
    const { status, json } = await put({ query: { validateOnly: ['true'], revision: ['8'] }, methods: { planPut } });
    expect([status, json]).toEqual([200, { valid: true, ...OUTDATED }]);
    expectPublished(status, json);
  });

  it('says that a key has been used before, with the first status', async () => {
    const replay: ProjectService['put'] = async (_, { idempotency }) => {
      idempotency?.replayed();
      return resultOf('create');
    };
    const { status, headers } = await put({ headers: { 'Idempotency-Key': 'k' }, methods: { put: replay } });
    expect([status, headers['Idempotent-Replayed']]).toEqual([201, 'true']);
  });

  it('is the operation, with respond-async', async () => {
    const { status, headers, json, calls } = await put({ headers: { Prefer: 'respond-async, return=minimal' } });
    const operationId = operationIdOf('operation random');
    expect([status, json]).toEqual([202, { operationId, status: 'done' }]);
    expect(headers['Preference-Applied']).toBe('respond-async');
    expect(headers['Location']).toBe(`${BASE}/operations/${operationId}`);
    expect(calls[0]?.idempotency).toMatchObject({ key: 'operation random', isAnnounced: true });
  });

  it('is the operation of a put that takes too long', async () => {
    const unknown = new Problem('outcome-unknown', { detail: 'Lost.', isRunning: true, operationId: 'o' });
    const { status, headers, json } = await put({ methods: { put: () => Promise.reject(unknown) } });
    expect([status, json]).toEqual([202, { operationId: 'o', status: 'running' }]);
    expect(headers['Retry-After']).toBe('2');
  });

  it('confirms handling=strict if an engine can be asked', async () => {
    const supportsPair = async () => true;
    const headers = { Prefer: 'handling=strict, return=minimal' };
    const strict = await put({ headers, supportsPair });
    expect(strict.headers['Preference-Applied']).toBe('handling=strict, return=minimal');
    expect(strict.calls[0]?.supportsPair).toBe(supportsPair);
    const planned = await put({ headers, supportsPair, query: { validateOnly: ['true'] } });
    expect(planned.headers['Preference-Applied']).toBe('handling=strict');
    expect(planned.calls[0]?.supportsPair).toBe(supportsPair);
    expect((await put({ headers })).headers['Preference-Applied']).toBe('return=minimal');
    expect((await put({ supportsPair })).calls[0]?.supportsPair).toBeUndefined();
  });

  it.each(['scope-missing', 'project-not-found', 'task-not-found', 'plan-outdated', 'not-supported'] as const)(
    'is the problem of the service: %s',
    async (type) => {
      const refuse = () => Promise.reject(new Problem(type, { detail: 'No.' }));
      expect(typeOf((await put({ methods: { put: refuse } })).json)).toBe(type);
      const validateOnly = { query: { validateOnly: ['true'] }, methods: { planPut: refuse } };
      expect(typeOf((await put(validateOnly)).json)).toBe(type);
    },
  );

  it('of a put whose caller lacks a scope says what it would do', async () => {
    const refuse = () => Promise.reject(putScopeMissing('delete', 'remove 3 segments'));
    const { status, json } = await put({ methods: { put: refuse } });
    expect([status, json]).toMatchObject([403, { detail: expect.stringMatching(/remove 3 segments.* delete\b/) }]);
  });
});

describe('an answer that is too large for a client without gzip', () => {
  const large = async () => {
    const json = await encodeObject({ id: 77, text: 'y'.repeat(MAX_ANSWER_BYTES) });
    return { id: 77, segments: 1, targetLanguages: 1, json };
  };

  it.each(['create', 'update'] as const)('has gzip after a change: %s', async (outcome) => {
    const methods = { put: async () => ({ ...resultOf(outcome), document: large }) };
    const { status, headers } = await put({ methods });
    expect([status, headers['Content-Encoding']]).toEqual([outcome === 'create' ? 201 : 200, 'gzip']);
  });

  it('is 406 if nothing was changed', async () => {
    const methods = { put: async () => ({ ...resultOf('unchanged'), document: large }) };
    expect((await put({ methods })).status).toBe(406);
  });

  it('is 406 before the put if the project of the body is too large, except with return=minimal', async () => {
    const segments = Array.from({ length: 45_000 }, () => ({ content: 'x'.repeat(70) }));
    const body = gzipSync(JSON.stringify(project({ segments })));
    const refused = await put({ body });
    expect([refused.status, typeOf(refused.json), refused.puts]).toEqual([406, 'not-acceptable', []]);
    for (const headers of [{ Prefer: 'return=minimal' }, { 'Accept-Encoding': 'gzip' }]) {
      expect((await put({ body, headers })).status).toBe(200);
    }
  });
});

describe('a plan in If-Match', () => {
  const token = putToken(PLAN);

  it('is passed on to the service', async () => {
    const planned = [77, 'abc', 3, 1, 2, 0, 1, 0, 0];
    for (const query of [{}, { validateOnly: ['true'] }]) {
      const { puts, plans } = await put({ query, headers: { 'If-Match': `"${token}"` } });
      expect([...puts, ...plans].map((request) => request.planned)).toEqual([planned]);
    }
    expect((await put()).puts[0]?.planned).toBeUndefined();
  });

  it.each([
    ['without quotation marks', { 'If-Match': token }],
    ['weak', { 'If-Match': `W/"${token}"` }],
    ['any', { 'If-Match': '*' }],
    ['no plan', { 'If-Match': '"abc"' }],
    ['of a deletion', { 'If-Match': `"${Buffer.from('[1,null,1,1,1]').toString('base64url')}"` }],
    ['two plans', { 'If-Match': [`"${token}"`, `"${token}"`] }],
    ['another condition', { 'If-None-Match': '*' }],
    ['a date', { 'If-Unmodified-Since': 'Fri, 20 Nov 2026 09:30:00 GMT' }],
    ['another condition beside it', { 'If-Match': `"${token}"`, 'If-Modified-Since': 'yesterday' }],
  ])('is 400 if it is another condition: %s', async (_, headers) => {
    const { status, json, puts } = await put({ headers });
    expect([status, typeOf(json), puts]).toEqual([400, 'invalid-header', []]);
    expect(json).toMatchObject({ detail: expect.stringContaining('put') });
  });
});

describe('the custom id of the body', () => {
  it('is a fault if it is not that of the path, beside all others', async () => {
    const { status, json, puts } = await put({ body: JSON.stringify(project({ customId: 'y', name: '' })) });
    expect([status, typeOf(json), puts]).toEqual([400, 'invalid-project', []]);
    expect(faultsOf(json).sort()).toEqual(['/customId not-the-same', '/name blank']);
    expect(JSON.stringify(json)).not.toContain('"y"');
  });

  it.each([
    ['', 'empty'],
    ['%2E', 'reserved-name'],
    ['x'.repeat(LIMITS.customIdCharacters + 1), 'too-long'],
  ])('is a fault if the path has no custom id that a project can have: %s', async (segment, code) => {
    const { status, json } = await put({ segment });
    expect([status, faultsOf(json)]).toEqual([400, [`/customId ${code}`]]);
  });

  it.each(['%ff', '%'])('is 404 if the path is not well-formed: %s', async (segment) => {
    const { status, json } = await put({ segment });
    expect([status, typeOf(json)]).toEqual([404, 'project-not-found']);
  });

  it.each(['custom', '0', '-1', '9007199254740992', '1e3', 'x'])(
    'is 404 if the path has no id: %s',
    async (segment) => {
      const { status, json, puts } = await put({ byId: true, segment });
      expect([status, typeOf(json), puts]).toEqual([404, 'project-not-found', []]);
    },
  );
});

describe('the query', () => {
  it.each([
    ['unknown-parameter', { validateonly: ['true'] }],
    ['unknown-parameter', { taskid: ['a'] }],
    ['unknown-parameter', { Revision: ['1'] }],
    ['invalid-parameter', { validateOnly: ['1'] }],
    ['invalid-parameter', { taskId: [''] }],
    ['invalid-parameter', { taskId: ['a', 'b'] }],
    ...['', ' ', '-1', '01', '1.0', '1e3', '9007199254740992', '99999999999999999', '0x1', '１'].map(
      (revision) => ['invalid-parameter', { revision: [revision] }] as const,
    ),
    ['invalid-parameter', { revision: ['1', '1'] }],
    ['invalid-parameter', { revision: ['1'], taskId: ['a'] }],
  ] as const)('is 400 %s: %j', async (type, query) => {
    const { status, json, puts, plans } = await put({ query, body: '[' });
    expect([status, typeOf(json), puts, plans]).toEqual([400, type, [], []]);
  });
});

it('checks in this order: company, scope, Accept, query, media type, size, body, condition, key, path', async () => {
  const faults: readonly (readonly [type: string, without: EventOptions])[] = [
    ['company-suspended', { authorizer: { companyId: 'acme', keyId: 'key-1', scopes: 'read' } }],
    ['scope-missing', { authorizer: { companyId: 'acme', keyId: 'key-1', scopes: 'update' } }],
    ['not-acceptable', { headers: { Accept: 'application/json' } }],
    ['invalid-parameter', { query: {} }],
    ['unsupported-media-type', { headers: { 'Content-Type': 'application/json' } }],
    ['too-large', { body: '[' }],
    ['malformed-json', { body: JSON.stringify(project({ name: '' })) }],
    ['invalid-project', { body: JSON.stringify(project()) }],
    ['invalid-header', { headers: { 'If-Match': `"${putToken(PLAN)}"` } }],
    ['invalid-header', { headers: { 'Idempotency-Key': 'k' } }],
    ['project-not-found', { segment: '77' }],
  ];
  let event: EventOptions = {
    authorizer: { companyId: 'acme', keyId: 'key-1', scopes: '', isSuspended: 'true' },
    query: { revision: ['-1'] },
    headers: { Accept: 'text/html', 'Content-Type': 'text/plain', 'If-Match': '*', 'Idempotency-Key': '' },
    body: ' '.repeat(LIMITS.bodyBytes + 1),
    segment: 'none',
  };
  for (const [type, fixed] of faults) {
    const { json, puts } = await put({ byId: true, ...event });
    expect([typeOf(json), puts]).toEqual([type, []]);
    event = { ...event, ...fixed, headers: { ...event.headers, ...fixed.headers } };
  }
  expect((await put({ byId: true, ...event })).status).toBe(200);
});

it.each(['create', 'update', 'create update', 'create read update delete'])(
  'a key with the scopes "%s" may put and plan',
  async (scopes) => {
    const authorizer = { companyId: 'acme', keyId: 'key-1', scopes };
    for (const byId of [true, false]) {
      expect((await put({ byId, authorizer })).status).toBe(200);
      expect((await put({ byId, authorizer, query: { validateOnly: ['true'] } })).status).toBe(200);
    }
  },
);

it.each(['', 'read delete', 'translate manage'])('a key with the scopes "%s" gets 403', async (scopes) => {
  const authorizer = { companyId: 'acme', keyId: 'key-1', scopes };
  for (const query of [{}, { validateOnly: ['true'] }]) {
    const { status, json, puts, plans } = await put({ authorizer, query, body: '[' });
    expect([status, puts, plans]).toEqual([403, [], []]);
    expect(json).toMatchObject({ detail: expect.stringMatching(/ create and update\b/) });
  }
});

it('logs sizes and codes, and no content', async () => {
  const body = JSON.stringify(project({ name: 'CANARY', segments: [{ content: 'CANARY', id: 4 }] }));
  const { lines, text } = await put({ segment: 'CANARY', body });
  expect(lines).toMatchObject([
    { operation: 'putProjectByCustomId', problem: 'invalid-project', faults: ['service-field'] },
  ]);
  expect(JSON.stringify(lines) + text).not.toContain('CANARY');
});
