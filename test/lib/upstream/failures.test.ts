import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../../../lib/contract/problems.ts';
import type { TransportResponse } from '../../../lib/service/http-client/transport.ts';
import { operationIdOf } from '../../../lib/service/port.ts';
import { refusalProblem } from '../../../lib/upstream/failures.ts';
import { CREATE, DELETE, LIST, READ } from '../../../lib/upstream/requests.ts';
import { brokenOff, gone, notTheService, project, UNCERTAIN, UNREADABLE } from './responses.ts';
import { breakOff, empty, inTurn, json, type Play, problem } from './server.ts';
import { answered, checked, NOTHING_OPEN, owning, type Played, type Plays, playing, problemOf } from './world.ts';

const OPERATIONS = [CREATE, DELETE, READ, LIST];
const JSON_TYPE = { 'content-type': 'application/json' };
const PROBLEM_TYPE = { 'content-type': 'application/problem+json' };
const typed = (type: string) => ({ 'content-type': type });

/** A response without success. A text is its body, an object its JSON. */
function refusal(
  status: number,
  headers: TransportResponse['headers'] = {},
  body: string | Uint8Array | object = '',
): TransportResponse {
  if (body === 'lost') return { status, headers, body };
  const isBytes = body instanceof Uint8Array;
  return {
    status,
    headers,
    body: isBytes ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
}
const problemOfType = (status: number, type: string) =>
  refusal(status, PROBLEM_TYPE, { type: `https://service.example/problems/${type}`, status });

const REFUSED = Array<ProblemType>(4).fill('upstream-refused');
const UNAVAILABLE = Array<ProblemType>(4).fill('upstream-unavailable');
const UNKNOWN: ProblemType[] = ['outcome-unknown', 'outcome-unknown', 'upstream-unavailable', 'upstream-unavailable'];
const NOT_FOUND: ProblemType[] = ['upstream-refused', 'project-not-found', 'project-not-found', 'upstream-refused'];
const NOT_THE_SERVICE: ProblemType[] = ['upstream-refused', 'upstream-refused', 'upstream-refused', 'upstream-refused'];

describe('the problem of a create, delete, read and list', () => {
  it.each<[string, TransportResponse, readonly ProblemType[]]>([
    ['400', refusal(400), REFUSED],
    ['400 invalid-project', problemOfType(400, 'invalid-project'), REFUSED],
    ['401', refusal(401), UNAVAILABLE],
    ['403', refusal(403), UNAVAILABLE],
    ['405', refusal(405), REFUSED],
    ['408', refusal(408), UNKNOWN],
    ['409', refusal(409), ['custom-id-in-use', 'upstream-refused', 'upstream-refused', 'upstream-refused']],
    ['410 project-deleted', problemOfType(410, 'project-deleted'), REFUSED],
    ['413', refusal(413), ['too-large', 'upstream-refused', 'upstream-refused', 'upstream-refused']],
    ['422 that breaks off', refusal(422, {}, 'lost'), REFUSED],
    ['429', refusal(429), UNAVAILABLE],
    ['500', refusal(500), UNKNOWN],
    ['500 project-not-found', problemOfType(500, 'project-not-found'), UNKNOWN],
    [
      '500 team-without-translator',
      problemOfType(500, 'team-without-translator'),
      ['team-without-translator', 'outcome-unknown', 'upstream-unavailable', 'upstream-unavailable'],
    ],
    ['502 in HTML', refusal(502, typed('text/html'), '<html></html>'), UNKNOWN],
    ['503', refusal(503), UNAVAILABLE],
    ['504', refusal(504), UNKNOWN],
    ['301', refusal(301), REFUSED],
    ['307', refusal(307), REFUSED],
    ['308', refusal(308), REFUSED],
    ['302', refusal(302), ['outcome-unknown', 'outcome-unknown', 'upstream-refused', 'upstream-refused']],
    ['303', refusal(303), ['outcome-unknown', 'outcome-unknown', 'upstream-refused', 'upstream-refused']],
    ['202 on a read', refusal(202), ['outcome-unknown', 'outcome-unknown', 'upstream-invalid', 'upstream-invalid']],
    ['404', refusal(404), NOT_FOUND],
    ['404 in JSON', refusal(404, JSON_TYPE, {}), NOT_FOUND],
    ['404 in JSON with a charset', refusal(404, typed('Application/JSON ; charset=utf-8'), 'null'), NOT_FOUND],
    ['404 with an unknown problem', refusal(404, PROBLEM_TYPE, { status: 404 }), NOT_FOUND],
    ['404 project-not-found', problemOfType(404, 'project-not-found'), NOT_FOUND],
    [
      '404 task-not-found',
      problemOfType(404, 'task-not-found'),
      ['upstream-refused', 'task-not-found', 'upstream-refused', 'upstream-refused'],
    ],
    ['404 in HTML', refusal(404, typed('text/html'), '<html></html>'), NOT_THE_SERVICE],
    ['404 in HTML under the type of JSON', refusal(404, JSON_TYPE, '<html></html>'), NOT_THE_SERVICE],
    ['404 in plain text', refusal(404, typed('text/plain; is=application/json'), '404'), NOT_THE_SERVICE],
    ['404 in JSON without a type', refusal(404, {}, '{}'), NOT_THE_SERVICE],
    ['404 route-not-found', problemOfType(404, 'route-not-found'), NOT_THE_SERVICE],
    [
      '404 that breaks off',
      refusal(404, {}, 'lost'),
      ['upstream-refused', 'outcome-unknown', 'upstream-refused', 'upstream-refused'],
    ],
  ])('with the response %s', (_, given, types) => {
    expect(OPERATIONS.map((operation) => refusalProblem(given, { operation }, 0).name)).toEqual(types);
  });

  const CANARY = 'canary-of-theirs';
  const BODIES: readonly (readonly [what: string, type: string | undefined, body: string | Uint8Array | object])[] = [
    ['a problem', 'application/problem+json', { type: CANARY, title: CANARY, status: 400, detail: CANARY }],
    ['a stack trace', 'application/json', { Message: CANARY, StackTrace: `at ${CANARY}` }],
    ['an HTML page', 'text/html', `<html><h1>${CANARY}</h1></html>`],
    ['HTML under the type of a problem', 'application/problem+json', `<html>${CANARY}</html>`],
    ['JSON without a type', undefined, { Message: CANARY }],
    ['invalid UTF-8', 'application/json', Buffer.from(`{"Message":"${CANARY}\xff"}`, 'latin1')],
  ];
  it.each(BODIES)('does not quote %s', (_, type, body) => {
    for (const status of [400, 401, 403, 409, 422, 429, 500, 503]) {
      const headers = { ...(type && { 'content-type': type }), 'x-reason': CANARY };
      for (const operation of OPERATIONS) {
        const sent = { segments: [{ content: CANARY }] };
        const failure = refusalProblem(refusal(status, headers, body), { operation, sent }, 0);
        expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain(CANARY);
        expect(failure.name).toBe(refusalProblem(refusal(status), { operation }, 0).name);
      }
    }
  });

  it('is one of the catalogue that does not claim an effect, whatever the service sends', () => {
    const header = fc.option(
      fc.oneof(fc.string(), fc.constantFrom('application/json', 'application/problem+json', 'text/html', '7')),
      { nil: undefined },
    );
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom('lost' as const, 'unusable' as const),
      fc
        .record({ type: fc.constantFrom(...Object.keys(PROBLEMS)), errors: fc.jsonValue(), status: fc.jsonValue() })
        .map((value) => Buffer.from(JSON.stringify(value))),
    );
    const headers = fc.record({ 'content-type': header, 'retry-after': header }).map((all) => ({ ...all }));
    const status = fc.oneof(fc.integer({ min: 100, max: 599 }), fc.constantFrom(400, 404, 409, 500));
    fc.assert(
      fc.property(fc.record({ status, headers, body }), fc.constantFrom(...OPERATIONS), (given, operation) => {
        const failure = refusalProblem(given, { operation, sent: project }, 0);
        expect(failure).toBeInstanceOf(Problem);
        expect(PROBLEMS[failure.name].outcome).not.toBe('applied');
      }),
    );
  });
});

