import { describe, expect, it } from 'vitest';
import { receiveWebhook } from '../../../lib/operations/receive-webhook.ts';
import { inboxOn } from '../../../lib/webhooks/inbox.ts';
import { messageIdOf, parseMessageId } from '../../../lib/webhooks/message-id.ts';
import type { NewSource } from '../../../lib/webhooks/source-admin.ts';
import { type Sender, senderOf } from '../../support/senders.ts';
import { contextOf, eventOf, keptLog, readAnswer } from '../http/fixture.ts';
import { NOW_MS } from '../support.ts';
import { DAY_MS, MINUTE_MS, sourceWorld } from './world.ts';

const TOKEN = '0123456789abcdef';

/** Returns a door for a source with some settings, and the calls of its store for each message. */
async function doorFor(settings: Partial<NewSource>, secret = TOKEN) {
  const world = sourceWorld();
  const added = {
    name: 'cms',
    companyId: 'acme',
    mapping: 'null',
    scheme: { name: 'token', header: 'x-token' },
  } as const;
  await world.sources.add({ ...added, ...settings }, secret);
  const calls: string[] = [];
  const store = {
    read: (key: Parameters<typeof world.store.read>[0]) => {
      calls.push('read');
      return world.store.read(key);
    },
    commit: (batch: Parameters<typeof world.store.commit>[0]) => {
      calls.push('commit');
      return world.store.commit(batch);
    },
  };
  const deps = {
    sources: world.directory,
    secretsOf: world.secretsOf,
    requireCompany: async () => undefined,
    inbox: inboxOn(store, world.clock),
  };
  const door = receiveWebhook(deps, { ...keptLog().options, now: world.clock.now });
  const send = async (body: string, headers: Record<string, string | string[]> = { 'x-token': TOKEN }) => {
    const event = eventOf('receiveWebhook', { segment: 'cms', authorizer: null, body, headers });
    const { status, json } = readAnswer(await door(event, contextOf()));
    expect(status).toBe(202);
    const { deliveryId, repeated = false } = Object(json);
    return { id: String(deliveryId), isRepeated: repeated === true };
  };
  const sendSigned = ({ sign }: Sender, body: string, atMs: number) => send(body, sign({ body, atMs, id: 'msg' }));
  return { ...world, calls, send, sendSigned };
}

describe('messages with equal bodies', () => {
  it('of a source with a token are one within ten minutes of the first, and then another with an id of its own', async () => {
    const { send, clock } = await doorFor({});
    const first = await send('{}');
    expect(first.isRepeated).toBe(false);
    clock.nowMs += 10 * MINUTE_MS - 1;
    expect(await send('{}')).toEqual({ id: first.id, isRepeated: true });
    expect((await send('{ }')).isRepeated).toBe(false);
    clock.nowMs++;
    const second = await send('{}');
    expect(second.isRepeated).toBe(false);
    expect(second.id).not.toBe(first.id);
    expect(await send('{}')).toEqual({ id: second.id, isRepeated: true });
    clock.nowMs += 60 * MINUTE_MS;
    expect([first.id, second.id]).not.toContain((await send('{}')).id);
  });

  it('sent at once are one', async () => {
    const { send } = await doorFor({});
    const sent = await Promise.all(Array.from({ length: 5 }, () => send('{}')));
    expect(sent.filter(({ isRepeated }) => !isRepeated)).toHaveLength(1);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  });

  it('need one call of the store for each new message', async () => {
    const { send, calls, clock } = await doorFor({});
    for (let n = 0; n < 3; n++) {
      await send('{}');
      clock.nowMs += 10 * MINUTE_MS;
    }
    expect(calls).toEqual(['commit', 'commit', 'commit']);
  });

  it('count as one for the minutes that the source says, with any scheme', async () => {
    const sender = senderOf('github');
    const { sendSigned, clock } = await doorFor({ scheme: sender.settings, dedupeMinutes: 60 }, sender.secret);
    const first = await sendSigned(sender, '{}', NOW_MS);
    clock.nowMs += 60 * MINUTE_MS - 1;
    expect((await sendSigned(sender, '{}', NOW_MS)).id).toBe(first.id);
    clock.nowMs++;
    expect((await sendSigned(sender, '{}', NOW_MS)).isRepeated).toBe(false);
  });

  it('of a sender whose bodies have a time or an id are one for 14 days', async () => {
    const sender = senderOf('stripe');
    const { sendSigned, clock } = await doorFor({ scheme: sender.settings }, sender.secret);
    const first = await sendSigned(sender, '{}', clock.nowMs);
    clock.nowMs += 14 * DAY_MS;
    expect(await sendSigned(sender, '{}', clock.nowMs)).toEqual({ id: first.id, isRepeated: true });
  });

  it('are different messages if they were signed at different times', async () => {
    const sender = senderOf('sanity');
    const { sendSigned, clock } = await doorFor({ scheme: sender.settings }, sender.secret);
    const first = await sendSigned(sender, '{}', NOW_MS);
    clock.nowMs += MINUTE_MS;
    expect(await sendSigned(sender, '{}', NOW_MS)).toEqual({ id: first.id, isRepeated: true });
    expect((await sendSigned(sender, '{}', clock.nowMs)).isRepeated).toBe(false);
  });
});

