import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { receiveWebhook } from '../../../lib/operations/receive-webhook.ts';
import type { LogLine } from '../../../lib/service/log.ts';
import { traceFrom } from '../../../lib/service/trace.ts';
import { schemeOf } from '../../../lib/signatures/schemes.ts';
import type { Delivery } from '../../../lib/webhooks/delivery-records.ts';
import { identify } from '../../../lib/webhooks/identify.ts';
import { type Inbox, inboxOn } from '../../../lib/webhooks/inbox.ts';
import type { ReceiveDeps } from '../../../lib/webhooks/receive.ts';
import type { NewSource } from '../../../lib/webhooks/source-admin.ts';
import { sourcesIn } from '../../../lib/webhooks/sources.ts';
import { SENDERS, senderOf } from '../../support/senders.ts';
import { contextOf, type EventOptions, eventOf, readAnswer } from '../http/fixture.ts';
import { NOW_MS } from '../support.ts';
import { sourceFor, sourceWorld } from './world.ts';

const MESSAGE = { body: '{"canary":"CANARY body"}', atMs: NOW_MS, id: 'msg_1' };

/** Returns the webhook door for a sender, with its log lines and the accepted deliveries. */
async function doorFor(sender = senderOf('standard-webhooks, v1'), settings: Partial<NewSource> = {}) {
  const world = sourceWorld();
  await world.sources.add({ ...sourceFor(sender), ...settings }, sender.secret);
  const taken: Delivery[] = [];
  const lines: LogLine[] = [];
  const stored = inboxOn(world.store, world.clock);
  const inbox: Inbox = {
    accept: (delivery) => {
      taken.push(delivery);
      return stored.accept(delivery);
    },
    acceptUnlessRecent: (delivery, recent) => {
      taken.push(delivery);
      return stored.acceptUnlessRecent(delivery, recent);
    },
  };
  const requireCompany = async () => undefined;
  const receiving: ReceiveDeps = { sources: world.directory, secretsOf: world.secretsOf, requireCompany, inbox };
  const options = { now: () => world.clock.nowMs, log: (line: LogLine) => lines.push(line) };
  const ask = async (event: EventOptions, by = receiving) =>
    readAnswer(
      await receiveWebhook(by, options)(
        eventOf('receiveWebhook', { segment: 'cms', authorizer: null, ...event }),
        contextOf(),
      ),
    );
  return { ...world, sender, taken, lines, ask, receiving };
}

describe.each(SENDERS)('a message of $name', (sender) => {
  it('is accepted with its bytes and its headers, without the signature', async () => {
    const { ask, taken } = await doorFor(sender);
    const headers = { ...sender.sign(MESSAGE), 'X-Topic': 'products/update', 'x-odd': ['a', 'b'] };
    const { status, json } = await ask({ body: MESSAGE.body, headers });
    const [delivery] = taken;
    expect([status, json]).toEqual([202, { deliveryId: delivery?.id }]);
    expect(delivery).toMatchObject({ source: 'cms', companyId: 'acme', receivedAtMs: NOW_MS });
    expect(Buffer.from(delivery?.body ?? []).toString()).toBe(MESSAGE.body);
    expect(delivery?.headers).toMatchObject({ 'x-topic': 'products/update', 'x-odd': 'a,b' });
    expect(Object.keys(delivery?.headers ?? {}).filter((name) => /signature|hmac/.test(name))).toEqual([]);
  });

  it('is recognised when its sender retries later, with other headers that are not signed', async () => {
    const { ask, taken, clock } = await doorFor(sender);
    const first = await ask({ body: MESSAGE.body, headers: { ...sender.sign(MESSAGE), 'x-github-delivery': '1' } });
    clock.nowMs += 60_000;
    const { identifiedBy } = schemeOf(sender.settings);
    const atMs = identifiedBy === 'body-and-time' ? NOW_MS : clock.nowMs;
    const again = {
      ...sender.sign({ ...MESSAGE, atMs }),
      'x-github-delivery': '2',
      'x-shopify-webhook-id': '3',
    };
    const second = await ask({ body: MESSAGE.body, headers: again });
    expect(second).toMatchObject({ status: 202, json: { ...Object(first.json), repeated: true } });
    expect(taken).toHaveLength(2);
  });
});