const create = ({ world, service }: Played) => service.create(project, world.call());
const get = ({ world, service }: Played) => service.get({ id: 1_000 }, undefined, world.call());
const getTask = ({ world, service }: Played) => service.get({ id: 1_000 }, 't', world.call());
const validate = ({ world, service }: Played) => service.validate(project, world.call());
/** In front of an account of the company's own, where `validate` looks custom ids up. */
const alone = (plays: Plays) => playing(plays, { isOwnAccount: async () => true });

describe('a creation', () => {
  it.each<[string, Play, ProblemType]>([
    ['401', empty(401), 'upstream-unavailable'],
    ['413', empty(413), 'too-large'],
    ['422 that breaks off', breakOff(422), 'upstream-refused'],
    ['500 team-without-translator', problem(500, 'team-without-translator'), 'team-without-translator'],
  ])('that is refused with %s is not looked up, and frees key and custom id', async (_, play, type) => {
    const { world, service, asked } = await playing({ create: play });
    expect((await problemOf(service.create(project, world.once('k')))).name).toBe(type);
    expect(asked()).not.toContain('find');
    expect(await service.operation(operationIdOf('k'), world.call())).toMatchObject({ kind: 'failed' });
    await expect(service.validate(project, world.call())).resolves.toBeUndefined();
    expect(await service.reconcile(() => true)).toEqual(NOTHING_OPEN);
  });

  it.each<readonly [string, Play]>([
    ...UNCERTAIN,
    ...UNREADABLE.map(([what, play]) => [`200: ${what}`, play] as const),
    ['201 that breaks off', breakOff(201)],
    ['202', empty(202)],
    ['409 custom-id-in-use', problem(409, 'custom-id-in-use')],
    ['201 with another project', json(201, answered(checked({ customId: 'b' })))],
  ])('is looked up and not sent again after %s', async (_, play) => {
    const lookup = inTurn(gone, json(200, answered(checked({ customId: 'segue.company.n.a' }))));
    const found = await playing({ create: play, find: lookup });
    expect((await create(found)).id).toBe(1_000);
    expect(found.asked()).toEqual(['create', 'find', 'find']);

    const absent = await playing({ create: play });
    const { name, occurrence } = await problemOf(create(absent));
    expect([name, occurrence.isRunning]).toEqual(['outcome-unknown', undefined]);
    expect(absent.asked().filter((kind) => kind === 'create')).toHaveLength(1);
    const state = absent.service.operation(occurrence.operationId ?? '', absent.world.call());
    expect(await state).toEqual({ kind: 'running' });
  });
});

