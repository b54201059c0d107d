import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { AttemptResult } from '../../../lib/deliveries/due-worker.ts';
import {
  EVENT_DELIVERIES,
  eventDeliveryKey,
  eventDeliveryOpener,
  failedEventsIn,
  refOf,
} from '../../../lib/events/deliveries.ts';
import { type EventSenderDeps, eventSender, logSent, sendHandler } from '../../../lib/events/event-sender.ts';
import type { EventToSend } from '../../../lib/events/feed-positions.ts';
import type { Outgoing, Sent } from '../../../lib/service/http-client/public-transport.ts';
import type { LogLine } from '../../../lib/service/log.ts';
import { eachItem } from '../../../lib/storage/port.ts';
import { FEWER_WAYS, faulty, storeFailure } from '../../faults/faulty.ts';
import { answered } from '../../support/answered.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { TestClock } from '../../support/world.ts';
import { DONE, streamOf } from '../background/stream.ts';
import { contextOf, keptLog } from '../http/fixture.ts';
import { NOW_MS } from '../support.ts';
import { itemsThrough, unavailable } from '../webhooks/world.ts';
import { localTransport, startReceiver } from './receiver.ts';

const LEASE_MS = EVENT_DELIVERIES.leaseMs;
const OPEN_MS = EVENT_DELIVERIES.retry.openMs;
const SECRETS = ['bmV3IHNlY3JldCBvZiB0d2VudHktZm91ciBieXRlcw==', 'b2xkIHNlY3JldCBvZiB0d2VudHktZm91ciBieXRlcw=='].map(
  (secret) => `whsec_${secret}`,
);
const OK = answered(200);
const DOWN: Sent = { kind: 'no-answer', code: 'ECONNREFUSED' };

/** Deliveries of events, a clock, and a transport that keeps what it sent. */
class SenderWorld extends TestClock {
  readonly store = new MemoryStorage();
  readonly failed = failedEventsIn(this.store, this.now);
  readonly sent: Outgoing[] = [];
  readonly failures: AttemptResult[] = [];
  secrets: readonly string[] = SECRETS;
  /** The end of sending a message. */
  answer: (message: Outgoing) => Sent | Promise<Sent> = () => OK;

  event(projectId: number, sequence: number, host = 'one.example'): EventToSend {
    const id = `event-${projectId}-${sequence}`;
    const timestamp = '2026-11-20T09:30:00.000Z';
    const event = { id, type: 'project.created', timestamp, sequence, data: { projectId } } as const;
    return { companyId: 'acme', eventUrl: `https://${host}/hooks`, event };
  }

  async open(...events: readonly EventToSend[]): Promise<void> {
    for (const event of events) await eventDeliveryOpener(this.store, this.now)(event);
  }

  sender(options: Partial<EventSenderDeps> = {}) {
    return eventSender({
      store: this.store,
      secretsOf: async () => this.secrets,
      send: async (message) => {
        this.sent.push(message);
        return this.answer(message);
      },
      now: this.now,
      random: () => 0,
      onAttempt: (_, { durationMs: _ms, ...attempt }) =>
        void (attempt.error !== undefined && this.failures.push(attempt)),
      ...options,
    });
  }

  run(options: Partial<EventSenderDeps> = {}) {
    return this.sender(options).workOnDue(this.deadline());
  }

  /** The ids of the sent events, in order. */
  ids(): string[] {
    return this.sent.map(({ body }) => String(JSON.parse(body ?? '').id));
  }

  list() {
    return Array.fromAsync(this.failed.list());
  }
}

