import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { receiveWebhook } from '../../../lib/operations/receive-webhook.ts';
import { inboxOn } from '../../../lib/webhooks/inbox.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import { senderOf } from '../../support/senders.ts';
import { contextOf, type EventOptions, eventOf, keptLog, readAnswer } from '../http/fixture.ts';
import { NOW_MS } from '../support.ts';
import { sourceFor, sourceWorld } from './world.ts';

/** Returns the door for a source of a sender, and the number of stored items. */
async function doorFor(name: string, secret = senderOf(name).secret, scheme = senderOf(name).settings) {
  const store = new MemoryStorage();
  const world = sourceWorld(store);
  await world.sources.add({ ...sourceFor(senderOf(name)), scheme }, secret);
  const { lines, options } = keptLog();
  const { directory: sources, secretsOf } = world;
  const deps = { sources, secretsOf, requireCompany: async () => undefined, inbox: inboxOn(store, options) };
  const door = receiveWebhook(deps, options);
  const ask = async (event: EventOptions) =>
    readAnswer(await door(eventOf('receiveWebhook', { segment: 'cms', authorizer: null, ...event }), contextOf()));
  return { ask, lines, count: () => store.all().length };
}

describe('the ping of WooCommerce', () => {
  const ping = { body: 'webhook_id=12', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };

  it('gets 200 without a signature, and nothing is stored', async () => {
    const { ask, count } = await doorFor('woocommerce');
    const before = count();
    expect(await ask(ping)).toMatchObject({ status: 200, json: {} });
    expect(count()).toBe(before);
  });

  it('is nothing else: every other message needs its signature', async () => {
    const { ask } = await doorFor('woocommerce');
    const bodies = [
      'webhook_id=',
      'webhook_id=1&a=b',
      'webhook_id=1\n',
      ' webhook_id=1',
      'webhook_id=x',
      '{}',
      '',
      `webhook_id=${'1'.repeat(21)}`,
    ];
    for (const body of bodies) expect([body, (await ask({ ...ping, body })).status]).toEqual([body, 401]);
    expect((await ask({ ...ping, headers: { 'x-wc-webhook-signature': 'AAAA' } })).status).toBe(401);
    for (const other of ['github', 'storyblok', 'kontent', 'standard-webhooks, v1'])
      expect((await (await doorFor(other)).ask(ping)).status).toBe(401);
  });
});

describe('the challenge of Slack', () => {
  const body = '{"token":"x","challenge":"3eZbrw1aBm2r","type":"url_verification"}';

  it('is sent back if it is signed, and nothing is stored', async () => {
    const sender = senderOf('slack');
    const { ask, count } = await doorFor('slack');
    const before = count();
    const headers = sender.sign({ body, atMs: NOW_MS, id: '' });
    expect(await ask({ body, headers })).toMatchObject({ status: 200, json: { challenge: '3eZbrw1aBm2r' } });
    expect(count()).toBe(before);
    expect((await ask({ body })).status).toBe(401);
  });

  it('is no other message, and no message of another sender', async () => {
    const slack = senderOf('slack');
    const { ask } = await doorFor('slack');
    const others = [
      '{"type":"event_callback","text":"\\"url_verification\\""}',
      '{"type":"url_verification"}',
      '"url_verification"',
      '{"url_verification"',
    ];
    for (const other of others) {
      const headers = slack.sign({ body: other, atMs: NOW_MS, id: '' });
      expect([other, (await ask({ body: other, headers })).status]).toEqual([other, 202]);
    }
    const github = senderOf('github');
    const headers = github.sign({ body, atMs: NOW_MS, id: '' });
    expect((await (await doorFor('github')).ask({ body, headers })).status).toBe(202);
  });
});

describe('a secret in the query', () => {
  const secret = 'CANARY-0123456789abcdef';

  it('is accepted in the parameter that the source names, and no other parameter is', async () => {
    const { ask, lines } = await doorFor('github', secret, { name: 'token', query: 'token' });
    const answers = [
      await ask({ body: '{}', query: { token: [secret] } }),
      await ask({ body: '{}', query: { token: ['wrong'] } }),
      await ask({ body: '{}', query: { token: [secret, secret] } }),
      await ask({ body: '{}', query: { token: [secret], other: ['1'] } }),
      await ask({ body: '{}' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([202, 401, 401, 400, 401]);
    const detail = 'The secret is missing or wrong. Send it in the query parameter that the source names.';
    for (const { json } of [answers[1], answers[4]].flatMap((answer) => answer ?? []))
      expect(json).toMatchObject({ detail });
    expect(JSON.stringify([lines, answers])).not.toContain('CANARY');
  });

  it('is refused by a source of another scheme', async () => {
    const { ask } = await doorFor('github');
    const headers = senderOf('github').sign({ body: '{}', atMs: NOW_MS, id: '' });
    expect((await ask({ body: '{}', headers, query: { token: [secret] } })).status).toBe(400);
  });
});

it('the path that Contentful signs has the stage of the API in front', async () => {
  const sender = senderOf('contentful');
  const { ask } = await doorFor('contentful');
  const headers = sender.sign({ body: '{}', atMs: NOW_MS, id: '' });
  expect((await ask({ body: '{}', headers, prefix: '/v1' })).status).toBe(202);
  for (const prefix of ['', '/v2']) expect((await ask({ body: '{}', headers, prefix })).status).toBe(401);
});

it('the header with the secret of a token is no input of the mapping', async () => {
  const store = new MemoryStorage();
  const world = sourceWorld(store);
  await world.sources.add(
    { ...sourceFor(senderOf('github')), scheme: { name: 'token', header: 'x-plain' } },
    'CANARY-0123456789abcdef',
  );
  const { options } = keptLog();
  const { directory: sources, secretsOf } = world;
  const deps = { sources, secretsOf, requireCompany: async () => undefined, inbox: inboxOn(store, options) };
  const headers = { 'x-plain': 'CANARY-0123456789abcdef', 'x-other': createHmac('sha1', 'x').digest('hex') };
  const event = eventOf('receiveWebhook', { segment: 'cms', authorizer: null, body: '{}', headers });
  expect((await receiveWebhook(deps, options)(event, contextOf())).statusCode).toBe(202);
  const stored = JSON.stringify(store.all());
  expect(stored).toContain('x-other');
  expect(stored).not.toContain('CANARY');
});