describe('a read', () => {
  it.each<readonly [string, Play, ProblemType]>([
    ...UNCERTAIN.slice(0, 2).map(([what, play]) => [what, play, 'upstream-unavailable'] as const),
    ...UNREADABLE.map(([what, play]) => [`200: ${what}`, play, 'upstream-invalid'] as const),
    ['200 that breaks off', brokenOff, 'upstream-unavailable'],
    ['204', empty(204), 'upstream-invalid'],
    ['404 of a proxy', notTheService, 'upstream-refused'],
  ])('ends with the problem of the response: %s', async (_, play, type) => {
    const owned = await owning(project, { read: play });
    expect((await problemOf(get(owned))).name).toBe(type);
    expect((await problemOf(getTask(owned))).name).toBe(type);
    expect((await problemOf(validate(await alone({ find: play })))).name).toBe(type);
  });

  it.each([
    ['a project with another custom id', json(200, answered(checked())), 'upstream-invalid'],
    ['the custom id in use', json(200, answered(project)), 'custom-id-in-use'],
  ] as const)('finds %s while it validates', async (_, find, type) => {
    expect((await problemOf(validate(await alone({ find })))).name).toBe(type);
  });
});

it('places and codes of a refusal are passed on in Segue’s words', async () => {
  const content = 'canary-content';
  const errors = [
    { pointer: '/segments/0/content', code: 'too-long', detail: content, allowed: [content] },
    { pointer: `/targetLanguages/0/${content}`, code: 'unknown-field', detail: content },
    { pointer: '/startDateUtc', code: 'start-not-now', detail: content },
    { pointer: '/name', code: content, detail: content },
    content,
  ];
  const { world, service } = await playing({ create: problem(400, 'invalid-project', { errors }) });
  const failure = await problemOf(service.create(project, world.call()));
  expect(failure.name).toBe('upstream-refused');
  expect(failure.occurrence.errors).toEqual([
    { pointer: '/segments/0/content', code: 'too-long', detail: 'The text is longer than the limit.' },
    { pointer: '/targetLanguages/0', code: 'unknown-field', detail: 'The contract has no such field here.' },
    {
      pointer: '/startDateUtc',
      code: 'start-not-now',
      detail: 'The start date differs too much from the time of the service.',
    },
  ]);
});
