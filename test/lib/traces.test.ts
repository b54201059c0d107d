import { describe, expect, it } from 'vitest';
import { logEnded } from '../../lib/background/reconciler.ts';
import type { DomainEvent } from '../../lib/contract/event.ts';
import { storedKeys } from '../../lib/credentials/key-directory.ts';
import { eventDeliveryOpener } from '../../lib/events/deliveries.ts';
import { eventSender, logSent } from '../../lib/events/event-sender.ts';
import { outboxMover } from '../../lib/events/feed-positions.ts';
import { jobWorker, logJob, logTranslated } from '../../lib/hosted/work/job-worker.ts';
import { authorizer } from '../../lib/http/authorizer.ts';
import { createProject } from '../../lib/operations/create-project.ts';
import { receiveWebhook } from '../../lib/operations/receive-webhook.ts';
import { readOutboxRecord } from '../../lib/records/feed-record.ts';
import type { Outgoing } from '../../lib/service/http-client/public-transport.ts';
import type { LogLine } from '../../lib/service/log.ts';
import type { ProjectService } from '../../lib/service/port.ts';
import { readTraceparent } from '../../lib/service/trace.ts';
import { logDelivery } from '../../lib/webhooks/delivery-worker.ts';
import { createProjectTask } from '../../lib/workflow/create-project-task.ts';
import { answered } from '../support/answered.ts';
import { MemoryStorage } from '../support/memory-storage.ts';
import type { JsonObject } from '../support/projects.ts';
import { senderOf } from '../support/senders.ts';
import { authenticationWith, keyTable } from './credentials/world.ts';
import { WorkWorld } from './hosted/work/world.ts';
import { contextOf, eventOf } from './http/fixture.ts';
import { NOW_MS, problemOf, project } from './support.ts';
import { absent, HostedUpstream, lost } from './upstream/world.ts';
import { creation, DeliveryWorld, sourceFor, sourceWorld } from './webhooks/world.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${TRACE}-00f067aa0ba902b7-00`;
const ENOUGH = { remainingMs: () => 60_000 };

/** Returns a log that keeps its lines, and the options of a function with it. */
function keptLines() {
  const lines: LogLine[] = [];
  const log = (line: LogLine) => void lines.push(line);
  return { lines, log, options: { now: () => NOW_MS, log, requireCompany: async () => undefined } };
}

/** Returns the traces of lines, by operation. */
const tracesOf = (lines: readonly LogLine[]) => lines.map(({ operation, traceId }) => [operation, traceId]);

/** Returns the events in the outbox of a store. */
const eventsIn = (store: MemoryStorage): DomainEvent[] =>
  store.all().flatMap(({ sort, data }) => (sort.startsWith('outbox/') ? [readOutboxRecord(data).event] : []));

/** Sends the request of a creation to a service. */
const create = (
  service: ProjectService,
  fields: JsonObject,
  options: ReturnType<typeof keptLines>['options'],
  headers = {},
) =>
  createProject(service, options)(
    eventOf('createProject', { headers, body: JSON.stringify(project(fields)) }),
    contextOf(),
  );

describe('the trace of a request', () => {
  it('is in its line, in those of its job and its events, and in the messages to the receiver', async () => {
    const world = new WorkWorld();
    const { lines, log, options } = keptLines();
    const automatic = { targetLanguageCode: 'de', serviceAutomaticTranslation: true };
    const fields = { targetLanguages: [automatic], eventUrl: 'https://receiver.example.com/hooks' };
    const answer = await create(world.service, fields, options, { Traceparent: traceparent });
    expect(answer).toMatchObject({ statusCode: 201 });
    await jobWorker({ ...world.deps(), onTranslated: logTranslated(log), onAttempt: logJob(log) }).workOnDue(ENOUGH);
    expect(eventsIn(world.storage).map(({ type, traceId }) => [type, traceId])).toEqual(
      expect.arrayContaining([
        ['project.created', TRACE],
        ['language.completed', TRACE],
      ]),
    );
    const deliveries = new MemoryStorage();
    const openDelivery = eventDeliveryOpener(deliveries, world.now);
    await outboxMover({ store: world.storage, now: world.now, openDelivery })('acme', ENOUGH);
    const sent: Outgoing[] = [];
    const sender = eventSender({
      store: deliveries,
      now: world.now,
      random: () => 0,
      secretsOf: async () => ['whsec_bmV3IHNlY3JldCBvZiB0d2VudHktZm91ciBieXRlcw=='],
      send: async (message) => {
        sent.push(message);
        return answered(sent.length === 1 ? 500 : 200);
      },
      onAttempt: logSent(log),
    });
    for (let runs = 0; runs < 5; runs++) {
      await sender.workOnDue(ENOUGH);
      world.nowMs += 60_000;
    }
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ headers }) => readTraceparent(headers['traceparent'])))).toEqual(new Set([TRACE]));
    for (const { body } of sent) expect(body).not.toContain(TRACE);
    expect(tracesOf(lines)).toEqual([
      ['createProject', TRACE],
      ['translated', TRACE],
      ['jobs', TRACE],
      ...sent.map(() => ['sendEvents', TRACE]),
    ]);
  });

  it.each(['nonsense', `${traceparent},${traceparent}`, '00-0-0-01'])(
    'starts here if the header is %s',
    async (header) => {
      const world = new WorkWorld();
      const { lines, options } = keptLines();
      const answer = await create(world.service, {}, options, { traceparent: header });
      expect(answer.statusCode).toBe(201);
      const [created] = eventsIn(world.storage);
      expect(created?.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(tracesOf(lines)).toEqual([['createProject', created?.traceId]]);
    },
  );

  it('is in the line of the authorizer', async () => {
    const { lines, log } = keptLines();
    const check = authorizer(authenticationWith(storedKeys(keyTable([]).table)), {
      recordUse: async () => {},
      log,
    });
    const methodArn = 'arn:aws:execute-api:eu-central-1:123456789012:api/v1/GET/segments/projects';
    const event = { methodArn, requestContext: { extendedRequestId: 'request-1' } };
    await check({ ...event, headers: { TraceParent: traceparent } }, contextOf()).catch(() => {});
    expect(tracesOf(lines)).toEqual([['authorizer', TRACE]]);
  });
});