describe('a refused message', () => {
  it('has the same answer for every fault of its signature, and is not stored', async () => {
    const { ask, taken, sender } = await doorFor();
    const headers = sender.sign(MESSAGE);
    const wrong = [
      await ask({ body: `${MESSAGE.body} `, headers }),
      await ask({ body: MESSAGE.body }),
      await ask({ body: MESSAGE.body, headers: { ...headers, 'webhook-id': ['msg_1', 'msg_1'] } }),
      await ask({
        body: MESSAGE.body,
        headers: { ...headers, 'Webhook-Signature': headers['webhook-signature'] ?? '' },
      }),
      await ask({ body: MESSAGE.body, headers: sender.sign({ ...MESSAGE, atMs: NOW_MS - 360_000 }) }),
      await ask({ body: MESSAGE.body, headers: sender.sign({ ...MESSAGE, atMs: NOW_MS + 360_000 }) }),
      await ask({ body: MESSAGE.body, headers: sender.sign(MESSAGE, sender.otherSecret) }),
      await ask({ headers }),
    ];
    expect(new Set(wrong.map(({ text }) => text)).size).toBe(1);
    expect(wrong[0]).toMatchObject({ status: 401, json: { type: expect.stringMatching(/\/invalid-signature$/) } });
    expect(taken).toEqual([]);
  });

  it('has the same answer for every name without a source, and no secret is read', async () => {
    const { ask, sources, reads, sender } = await doorFor();
    await sources.add({ ...sourceFor(sender), name: 'removed' }, sender.secret);
    await sources.remove('removed');
    reads.length = 0;
    const headers = sender.sign(MESSAGE);
    const names = ['none', 'removed', 'CMS', 'c%6ds', 'cms%20', '%', '..', 'a'.repeat(300)];
    const answers = await Promise.all(names.map((segment) => ask({ segment, body: MESSAGE.body, headers })));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 404, json: { type: expect.stringMatching(/\/source-not-found$/) } });
    expect(reads).toEqual([]);
  });

  it('names the slash at the end of its path', async () => {
    const { ask, sender } = await doorFor();
    const slashed = { segment: 'cms/', body: MESSAGE.body, headers: sender.sign(MESSAGE) };
    expect(await ask(slashed)).toMatchObject({
      status: 404,
      json: { detail: 'The path ends with a slash. Send the message to the URL without the slash.' },
    });
  });

  it('has more than 256 KiB, whatever its source', async () => {
    const { ask } = await doorFor();
    const { sender } = await doorFor();
    const large = { ...MESSAGE, body: 'x'.repeat(262_144) };
    expect((await ask({ body: large.body, headers: sender.sign(large) })).status).toBe(202);
    expect((await ask({ body: `${large.body}x`, headers: sender.sign(large), segment: 'none' })).status).toBe(413);
  });

  it('has a query, but may have any content type', async () => {
    const { ask, sender } = await doorFor();
    const headers = { ...sender.sign(MESSAGE), 'Content-Type': 'text/plain' };
    expect((await ask({ body: MESSAGE.body, headers })).status).toBe(202);
    expect((await ask({ body: MESSAGE.body, headers, query: { a: ['b'] } })).status).toBe(400);
  });

  it('may be retried if it cannot be stored now', async () => {
    const { ask, receiving, sender } = await doorFor();
    const failing = async () => {
      throw new Problem('unavailable', {
        detail: 'Segue’s database is unavailable. Nothing was stored. Send the request again later.',
        retryAfterSeconds: 5,
      });
    };
    const message = { body: MESSAGE.body, headers: sender.sign(MESSAGE) };
    for (const by of [
      { ...receiving, inbox: { accept: failing, acceptUnlessRecent: failing } },
      { ...receiving, secretsOf: failing },
      { ...receiving, sources: { find: failing } },
    ])
      expect(await ask(message, by)).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
  });
});

