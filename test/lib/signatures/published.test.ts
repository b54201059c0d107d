import { createHmac } from 'node:crypto';
import { signRequest, verifyRequest } from '@contentful/node-apps-toolkit/requests';
import { generateWebhookSignature, verifyWebhookSignature } from '@hygraph/utils';
import { signatureHelper } from '@kontent-ai/webhook-helper';
import { encodeSignatureHeader, isValidSignature } from '@sanity/webhook';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hmacOf } from '../../../lib/signatures/hmac.ts';
import { schemeOf } from '../../../lib/signatures/schemes.ts';
import type { SchemeSettings } from '../../../lib/signatures/stored-scheme.ts';
import { verifyMessage } from '../../../lib/signatures/verify-message.ts';
import { NOW_MS } from '../support.ts';
import { type Headers, PATH, received } from './messages.ts';

/** A body with characters that are difficult as text. */
const BODY = '{"name":"Müller 😀","quote":"\\"\\u2028","n":1.0}';
const SECRET = '0123456789abcdef'.repeat(4);

const isProven = (settings: SchemeSettings, headers: Headers, body = BODY, secret = SECRET, nowMs = NOW_MS) =>
  typeof verifyMessage(schemeOf(settings), [secret], received(headers, body), nowMs) !== 'string';

/** Signs the message as `segue source send` does. */
function signed(settings: SchemeSettings, headers: Record<string, string> = {}) {
  const message = { id: 'msg_1', atMs: NOW_MS, body: Buffer.from(BODY), path: PATH, headers };
  return schemeOf(settings).sign(SECRET, message) ?? {};
}

describe('the published code of a sender', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW_MS, toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('of Contentful: each side verifies what the other signs, and every header that the sender lists counts', () => {
    const settings = { name: 'contentful' } as const;
    const topic = { 'x-contentful-topic': 'ContentManagement.Entry.publish', 'content-type': 'application/json; a=b' };
    const request = { method: 'POST', path: PATH, headers: topic, body: BODY } as const;
    const context = { crn: 'crn:contentful:::x', spaceId: 'space', envId: 'master', userId: 'someone' };
    const theirs = { ...topic, ...signRequest(SECRET, request, NOW_MS, context) };
    expect(isProven(settings, theirs)).toBe(true);
    for (const name of Object.keys(theirs)) expect(isProven(settings, { ...theirs, [name]: 'other' })).toBe(false);
    expect(isProven(settings, { ...theirs, 'x-unlisted': 'free' })).toBe(true);
    const other = received(theirs, BODY, { path: '/webhooks/cms' });
    expect(verifyMessage(schemeOf(settings), [SECRET], other, NOW_MS)).toBe('wrong');
    const ours = { ...topic, ...signed(settings, topic) };
    expect(verifyRequest(SECRET, { ...request, headers: ours }, 30)).toBe(true);
  });

  it('of Sanity: each side verifies what the other signs', async () => {
    const settings = { name: 'sanity' } as const;
    const theirs = await encodeSignatureHeader(BODY, NOW_MS, SECRET);
    expect(isProven(settings, { 'sanity-webhook-signature': theirs })).toBe(true);
    expect(await isValidSignature(BODY, signed(settings)['sanity-webhook-signature'] ?? '', SECRET)).toBe(true);
  });

  it('of Hygraph: each side verifies what the other signs, in any environment', () => {
    const settings = { name: 'hygraph' } as const;
    for (const environmentName of [undefined, 'master', 'dev-2', 'a'.repeat(60)]) {
      const name = environmentName === undefined ? {} : { environmentName };
      const theirs = generateWebhookSignature({ rawPayload: BODY, secret: SECRET, ...name });
      expect(isProven(settings, { 'gcms-signature': theirs })).toBe(true);
      const moved = theirs.replace(/env=\w/, 'env=Z');
      expect(isProven(settings, { 'gcms-signature': moved })).toBe(false);
    }
    const signature = signed(settings)['gcms-signature'] ?? '';
    expect(verifyWebhookSignature({ rawPayload: BODY, signature, secret: SECRET, body: {} })).toBe(true);
  });

  it('of Kontent.ai: each side verifies what the other signs', () => {
    const settings = { name: 'kontent' } as const;
    const theirs = signatureHelper.getHashFromString(BODY, SECRET);
    expect(isProven(settings, { 'x-kontent-ai-signature': theirs })).toBe(true);
    const ours = signed(settings)['x-kontent-ai-signature'] ?? '';
    expect(signatureHelper.isValidSignatureFromString(BODY, SECRET, ours)).toBe(true);
  });
});

it('verifies the example in the documentation of Slack', () => {
  const body =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
  const headers = {
    'x-slack-request-timestamp': '1531420618',
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  };
  const secret = '8f742231b10e8888abcd99yyyzzz85a5';
  expect(isProven({ name: 'slack' }, headers, body, secret, 1_531_420_618_000)).toBe(true);
  expect(isProven({ name: 'slack' }, headers, `${body}&`, secret, 1_531_420_618_000)).toBe(false);
});

it('verifies the example in the tests of Kontent.ai', () => {
  const system = {
    id: 'aa7f127f-1920-4454-a89a-0609aba8ea6f',
    name: 'This changes everything!',
    codename: 'this_changes_everything_',
    collection: 'marketing',
    workflow: 'default',
    workflow_step: 'published',
    language: 'default',
    type: 'product_update',
    last_modified: '2024-03-25T07:55:57.0563735Z',
  };
  const message = {
    environment_id: '0f5b6cb2-ea82-014e-ac74-f71e7e8b6aee',
    object_type: 'content_item',
    action: 'published',
    delivery_slot: 'published',
  };
  const text = JSON.stringify({ notifications: [{ data: { system }, message }] }, null, 2).replaceAll('\n', '\r\n');
  const headers = { 'x-kontent-ai-signature': 'CF9/hYLw2CDcVp2wW39OFUglh++fGdHFeOhiWxM3jZg=' };
  expect(isProven({ name: 'kontent' }, headers, text, 'BHPyfqwSy1iJjcscOB+GSkDf9THrBlfcKkwtADJdbP4=')).toBe(true);
});

it('verifies what the documentation of Zendesk signs with its secret for tests', () => {
  const secret = 'dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ==';
  const time = '2021-03-25T05:09:27Z';
  const atMs = Date.parse(time);
  const headers = {
    'x-zendesk-webhook-signature-timestamp': time,
    'x-zendesk-webhook-signature': createHmac('sha256', secret)
      .update(time + BODY)
      .digest('base64'),
  };
  expect(isProven({ name: 'zendesk' }, headers, BODY, secret, atMs)).toBe(true);
  expect(isProven({ name: 'zendesk' }, headers, BODY, secret, atMs + 300_001)).toBe(false);
});

describe('an HMAC equals that of RFC 4231 and RFC 2202', () => {
  it.each([
    ['sha1', 'b617318655057264e28bc0b6fb378c8ef146be00'],
    ['sha256', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
    [
      'sha512',
      '87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854',
    ],
  ] as const)('of %s, in every encoding', (algorithm, hex) => {
    const key = Buffer.alloc(20, 0x0b);
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      const text = Buffer.from(hex, 'hex').toString(encoding);
      expect(hmacOf({ algorithm, encoding }, key, ['Hi ', Buffer.from('There')])).toBe(text);
    }
  });
});
