import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { segment } from '../../support/projects.ts';
import { inTurn, json, type Play, problem, type Received, text } from './server.ts';
import { ACCOUNT, answered, checked, owning, type Played, type Plays, playing, problemOf } from './world.ts';

const CONTENT = 'canary-content';
const TASK = 'canary-task';
const CUSTOM_ID = 'canary-custom-id';
const fields = { customId: CUSTOM_ID, segments: [segment({ content: CONTENT, taskId: TASK })] };
const project = checked(fields);
const found = json(200, answered(project));

/** Everything confidential that a service may know, in every form. */
function everything({ headers, url, body }: Received): string {
  const { authorization = '' } = headers;
  const decoded = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
  return `${authorization} ${decoded} ${ACCOUNT.apiKey} ${url} ${body} ${CONTENT} ${TASK} ${CUSTOM_ID}`;
}

const told = (request: Received) => everything(request).replace(/[\r\n]/g, ' ');

/** Services that put it into every place that Segue might quote. */
const INDISCREET: readonly (readonly [where: string, play: (status: number) => Play])[] = [
  ['a page', (status) => (request, response) => text(status, `<pre>${told(request)}</pre>`)(request, response)],
  [
    'every member of a problem',
    (status) => (request, response) => {
      const leak = told(request);
      const fault = { pointer: `/segments/0/${leak}`, code: 'too-long', detail: leak, allowed: [leak] };
      const strange = { pointer: '/name', code: leak, detail: leak };
      const members = { title: leak, detail: leak, instance: leak, errors: [fault, strange, leak] };
      problem(status, status === 400 ? 'invalid-project' : leak, members)(request, response);
    },
  ],
  [
    'headers',
    (status) => (request, response) => {
      const leak = encodeURIComponent(told(request)) + ACCOUNT.apiKey;
      json(
        status,
        {},
        { 'retry-after': leak, location: leak, link: `<${leak}>; rel="next"`, 'x-a': leak },
      )(request, response);
    },
  ],
  ['something that is not HTTP', () => (request, response) => void response.socket?.end(`${told(request)}\r\n\r\n`)],
];

interface Work {
  readonly what: string;
  /** The requests that the service answers so. */
  readonly plays: (play: Play) => Plays;
  readonly work: (played: Played) => Promise<unknown>;
}

const WORK: readonly Work[] = [
  {
    what: 'create',
    plays: (play) => ({
      create: inTurn(json(201, answered(checked({ customId: 'segue.company.n.first' }))), play),
      find: play,
    }),
    work: ({ world, service }) => service.create(world.checked(fields), world.call()),
  },
  {
    what: 'get',
    plays: (read) => ({ read }),
    work: ({ world, service }) => service.get({ id: 1_000 }, TASK, world.call()),
  },
  {
    what: 'delete',
    plays: (remove) => ({ read: found, remove }),
    work: ({ world, service }) => service.delete({ id: 1_000 }, { kind: 'task', taskId: TASK }, world.call()),
  },
  {
    what: 'delete, read afterwards',
    plays: (read) => ({ read: inTurn(found, read), remove: text(502, '') }),
    work: ({ world, service }) => service.delete({ id: 1_000 }, { kind: 'task', taskId: TASK }, world.call()),
  },
];

const CASES = WORK.flatMap(({ what, plays, work }) =>
  INDISCREET.flatMap(([where, play]) =>
    [200, 400, 401, 404, 409, 429, 500, 502].map((status) => ({
      what,
      where,
      status,
      plays: plays(play(status)),
      work,
    })),
  ),
);

it.each(CASES)(
  'no secret of a $status with $where reaches the problem or the ledger: $what',
  async ({ plays, work }) => {
    const played = await owning(checked({ customId: 'first' }), plays);
    const end = await work(played).catch((problem: unknown) => problem);
    const seen = inspect(end, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null });
    const { storage } = played.world;
    const kept = JSON.stringify(storage.all());
    expect(kept).toContain('segue.company.n.first');
    for (const secret of [ACCOUNT.apiKey, Buffer.from(ACCOUNT.apiKey).toString('base64').slice(0, 12), CONTENT]) {
      expect(seen).not.toContain(secret);
      expect(kept).not.toContain(secret);
    }
    // A receipt names what was to be deleted, a problem does not.
    const names = end instanceof Problem ? [TASK, CUSTOM_ID] : [CUSTOM_ID];
    for (const name of names) expect(seen).not.toContain(name);
  },
);
it('places and codes of a refusal are passed on in Segue’s words', async () => {
  const errors = [
    { pointer: '/segments/0/content', code: 'too-long', detail: CONTENT, allowed: [CONTENT] },
    { pointer: `/targetLanguages/0/${CONTENT}`, code: 'unknown-field', detail: CONTENT },
    { pointer: '/startDateUtc', code: 'start-not-now', detail: CONTENT },
    { pointer: '/name', code: CONTENT, detail: CONTENT },
    CONTENT,
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