it('reads one small item of the source, whatever the size of its mapping', async () => {
  const sender = senderOf('github');
  const world = sourceWorld();
  await world.sources.add({ ...sourceFor(sender), mapping: `/* ${'x'.repeat(60_000)} */ null` }, sender.secret);
  const reads: number[] = [];
  const { find } = sourcesIn({
    async read(key) {
      const item = await world.store.read(key);
      reads.push(JSON.stringify(item).length);
      return item;
    },
  });
  expect(await find('cms')).toMatchObject({ name: 'cms', companyId: 'acme' });
  expect(reads).toHaveLength(1);
  expect(Math.max(...reads)).toBeLessThan(1_024);
});

it('logs source, company, id, size and result of a message, and nothing of its content', async () => {
  const { ask, lines, sender, taken } = await doorFor();
  const headers = { ...sender.sign(MESSAGE), authorization: 'CANARY credential', 'x-canary': 'CANARY header' };
  const answers = [
    await ask({ body: MESSAGE.body, headers }),
    await ask({ body: `${MESSAGE.body} `, headers }),
    await ask({ body: MESSAGE.body, headers, segment: 'CANARY-name' }),
  ];
  const common = {
    operation: 'receiveWebhook',
    requestId: 'request-1',
    traceId: traceFrom('request-1'),
    durationMs: 0,
    answerBytes: expect.any(Number),
  };
  expect(lines).toEqual([
    { ...common, companyId: 'acme', source: 'cms', deliveryId: taken[0]?.id, status: 202, requestBytes: 24 },
    {
      ...common,
      companyId: 'acme',
      source: 'cms',
      status: 401,
      requestBytes: 25,
      alert: 'invalid-signatures',
      problem: 'invalid-signature',
      signature: 'wrong',
    },
    { ...common, status: 404, requestBytes: 24, problem: 'source-not-found' },
  ]);
  const said = JSON.stringify([lines, answers]);
  for (const canary of ['CANARY', ...Object.values(sender.sign(MESSAGE)), sender.secret])
    expect(said).not.toContain(canary);
  expect(JSON.stringify(taken[0]?.headers)).not.toContain('CANARY credential');
});

describe('the log of a wrong signature says which check failed', () => {
  type Changes = (headers: Record<string, string>) => Record<string, string | string[]>;
  const HMAC = senderOf('hmac, sha512 in base64');
  const changed = (to: (value: string) => string | string[]): Changes => {
    return (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, to(value)]));
  };

  it.each<[string, string, Changes, string]>([
    ['github', 'none', () => ({}), 'missing'],
    ['github', 'twice', changed((value) => [value, value]), 'malformed'],
    ['github', 'without its prefix', changed((value) => value.replace('sha256=', '')), 'malformed'],
    ['github', 'with its prefix twice', changed((value) => `sha256=${value}`), 'malformed'],
    ['github', 'in upper case', changed((value) => value.toUpperCase().replace('SHA256', 'sha256')), 'malformed'],
    ['github', 'cut short', changed((value) => value.slice(0, -1)), 'malformed'],
    ['github', 'empty', changed(() => ''), 'malformed'],
    ['github', 'of other bytes', changed((value) => value.replace(/\w{4}$/, '0000')), 'wrong'],
    ['shopify', 'with a prefix of another sender', changed((value) => `sha256=${value}`), 'malformed'],
    ['shopify', 'without padding', changed((value) => value.replace('=', '')), 'malformed'],
    [
      HMAC.name,
      'in hex',
      changed((value) => `HMAC;${Buffer.from(value.slice(5), 'base64').toString('hex')}`),
      'malformed',
    ],
    ['stripe', 'without a time', changed((value) => value.replace(/^t=\d+,/, '')), 'malformed'],
    ['standard-webhooks, v1', 'without its id', ({ 'webhook-id': _, ...others }) => others, 'missing'],
    ['standard-webhooks, v1', 'of no known version', changed((value) => value.replace('v1,', '')), 'malformed'],
  ])('%s: %s', async (name, _, change, expected) => {
    const { ask, lines, sender } = await doorFor(senderOf(name));
    await ask({ body: MESSAGE.body, headers: change(sender.sign(MESSAGE)) });
    expect(lines).toMatchObject([{ status: 401, problem: 'invalid-signature', signature: expected }]);
  });

  it.each(SENDERS.filter(({ signs }) => signs.time))('$name: too old, or of the future', async (sender) => {
    const { ask, lines } = await doorFor(sender);
    for (const atMs of [NOW_MS - 360_000, NOW_MS + 360_000])
      await ask({ body: MESSAGE.body, headers: sender.sign({ ...MESSAGE, atMs }) });
    expect(lines.map(({ signature }) => signature)).toEqual(['wrong-time', 'wrong-time']);
  });
});

