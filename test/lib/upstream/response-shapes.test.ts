import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../../../lib/contract/problems.ts';
import type { TransportResponse } from '../../../lib/service/http-client/transport.ts';
import { retryAfterSeconds } from '../../../lib/service/retry.ts';
import { refusalProblem } from '../../../lib/upstream/failures.ts';
import { CREATE, DELETE, LIST, READ } from '../../../lib/upstream/requests.ts';
import { nextPage, readUpstreamProject, readUpstreamProjects } from '../../../lib/upstream/upstream-project.ts';
import { member, segment, target } from '../../support/projects.ts';
import { answer } from './virtual-client.ts';
import { answered, checked } from './world.ts';

const CANARY = 'canary-of-theirs';
const project = answered(
  checked({ customId: 'a', targetLanguages: [target({ team: [member()] })], segments: [segment()] }),
);
const sent = { name: 'A', segments: [{ content: CANARY }] };

const json = 'application/json; charset=utf-8';
const problem = 'application/problem+json';
const html = 'text/html';

/** What services of all kinds say when something fails. */
const SHAPES: readonly (readonly [what: string, type: string | undefined, body: string | Uint8Array | object])[] = [
  ['a problem', problem, { type: 'about:blank', title: CANARY, status: 400, detail: CANARY }],
  [
    'errors by field',
    problem,
    {
      type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
      title: 'One or more validation errors occurred.',
      status: 400,
      errors: { 'Segments[0].Content': [CANARY], [CANARY]: ['The field is required.'] },
      traceId: `00-${CANARY}-00`,
    },
  ],
  ['errors by field under the type of JSON', json, { errors: { name: [CANARY] }, traceId: CANARY }],
  ['a message', json, { Message: CANARY }],
  ['a message with a stack', json, { Message: CANARY, ExceptionMessage: CANARY, StackTrace: `at ${CANARY}` }],
  ['an error of OAuth', json, { error: 'invalid_grant', error_description: CANARY }],
  ['a text in JSON', json, JSON.stringify(CANARY)],
  ['a list', json, [CANARY]],
  ['null', json, 'null'],
  [
    'a list of errors as a problem has none',
    problem,
    { type: CANARY, errors: [CANARY, null, { pointer: 1, code: CANARY }] },
  ],
  ['plain text', 'text/plain', CANARY],
  ['a page', html, `<html><h1>${CANARY}</h1></html>`],
  ['a page under the type of JSON', json, `<html>${CANARY}</html>`],
  ['a page under the type of a problem', problem, `<html>${CANARY}</html>`],
  ['JSON under the type of a page', html, { Message: CANARY }],
  ['JSON without a type', undefined, { Message: CANARY }],
  ['XML', 'application/xml', `<Error><Message>${CANARY}</Message></Error>`],
  ['bytes that are no UTF-8', json, Buffer.from(`{"Message":"${CANARY}\xff"}`, 'latin1')],
  ['JSON that is cut', json, `{"Message":"${CANARY}`],
  ['nothing', undefined, ''],
  ['nothing under the type of JSON', json, ''],
  ['nesting without end', json, '['.repeat(100_000)],
];

const bytesOf = (body: string | Uint8Array | object): Uint8Array =>
  body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));

/** What each status is, where something is created, deleted, read and listed. */
const MEANINGS: Readonly<Record<number, readonly [ProblemType, ProblemType, ProblemType, ProblemType]>> = {
  400: ['upstream-refused', 'upstream-refused', 'upstream-refused', 'upstream-refused'],
  401: ['upstream-unavailable', 'upstream-unavailable', 'upstream-unavailable', 'upstream-unavailable'],
  403: ['upstream-unavailable', 'upstream-unavailable', 'upstream-unavailable', 'upstream-unavailable'],
  409: ['custom-id-in-use', 'upstream-refused', 'upstream-refused', 'upstream-refused'],
  422: ['upstream-refused', 'upstream-refused', 'upstream-refused', 'upstream-refused'],
  429: ['upstream-unavailable', 'upstream-unavailable', 'upstream-unavailable', 'upstream-unavailable'],
  500: ['outcome-unknown', 'outcome-unknown', 'upstream-unavailable', 'upstream-unavailable'],
  502: ['outcome-unknown', 'outcome-unknown', 'upstream-unavailable', 'upstream-unavailable'],
  503: ['upstream-unavailable', 'upstream-unavailable', 'upstream-unavailable', 'upstream-unavailable'],
};

