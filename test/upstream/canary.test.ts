import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { ProjectService } from '../../lib/service/port.ts';
import { segment } from '../support/projects.ts';
import { json, type Play, playService, problem, type Received, text } from './server.ts';
import { ACCOUNT, answered, call, checked, problemOf, serviceAt } from './world.ts';

const CONTENT = 'canary-content';
const TASK = 'canary-task';
const project = checked({ customId: 'c', segments: [segment({ content: CONTENT, taskId: TASK })] });
const found = json(200, answered(project));

/** Everything a service may know that is nobody else's: what it was sent, whole and in every form. */
function everything({ headers, body }: Received): string {
  const { authorization = '' } = headers;
  const decoded = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
  return `${authorization} ${decoded} ${ACCOUNT.apiKey} ${body} ${CONTENT} ${TASK}`;
}

const told = (request: Received) => everything(request).replace(/[\r\n]/g, ' ');

/** Services that put what they know into every place that may be quoted. */
const INDISCREET: readonly (readonly [where: string, play: (status: number) => Play])[] = [
  ['a page', (status) => (request, response) => text(status, `<pre>${told(request)}</pre>`)(request, response)],
  [
    'every member of a problem',
    (status) => (request, response) => {
      const leak = told(request);
      const fault = { pointer: `/segments/0/${leak}`, code: 'too-long', detail: leak, allowed: [leak] };
      const strange = { pointer: '/name', code: leak, detail: leak };
      const fields = { title: leak, detail: leak, instance: leak, errors: [fault, strange, leak] };
      problem(status, status === 400 ? 'invalid-project' : leak, fields)(request, response);
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

const WORK: readonly (readonly [what: string, work: (service: ProjectService) => Promise<unknown>, before: Play[]])[] =
  [
    ['create', (service) => service.create(project, call), []],
    ['get', (service) => service.get({ id: 1_000 }, TASK, call), []],
    ['list', (service) => service.list({ limit: 50 }, call), []],
    ['delete', (service) => service.delete({ id: 1_000 }, { kind: 'task', taskId: TASK }, call), [found]],
  ];

const CASES = WORK.flatMap(([what, work, before]) =>
  INDISCREET.flatMap(([where, play]) =>
    [200, 400, 401, 404, 429, 500, 502].map((status) => ({ what, work, before, where, status, play: play(status) })),
  ),
);

test.each(CASES)(
  '$what, $status with the secrets in $where: none is in the problem',
  async ({ work, before, play }) => {
    const { url } = await playService(...before, play);
    const failure = await problemOf(work(serviceAt(url)));
    const seen = inspect(failure, { depth: 20, showHidden: true, maxStringLength: null, maxArrayLength: null });
    for (const secret of [ACCOUNT.apiKey, Buffer.from(ACCOUNT.apiKey).toString('base64').slice(0, 12), CONTENT, TASK]) {
      expect(seen).not.toContain(secret);
    }
  },
);

test('where a service says what is wrong, places and codes are passed on in our own words', async () => {
  const errors = [
    { pointer: '/segments/0/content', code: 'too-long', detail: CONTENT, allowed: [CONTENT] },
    { pointer: `/targetLanguages/0/${CONTENT}`, code: 'unknown-field', detail: CONTENT },
    { pointer: '/startDateUtc', code: 'start-not-now', detail: CONTENT },
    { pointer: '/name', code: CONTENT, detail: CONTENT },
    CONTENT,
  ];
  const { url } = await playService(problem(400, 'invalid-project', { errors }));
  const failure = await problemOf(serviceAt(url).create(project, call));
  expect(failure.name).toBe('upstream-refused');
  expect(failure.occurrence.errors).toEqual([
    { pointer: '/segments/0/content', code: 'too-long', detail: 'The text is longer than the limit.' },
    { pointer: '/targetLanguages/0', code: 'unknown-field', detail: 'The contract has no such field here.' },
    {
      pointer: '/startDateUtc',
      code: 'start-not-now',
      detail: 'The start date is too far from the time of the service.',
    },
  ]);
});