it.each(SENDERS)('the answer to a wrong signature of $name speaks of the time only if it is signed', async (sender) => {
  const { ask } = await doorFor(sender);
  const { text } = await ask({ body: MESSAGE.body });
  expect(text.includes('too old')).toBe(sender.signs.time);
});

describe('a message of a suspended company', () => {
  const suspended = () => Promise.reject(new Problem('company-suspended', { detail: 'The company is suspended.' }));

  it('is refused after its signature is verified, and is not stored', async () => {
    const { ask, taken, lines, receiving, sender } = await doorFor(senderOf('github'));
    const event = { body: MESSAGE.body, headers: sender.sign(MESSAGE) };
    const { status, json } = await ask(event, { ...receiving, requireCompany: suspended });
    expect([status, json]).toMatchObject([403, { type: expect.stringMatching(/company-suspended$/) }]);
    expect(taken).toEqual([]);
    expect(lines).toMatchObject([{ source: 'cms', companyId: 'acme', problem: 'company-suspended' }]);
    expect((await ask(event)).status).toBe(202);
  });

  it('is refused for a wrong signature first', async () => {
    const { ask, receiving } = await doorFor(senderOf('github'));
    const { json } = await ask({ body: MESSAGE.body }, { ...receiving, requireCompany: suspended });
    expect(json).toMatchObject({ type: expect.stringMatching(/invalid-signature$/) });
  });
});

/** Returns the id of a delivery, by a signed id or else by the body. */
async function idOf(messageId: string | undefined, body: Uint8Array, fields = {}): Promise<string> {
  const source = { companyId: 'acme', name: 'cms', identifiedBy: 'body', ...fields } as const;
  return (await identify(source, { messageId }, { headerValues: () => [], body }, NOW_MS)).id;
}

it('the id of a delivery is the same for the same signed id, or else for the same bytes', async () => {
  const body = Buffer.from('{}');
  const id = await idOf('msg_1', body);
  expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(await idOf('msg_1', Buffer.from('{ }'))).toBe(id);
  const bytes = await Promise.all([[0x7b, 0x7d], [0xfe], [0xff]].map((codes) => idOf(undefined, Buffer.from(codes))));
  const others = [
    await idOf('msg_2', body),
    await idOf('msg_1', body, { name: 'other' }),
    await idOf('msg_1', body, { companyId: 'other' }),
  ];
  expect(new Set([id, ...bytes, ...others]).size).toBe(7);
});

it('the id of a delivery can follow a command: none begins as an option does', async () => {
  const ids = await Promise.all(Array.from({ length: 500 }, (_, n) => idOf(`msg_${n}`, Buffer.of())));
  for (const id of ids) expect(id).toMatch(/^\w[\w-]{42}$/);
  expect(new Set(ids).size).toBe(ids.length);
});
