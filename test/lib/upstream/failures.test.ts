import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { PROBLEMS, type ProblemType } from '../../../lib/contract/problems.ts';
import type { TransportResponse } from '../../../lib/service/http-client/exchange.ts';
import { problemFrom } from '../../../lib/upstream/failures.ts';
import { CREATE, DELETE, LIST, READ } from '../../../lib/upstream/requests.ts';
import { failedResponse } from '../../../lib/upstream/upstream-answer.ts';
import { problemOf } from '../support.ts';
import {
  absent,
  answers,
  breaksOff,
  changed,
  checked,
  every,
  type Fate,
  HostedUpstream,
  NOTHING_OPEN,
  old,
  proxied,
  refuses,
  response,
  swallowed,
} from './world.ts';

const project = checked({ customId: 'a', taskId: 't' });
const refusalProblem = (...response: Parameters<typeof failedResponse>) => problemFrom(failedResponse(...response));
const OPERATIONS = [CREATE, DELETE, READ, LIST];
const JSON_TYPE = { 'content-type': 'application/json' };
const PROBLEM_TYPE = { 'content-type': 'application/problem+json' };
const typed = (type: string) => ({ 'content-type': type });

/** Returns a response without success. A text is its body; an object is sent as JSON. */
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

/** Responses that leave open whether something was done. */
const UNCERTAIN: readonly (readonly [string, Fate])[] = [
  ['502', answers(502)],
  ['a reset', swallowed],
  ['302', answers(302)],
];
const deep = `{"id":1000,"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
/** Successes without a usable project. */
const UNREADABLE: readonly (readonly [string, TransportResponse['body']])[] = [
  ['empty', Buffer.from('')],
  ['HTML', Buffer.from('<html></html>')],
  ['a project without a usable id', Buffer.from('{"id":"project-1","customId":"segue.company.n.a"}')],
  ['JSON nested too deeply', Buffer.from(deep)],
  ['an id above 2^53', Buffer.from('{"id":9007199254740993}')],
  ['invalid UTF-8', Buffer.from('{"name":"\xff"}', 'latin1')],
  ['an unusable content coding', 'unusable'],
];
const unreadable = UNREADABLE.map(([what, body]) => [`200: ${what}`, async () => response(200, body)] as const);
const isOwnAccount = async () => true;

describe('a creation', () => {
  /** Sends a creation that gets a fate. */
  function creating(fate: Fate) {
    const upstream = new HostedUpstream();
    const segue = upstream.segue();
    upstream.next('create', fate);
    return { upstream, segue, create: () => segue.create(project, upstream.world.once('k')) };
  }

  it.each<[string, Fate, ProblemType]>([
    ['401', answers(401), 'upstream-unavailable'],
    ['413', answers(413), 'too-large'],
    ['422 that breaks off', breaksOff(422), 'upstream-refused'],
    ['500 team-without-translator', refuses(500, 'team-without-translator'), 'team-without-translator'],
  ])('that is refused with %s is not looked up, and frees key and custom id', async (_, fate, type) => {
    const { upstream, segue, create } = creating(fate);
    expect((await problemOf(create())).name).toBe(type);
    expect(upstream.asked).toEqual(['create']);
    expect(await upstream.state()).toMatchObject({ kind: 'failed' });
    await expect(segue.validate(project, upstream.world.call())).resolves.toBeUndefined();
    expect(await segue.reconcile(() => true)).toEqual(NOTHING_OPEN);
  });

  it.each<readonly [string, Fate]>([
    ...UNCERTAIN,
    ...unreadable,
    ['201 that breaks off', breaksOff(201)],
    ['202', answers(202)],
    ['409 custom-id-in-use', refuses(409, 'custom-id-in-use')],
    ['201 with another project', changed((shown) => ({ ...shown, customId: 'b' }))],
  ])('is looked up and not sent again after %s', async (_, fate) => {
    const found = creating(async (reach) => {
      const answer = await reach();
      return fate(async () => answer);
    });
    found.upstream.next('find', absent);
    expect((await found.create()).id).toBe((await found.upstream.heads())[0]?.id);
    expect(found.upstream.asked).toEqual(['create', 'find', 'find']);

    const { upstream, create } = creating(fate);
    upstream.way = every(absent);
    const { name, occurrence } = await problemOf(create());
    expect([name, occurrence.isRunning]).toEqual(['outcome-unknown', undefined]);
    expect(upstream.asked.filter((kind) => kind === 'create')).toHaveLength(1);
    expect(await upstream.state()).toEqual({ kind: 'running' });
  });
});

describe('a read', () => {
  it.each<readonly [string, Fate, ProblemType]>([
    ...UNCERTAIN.slice(0, 2).map(([what, fate]) => [what, fate, 'upstream-unavailable'] as const),
    ...unreadable.map(([what, fate]) => [what, fate, 'upstream-invalid'] as const),
    ['200 that breaks off', breaksOff(200), 'upstream-unavailable'],
    ['204', answers(204), 'upstream-invalid'],
    ['404 of a proxy', proxied, 'upstream-refused'],
  ])('ends with the problem of the response: %s', async (_, fate, type) => {
    const { upstream, world, segue, id } = await old();
    upstream.way = every(fate);
    for (const taskId of [undefined, 't']) {
      expect((await problemOf(segue.get({ id }, taskId, world.call()))).name).toBe(type);
    }
    expect(
      (await problemOf(upstream.segue({ isOwnAccount }).validate(checked({ customId: 'b' }), world.call()))).name,
    ).toBe(type);
  });

  it.each([
    ['a project with another custom id', { customId: 'b' }, 'upstream-invalid'],
    ['the custom id in use', {}, 'custom-id-in-use'],
  ] as const)('finds %s while it validates', async (_, fields, type) => {
    const upstream = new HostedUpstream();
    upstream.shown = (shown) => ({ ...shown, ...fields });
    await upstream.service.create(project, upstream.account());
    const validation = upstream.segue({ isOwnAccount }).validate(project, upstream.world.call());
    expect((await problemOf(validation)).name).toBe(type);
  });
});

it('pointers and codes of a refusal are passed on, with Segue’s own texts', async () => {
  const content = 'canary-content';
  const errors = [
    { pointer: '/segments/0/content', code: 'too-long', detail: content, allowed: [content] },
    { pointer: `/targetLanguages/0/${content}`, code: 'unknown-field', detail: content },
    { pointer: '/startDateUtc', code: 'start-not-now', detail: content },
    { pointer: '/name', code: content, detail: content },
    content,
  ];
  const upstream = new HostedUpstream();
  upstream.next('create', refuses(400, 'invalid-project', { errors }));
  const failure = await problemOf(upstream.segue().create(project, upstream.world.call()));
  expect(failure.name).toBe('upstream-refused');
  expect(failure.occurrence.errors).toEqual([
    { pointer: '/segments/0/content', code: 'too-long', detail: 'The text is longer than the limit.' },
    { pointer: '/targetLanguages/0', code: 'unknown-field', detail: 'The contract has no such field here.' },
    {
      pointer: '/startDateUtc',
      code: 'start-not-now',
      detail:
        'The start date is too far before or after the current time. Segue allows 5 minutes by its own clock, unless the operator changed the limit. An upstream service has its own clock and limit.',
    },
  ]);
});