it('the trace of a webhook message is in the line of its delivery, also of a later attempt, and in its events', async () => {
  const world = new DeliveryWorld();
  const { lines, log, options } = keptLines();
  const sender = senderOf('standard-webhooks, v1');
  const { sources, directory, secretsOf } = sourceWorld();
  await sources.add(sourceFor(sender), sender.secret);
  const body = JSON.stringify(creation());
  const deps = { sources: directory, secretsOf, requireCompany: async () => undefined, inbox: world.inbox };
  const headers = { ...sender.sign({ id: 'one', body, atMs: NOW_MS }), traceparent };
  const event = eventOf('receiveWebhook', { segment: 'cms', authorizer: null, headers, body });
  expect(await receiveWebhook(deps, options)(event, contextOf())).toMatchObject({ statusCode: 202 });
  const broken = { findSource: () => Promise.reject(new Error('No.')) };
  await world.run({ ...broken, onAttempt: logDelivery(log) });
  world.nowMs += 600_000;
  await world.run({ onAttempt: logDelivery(log) });
  expect(tracesOf(lines)).toEqual([
    ['receiveWebhook', TRACE],
    ['deliveries', TRACE],
    ['deliveries', TRACE],
  ]);
  expect(eventsIn(world.storage)).toMatchObject([{ type: 'project.created', traceId: TRACE }]);
});

it('the trace of a workflow is that of its execution, for each task and each retry', async () => {
  const world = new WorkWorld();
  const { lines, options } = keptLines();
  const id = 'arn:aws:states:eu-central-1:123456789012:execution:Machine:4bf92f35-77b3-4da6-a3ce-929d0e0e4736';
  const task = createProjectTask(world.service, { ...options, readObject: () => Promise.reject(new Error('No.')) });
  const input = { companyId: 'acme', project: project(), execution: { id, state: 'Create' } };
  await task(input, contextOf());
  await task(input, contextOf());
  await task({ ...input, execution: { id, state: 'CreateAnother' } }, contextOf());
  expect(tracesOf(lines)).toEqual(Array(3).fill(['createProjectTask', TRACE]));
  expect(eventsIn(world.storage).map(({ traceId }) => traceId)).toEqual([TRACE, TRACE]);
});

it('the trace of a request goes to the upstream service, and to the reconciler that finishes it', async () => {
  const upstream = new HostedUpstream();
  const { world } = upstream;
  const { lines, log } = keptLines();
  const headers: Readonly<Record<string, string>>[] = [];
  const segue = world.service((request) => {
    headers.push(request.headers);
    return upstream.transport(request);
  });
  upstream.next('create', lost);
  upstream.next('find', absent);
  const call = world.hurried('k', { requestId: 'request-7', traceId: TRACE });
  expect(await problemOf(segue.create(world.checked({ customId: 'c' }), call))).toMatchObject({
    name: 'outcome-unknown',
  });
  expect(await segue.reconcile(() => true, logEnded(log))).toMatchObject({ settled: 1 });
  const line = { operation: 'reconciler', requestId: 'request-7', traceId: TRACE, companyId: 'company', durationMs: 0 };
  expect(lines).toEqual([{ ...line, settled: 1 }]);
  expect(new Set(headers.map((each) => each['x-request-id']))).toEqual(new Set(['request-7']));
  expect(new Set(headers.map((each) => readTraceparent(each['traceparent'])))).toEqual(new Set([TRACE]));
  expect(eventsIn(world.storage)).toMatchObject([{ type: 'project.created', traceId: TRACE }]);
});