describe('the sender of events', () => {
  it('signs each event with every live secret, so that standardwebhooks verifies it', async () => {
    const world = new SenderWorld();
    const receiver = await startReceiver();
    world.nowMs = Date.now();
    const toSend = { ...world.event(7, 1), eventUrl: receiver.url };
    await world.open(toSend);
    expect(await world.run({ send: localTransport() })).toMatchObject({ done: 1 });
    const [message] = receiver.received;
    if (!message) throw new Error('Nothing was received');
    const { headers, body } = message;
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
    for (const secret of SECRETS) expect(new Webhook(secret).verify(body, signed)).toEqual(toSend.event);
    expect(() => new Webhook(`${SECRETS[0]?.slice(0, -4)}AAA=`).verify(body, signed)).toThrow();
    expect(headers['webhook-id']).toBe(toSend.event.id);
  });

  it('keeps nothing of a delivery that succeeded', async () => {
    const world = new SenderWorld();
    await world.open(world.event(7, 1));
    await world.run();
    expect(world.store.all()).toEqual([]);
  });

  it('sends the events of a project in order, also after the receiver was down', async () => {
    const world = new SenderWorld();
    world.answer = () => DOWN;
    await world.open(...[1, 2, 3].map((n) => world.event(7, n)));
    await world.run();
    world.nowMs += 2_000;
    await world.run();
    expect(world.ids()).toEqual(['event-7-1']);
    world.answer = () => OK;
    for (let n = 0; n < 4; n++) {
      world.nowMs += 5_000;
      await world.run();
    }
    expect(world.ids()).toEqual(['event-7-1', 'event-7-1', 'event-7-2', 'event-7-3']);
    expect(world.store.all()).toEqual([]);
  });

  it('sends later events of a project if the receiver refuses only an earlier one', async () => {
    const world = new SenderWorld();
    world.answer = ({ body }) => (JSON.parse(body ?? '').sequence === 1 ? answered(400) : OK);
    await world.open(world.event(7, 1), world.event(7, 2));
    await world.run();
    world.nowMs += 1_000;
    await world.run();
    expect(world.ids()).toEqual(['event-7-1', 'event-7-2']);
  });

  it('sends one event of a project at a time, and several of a receiver', async () => {
    const world = new SenderWorld();
    let running = 0;
    let most = 0;
    const projects = new Set<number>();
    world.answer = async ({ body }) => {
      const { projectId } = JSON.parse(body ?? '').data;
      expect(projects.has(projectId)).toBe(false);
      projects.add(projectId);
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      projects.delete(projectId);
      return OK;
    };
    await world.open(...[1, 2, 3].flatMap((n) => [5, 6, 7, 8, 9].map((project) => world.event(project, n))));
    expect(await world.run()).toMatchObject({ done: 15, left: 0 });
    expect(most).toBe(4);
    for (const project of [5, 6, 7, 8, 9])
      expect(world.ids().filter((id) => id.startsWith(`event-${project}-`))).toEqual(
        [1, 2, 3].map((n) => `event-${project}-${n}`),
      );
  });

  it('delays no receiver because of one that never answers', async () => {
    const world = new SenderWorld();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let good = 0;
    world.answer = async ({ url }) => {
      if (url.includes('one')) await held;
      else if (++good === 20) release();
      return OK;
    };
    for (let n = 1; n <= 20; n++) await world.open(world.event(n, 1), world.event(n + 100, 1, 'two.example'));
    expect(await world.run()).toMatchObject({ done: 40 });
  });

  it('retries with growing pauses, and gives up after three days', async () => {
    const world = new SenderWorld();
    world.answer = () => answered(503);
    await world.open(world.event(7, 1));
    const pauses: number[] = [];
    for (let last = world.nowMs; ; last = world.nowMs) {
      expect(await world.run()).toMatchObject({ postponed: 1 });
      const [state] = world.store
        .all()
        .flatMap(({ partition, data }) => (partition.startsWith('event-del') ? [data] : []));
      world.nowMs = JSON.parse(JSON.stringify(state)).dueMs;
      pauses.push(world.nowMs - last);
      if (world.nowMs - NOW_MS >= OPEN_MS) break;
    }
    expect(pauses.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000]);
    expect(Math.max(...pauses)).toBe(14_400_000);
    expect(await world.run()).toMatchObject({ dead: 1, letters: 1 });
    expect(await world.list()).toMatchObject([
      { attempts: pauses.length + 1, failure: { reason: 'status', status: 503 }, endedAtMs: NOW_MS + OPEN_MS },
    ]);
    world.nowMs += 30 * 86_400_000;
    expect(await world.list()).toEqual([]);
  });

  it.each([
    ['60', 65_000],
    ['Fri, 20 Nov 2026 09:31:00 GMT', 65_000],
    ['999999', 3_605_000],
    ['soon', 5_000],
  ])('waits as long as Retry-After says, within bounds: %s', async (retryAfter, pauseMs) => {
    const world = new SenderWorld();
    world.answer = () => answered(429, retryAfter);
    await world.open(world.event(7, 1));
    await world.run();
    world.nowMs += pauseMs - 1;
    await world.run();
    expect(world.sent).toHaveLength(1);
    world.nowMs += 1;
    await world.run();
    expect(world.sent).toHaveLength(2);
  });

  it('stops at 410, and sends the event again after a resend', async () => {
    const world = new SenderWorld();
    world.answer = () => answered(410);
    await world.open(world.event(7, 1));
    expect(await world.run()).toMatchObject({ dead: 1, letters: 1 });
    const [failed] = await world.list();
    expect(failed).toMatchObject({ companyId: 'acme', failure: { reason: 'status', status: 410 }, attempts: 1 });
    expect(await Array.fromAsync(world.failed.list('other'))).toEqual([]);
    world.answer = () => OK;
    if (!failed) throw new Error('There is no failed delivery');
    expect(await world.failed.resend(failed)).toBe(true);
    expect(await world.failed.resend(failed)).toBe(false);
    expect(await world.run()).toMatchObject({ done: 1, letters: 0 });
    expect(world.store.all()).toEqual([]);
  });

  it('waits for a secret of the company', async () => {
    const world = new SenderWorld();
    world.secrets = [];
    await world.open(world.event(7, 1));
    expect(await world.run()).toMatchObject({ postponed: 1 });
    expect(world.failures).toMatchObject([{ error: { code: 'no-secret' } }]);
    world.secrets = SECRETS;
    world.nowMs += 5_000;
    expect(await world.run()).toMatchObject({ done: 1 });
  });

  it('leaves a delivery as it was if the secrets cannot be read', async () => {
    const world = new SenderWorld();
    await world.open(world.event(7, 1));
    const before = world.store.all();
    expect(await world.run({ secretsOf: () => Promise.reject(unavailable()) })).toMatchObject({ left: 1 });
    expect(world.store.all()).toEqual(before);
  });

  it('opens a delivery once, and sends it once while another process has it', async () => {
    const world = new SenderWorld();
    await world.open(world.event(7, 1), world.event(7, 1));
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    world.answer = async () => {
      await held;
      return OK;
    };
    const first = world.run();
    for (let n = 0; world.sent.length === 0 && n < 1_000; n++) await new Promise(setImmediate);
    world.nowMs += LEASE_MS - 1;
    expect(await world.run()).toMatchObject({ done: 0 });
    release();
    expect(await first).toMatchObject({ done: 1 });
    expect(world.sent).toHaveLength(1);
  });

  it('loses no event wherever its process is killed', async () => {
    for (const way of FEWER_WAYS) {
      for (let at = 1, calls = at; at <= calls; at++) {
        const world = new SenderWorld();
        world.answer = () => (world.sent.length === 1 ? DOWN : OK);
        await world.open(world.event(7, 1), world.event(7, 2));
        const broken = faulty((call) => (call === at ? way : undefined), storeFailure);
        const store = itemsThrough(world.store, broken.through);
        await Promise.race([world.run({ store }).catch(() => {}), broken.stopped]);
        calls = Math.max(calls, broken.calls());
        for (let n = 0; n < 6; n++) {
          world.nowMs += LEASE_MS;
          await world.run();
        }
        expect(new Set(world.ids())).toEqual(new Set(['event-7-1', 'event-7-2']));
        expect(world.store.all()).toEqual([]);
      }
    }
  });
});