describe('the id that the source names', () => {
  it('identifies a message for 14 days: in a header, or in the body', async () => {
    for (const [messageId, first, second] of [
      ['header:X-Event', ['{}', 'one'], ['{}', 'two']],
      ['body.event.id', ['{"event":{"id":"one"}}', 'x'], ['{"event":{"id":"two"}}', 'x']],
      ['body.event.id', ['{"event":{"id":1}}', 'x'], ['{"event":{"id":2}}', 'x']],
    ] as const) {
      const { send, clock } = await doorFor({ messageId });
      const given = ([body, event]: readonly [string, string]) => send(body, { 'x-token': TOKEN, 'x-event': event });
      const { id } = await given(first);
      clock.nowMs += 60 * MINUTE_MS;
      expect(await given(first)).toEqual({ id, isRepeated: true });
      expect((await given(second)).isRepeated).toBe(false);
    }
  });

  it('is looked for in place of a signed id, and the scheme decides for a message without it', async () => {
    const sender = senderOf('standard-webhooks, v1');
    const settings = { scheme: sender.settings, messageId: 'body.id' };
    const { sendSigned } = await doorFor(settings, sender.secret);
    expect((await sendSigned(sender, '{"id":"a"}', NOW_MS)).isRepeated).toBe(false);
    expect((await sendSigned(sender, '{"id":"b"}', NOW_MS)).isRepeated).toBe(false);
    expect((await sendSigned(sender, '{"id":null}', NOW_MS)).isRepeated).toBe(false);
    expect((await sendSigned(sender, '{"id":null}', NOW_MS)).isRepeated).toBe(true);
  });

  it('is a text, or a whole number that JavaScript holds exactly', () => {
    const idIn = (body: string, place = 'body.id') =>
      messageIdOf(place, { headerValues: () => [], body: Buffer.from(body) });
    expect([idIn('{"id":"a"}'), idIn('{"id":7}'), idIn('{"a b":{"id":"x"}}', 'body.`a b`.id')]).toEqual([
      'a',
      '7',
      'x',
    ]);
    const none = ['', '{', '[]', 'null', '{}', '{"id":""}', '{"id":null}', '{"id":1.5}', '{"id":12345678901234567890}'];
    for (const body of [...none, '{"id":{}}', '{"id":["a"]}', `{"id":"${'x'.repeat(257)}"}`, '{"ID":"a"}'])
      expect([body, idIn(body)]).toEqual([body, undefined]);
    for (const name of ['__proto__', 'constructor', 'toString', 'length'])
      expect(idIn('{"a":"text"}', `body.a.${name}`)).toBeUndefined();
    expect(messageIdOf('header:x-id', { headerValues: () => ['a', 'b'], body: Buffer.of() })).toBeUndefined();
  });

  it('stands at the place of a header, or at a simple path', () => {
    expect(parseMessageId('header:X-Id')).toEqual({ header: 'x-id' });
    expect(parseMessageId('body.a.`b-c`._d1')).toEqual({ path: ['a', 'b-c', '_d1'] });
    const others = [
      '',
      'body',
      'id',
      'body.',
      'body.a.',
      'body.a[0]',
      'body.*',
      '$.id',
      'headers.x',
      'header:',
      'header:a b',
    ];
    for (const text of [
      ...others,
      'body.a & body.b',
      'body.$x',
      'body.1a',
      `body.${'a'.repeat(300)}`,
      `body${'.a'.repeat(17)}`,
    ])
      expect([text, parseMessageId(text)]).toEqual([text, undefined]);
  });
});