describe.each(SHAPES)('a failure that says %s', (_, type, body) => {
  it.each(Object.entries(MEANINGS))('is one of ours by its status, and none of theirs: %s', (status, types) => {
    const headers = { ...(type && { 'content-type': type }), 'x-reason': CANARY };
    const failures = [CREATE, DELETE, READ, LIST].map((operation) =>
      refusalProblem({ status: Number(status), headers, body: bytesOf(body) }, { operation, sent }, 0),
    );
    expect(failures.map(({ name }) => name)).toEqual(types);
    expect(inspect(failures, { depth: 10, showHidden: true })).not.toContain(CANARY);
    for (const { name, occurrence } of failures) {
      expect(name === 'upstream-refused' && !occurrence.detail.includes(status)).toBe(false);
    }
  });
});

describe('a project is read', () => {
  const read = (fields: object) => readUpstreamProject(answer(200, { ...project, ...fields }));

  it.each([
    '2026-11-20T12:00:00Z',
    '2026-11-20T12:00:00.1Z',
    '2026-11-20T12:00:00.12Z',
    '2026-11-20T12:00:00.123Z',
    '2026-11-20T12:00:00.1234Z',
    '2026-11-20T12:00:00.12345Z',
    '2026-11-20T12:00:00.123456Z',
    '2026-11-20T12:00:00.1234567Z',
    '2026-11-20T12:00:00.1234567',
    '2026-11-20T12:00:00+00:00',
  ])('with the date %s, as it is', (date) => {
    const dates = { creationDateUtc: date, startDateUtc: date, endDateUtc: date };
    expect(read(dates)).toEqual({ ...project, ...dates });
  });

  it.each<[string, TransportResponse]>([
    ['under another type', answer(200, project, { 'content-type': 'text/plain' })],
    ['behind a byte order mark', { ...answer(200), body: Buffer.from(`\ufeff${JSON.stringify(project)}`) }],
    [
      'with white space around it',
      { ...answer(200), body: Buffer.from(`\r\n ${JSON.stringify(project, null, 2)} \n`) },
    ],
    ['with its fields in another order', answer(200, Object.fromEntries(Object.entries(project).reverse()))],
  ])('%s', (_, given) => {
    expect(readUpstreamProject(given)).toEqual(project);
  });

  it.each<[what: string, fields: object]>([
    ['nulls, of optional fields too', { description: null, segments: [{ ...segment(), notes: null, hash: null }] }],
    ['no segments', { segments: undefined }],
    ['segments of other types', { segments: [null, 'text', 5, [], { id: 'a GUID' }] }],
    ['a number for a name', { name: 1 }],
    ['a date in milliseconds', { creationDateUtc: 1_763_640_000_000 }],
    ['a state of its own', { targetLanguages: [{ ...project.targetLanguages[0], state: 'Completed' }] }],
    ['an object in the place of a list', { targetLanguages: {} }],
    ['a custom id that is a number', { customId: 1 }],
  ])('with %s, as it is', (_, fields) => {
    expect(read(fields)).toEqual(JSON.parse(JSON.stringify({ ...project, ...fields })));
  });

  it('with its fields in the order in which they came', () => {
    const text = '{"b":1,"id":"7","a":{"z":1,"y":2},"__proto__":{"c":3}}';
    expect(JSON.stringify(readUpstreamProject({ ...answer(200), body: Buffer.from(text) }))).toBe(
      text.replace('"7"', '7'),
    );
  });

  it.each(['1', '1000', `${Number.MAX_SAFE_INTEGER}`])('with the id %s in a string, as the number', (id) => {
    expect(read({ id })).toEqual({ ...project, id: Number(id) });
  });

  it.each<[what: string, id: unknown]>([
    ['a fraction', 1.5],
    ['zero', 0],
    ['a negative number', -1],
    ['more than a number can hold', 2 ** 53],
    ['nothing', undefined],
    ['null', null],
    ['a list', [1]],
    ['an empty string', ''],
    ['a string with a sign', '+1'],
    ['a string with a leading zero', '01'],
    ['a string with white space', ' 1'],
    ['a string with a fraction', '1.0'],
    ['a string with an exponent', '1e3'],
    ['a hexadecimal string', '0x1'],
    ['a string of more than a number can hold', `${2 ** 53}`],
    ['a GUID', '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  ])('not with the id %s', (_, id) => {
    expect(read({ id })).toBeUndefined();
  });

  it.each(['null', '1', '"1"', '[{"id":1}]', '{}'])('not from %s', (text) => {
    expect(readUpstreamProject({ ...answer(200), body: Buffer.from(text) })).toBeUndefined();
  });
});

it('a list is read without the entries that cannot be read', () => {
  const { segments: _, ...head } = project;
  const odd = { id: '5', name: null };
  const given = answer(200, [null, project, { ...project, id: 'x' }, 'text', [project], odd]);
  expect(readUpstreamProjects(given)).toEqual([head, { ...odd, id: 5 }]);
  expect(readUpstreamProjects(answer(200, { projects: [project] }))).toBeUndefined();
});

describe('whatever a service says', () => {
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json({ maxDepth: 6 }).map((text) => Buffer.from(text)),
    fc.constant('lost' as const),
    fc.constant('unusable' as const),
    // Nearly right: a project with one value that is something else.
    fc
      .record({ field: fc.constantFrom(...Object.keys(project)), value: fc.jsonValue() })
      .map(({ field, value }) => Buffer.from(JSON.stringify({ ...project, [field]: value }))),
    fc
      .record({ type: fc.constantFrom(...Object.keys(PROBLEMS)), errors: fc.jsonValue(), status: fc.jsonValue() })
      .map((value) => Buffer.from(JSON.stringify(value))),
  );
  const header = fc.option(
    fc.oneof(fc.string(), fc.constantFrom(json, problem, html, '7', 'Fri, 20 Nov 2026 12:00:30 GMT')),
    {
      nil: undefined,
    },
  );
  const anything: fc.Arbitrary<TransportResponse> = fc.record({
    status: fc.oneof(fc.integer({ min: 100, max: 599 }), fc.constantFrom(200, 400, 404, 409, 500)),
    headers: fc
      .record({ 'content-type': header, 'retry-after': header, link: header })
      .map((headers) => ({ ...headers })),
    body,
  });

  it('it is a project with an id, or none', () => {
    fc.assert(
      fc.property(anything, (given) => {
        const read = readUpstreamProject(given);
        if (read) expect(Number.isSafeInteger(read.id) && read.id > 0).toBe(true);
      }),
    );
  });

  it('a project is read field for field, unknown fields too', () => {
    const extra = fc.dictionary(
      fc.string({ minLength: 1 }).filter((name) => name !== 'id'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(extra, extra, (fields, inner) => {
        const richer = JSON.parse(
          JSON.stringify({ ...project, ...fields, segments: [{ ...inner, ...project.segments[0] }] }),
        );
        // As texts: a number of more digits than every double holds is kept as it is written.
        expect(JSON.stringify(readUpstreamProject(answer(200, richer)))).toBe(JSON.stringify(richer));
      }),
    );
  });

  it('it is a list of projects without segments, or none', () => {
    fc.assert(
      fc.property(anything, (given) => {
        const heads = readUpstreamProjects(given);
        for (const head of heads ?? []) expect(head).not.toHaveProperty('segments');
        if (heads)
          expect(pageAfter(given.headers['link']?.toString())).toBeOneOf([
            undefined,
            'upstream-invalid',
            expect.any(Number),
          ]);
      }),
    );
  });

  it('a failure is a problem of the catalogue, and none that says that something was applied', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom(CREATE, DELETE, READ, LIST), (given, operation) => {
        const failure = refusalProblem(given, { operation, sent }, 0);
        expect(failure).toBeInstanceOf(Problem);
        expect(PROBLEMS[failure.name].outcome).not.toBe('applied');
      }),
    );
  });

  it('it takes nothing for a time from a second to an hour, or for an unknown one', () => {
    fc.assert(
      fc.property(fc.option(fc.string(), { nil: undefined }), fc.nat(), (text, nowMs) => {
        const seconds = retryAfterSeconds(text, nowMs);
        if (seconds !== undefined) expect(seconds >= 1 && seconds <= 3_600 && Number.isInteger(seconds)).toBe(true);
      }),
    );
  });
});

/** Where the next page begins, or what it means that nobody can tell. */
function pageAfter(link: string | undefined): unknown {
  try {
    return nextPage(link);
  } catch (error) {
    return error instanceof Problem ? error.name : error;
  }
}