describe('the handler', () => {
  it('sends the events in the event of a stream, and all due events for a schedule', async () => {
    const world = new SenderWorld();
    await world.open(world.event(7, 1), world.event(8, 1));
    const { lines, options } = keptLog();
    const handler = sendHandler(world.sender(), options);
    const key = eventDeliveryKey(refOf(world.event(7, 1)));
    expect(await handler(streamOf([key, { partition: 'open-events/3', sort: 'x' }]), contextOf())).toEqual(DONE);
    expect(world.ids()).toEqual(['event-7-1']);
    await handler({ source: 'aws.events' }, contextOf());
    expect(world.ids()).toEqual(['event-7-1', 'event-8-1']);
    expect(lines).toMatchObject([{ operation: 'sendEvents' }, { operation: 'sendEvents', done: 1, left: 0 }]);
  });

  it('logs a failed attempt without the URL', async () => {
    const world = new SenderWorld();
    world.answer = () => answered(500);
    await world.open(world.event(7, 1, 'canary.example'));
    const lines: LogLine[] = [];
    await world.run({ onAttempt: logSent((line) => lines.push(line)) });
    expect(lines).toMatchObject([
      { operation: 'sendEvents', companyId: 'acme', cause: { name: 'EventNotSent', code: 'status-500' } },
    ]);
    expect(JSON.stringify(lines)).not.toContain('canary');
  });
});

it('no key of a delivery has its URL', async () => {
  const world = new SenderWorld();
  world.answer = () => answered(404);
  await world.open(world.event(7, 1, 'canary.example'));
  await world.run();
  expect(
    world.store
      .all()
      .map(({ partition, sort }) => partition + sort)
      .join(),
  ).not.toContain('canary');
  expect(await Array.fromAsync(eachItem(world.store, 'failed-events', ''))).toEqual([]);
});
