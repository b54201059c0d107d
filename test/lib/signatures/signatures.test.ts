import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HMAC_ALGORITHMS, HMAC_ENCODINGS } from '../../../lib/signatures/hmac.ts';
import { schemeOf } from '../../../lib/signatures/schemes.ts';
import { newStandardSecret, signStandard } from '../../../lib/signatures/sign-standard.ts';
import { NAMED_SCHEMES, type SchemeSettings } from '../../../lib/signatures/stored-scheme.ts';
import { verifyMessage } from '../../../lib/signatures/verify-message.ts';
import { SENDERS, type Sender, senderOf, signAsymmetric, type Unsigned } from '../../support/senders.ts';
import { NOW_MS } from '../support.ts';
import { MINUTE_MS } from '../webhooks/world.ts';
import { type Headers, PATH, received } from './messages.ts';

/** The settings of each scheme. */
const SCHEMES: readonly SchemeSettings[] = [
  ...NAMED_SCHEMES.map((name) => ({ name })),
  ...HMAC_ALGORITHMS.flatMap((algorithm) =>
    HMAC_ENCODINGS.map((encoding) => ({ name: 'hmac' as const, header: 'x-signature', algorithm, encoding })),
  ),
];

/** A message with characters that are difficult as text. */
const MESSAGE: Unsigned = { body: '{"name":"Müller 😀","n":1.0}', atMs: NOW_MS, id: 'msg_p5jXN8AQM9LWM0D4loKWxJek' };

const UNSIGNED = { ...MESSAGE, body: Buffer.from(MESSAGE.body), path: PATH, headers: {} };

/** Returns the headers that a sender has before it signs. */
function unsignedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.endsWith('-topic')));
}

/** Returns headers with the names of the specification in place of those of Svix. */
function renamed(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace(/^svix-/, 'webhook-'), value]),
  );
}

/** Returns the proof that a receiver with these secrets finds in a message. */
function proofOf(
  settings: SchemeSettings,
  secrets: readonly string[],
  headers: Headers,
  body: string | Uint8Array = MESSAGE.body,
  nowMs = NOW_MS,
) {
  const proof = verifyMessage(schemeOf(settings), secrets, received(headers, body), nowMs);
  return typeof proof === 'string' ? undefined : proof;
}

/** Returns the proof in the sender's own message, with some headers changed. */
function proofWith(sender: Sender, headers: Headers) {
  return proofOf(sender.settings, [sender.secret], { ...sender.sign(MESSAGE), ...headers });
}

/** Returns the bytes once for each of their bits, with that bit flipped. */
function flippedBytes(bytes: Uint8Array): Buffer[] {
  return Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return flipped;
  });
}

describe('a published example is verified', () => {
  const TEST = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: '1614265330', body: '{"test": 2432232314}' };
  const SHOPIFY = '{"id":1234567890,"email":"customer@example.com","total_price":"123.45"}';

  it.each([
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
    [
      senderOf('standard-webhooks, v1a').secret,
      'v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==',
    ],
  ])('of Standard Webhooks, with %s', (secret, signature) => {
    const headers = { 'webhook-id': TEST.id, 'webhook-timestamp': TEST.timestamp, 'webhook-signature': signature };
    const proof = proofOf({ name: 'standard-webhooks' }, [secret], headers, TEST.body, 1_614_265_330_000);
    expect(proof).toMatchObject({ messageId: TEST.id });
  });

  it.each([
    [
      'github',
      "It's a Secret to Everybody",
      { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
      'Hello, World!',
    ],
    [
      'shopify',
      'test-webhook-secret',
      { 'x-shopify-hmac-sha256': 'QNyObTlKbMx2qDlPF/ZOZcBqg5OgPg+2oky3zldc0Gw=' },
      SHOPIFY,
    ],
  ] as const)('of %s', (name, secret, headers, body) => {
    expect(proofOf({ name }, [secret], headers, body)).toBeDefined();
  });
});

describe.each(SENDERS)('$name', (sender) => {
  const { settings, secret, otherSecret, signs } = sender;
  const headers = sender.sign(MESSAGE);
  const proof = expect.objectContaining({ messageId: signs.id ? MESSAGE.id : undefined });

  it('proves every signed message', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
    const offsetMs = fc.integer({ min: -299_000, max: 299_000 });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), id, offsetMs, (body, messageId, offset) => {
        const signed = sender.sign({ body, id: messageId, atMs: NOW_MS + offset });
        expect(proofOf(settings, [secret], signed, body)).toBeDefined();
      }),
    );
  });

  it('proves nothing with any bit of the body flipped', () => {
    for (const body of [...flippedBytes(Buffer.from(MESSAGE.body)), Buffer.alloc(0)]) {
      expect(proofOf(settings, [secret], headers, body)).toBeUndefined();
    }
  });

  it.each(Object.keys(headers))('proves nothing with %s changed, missing or repeated', (name) => {
    const value = headers[name] ?? '';
    const flipped = flippedBytes(Buffer.from(value, 'latin1')).map((bytes) => bytes.toString('latin1'));
    const edited = [value.slice(0, -1), value.slice(1), `${value}0`, `${value}=`, `${value} `, ` ${value}`];
    const recoded = [value.toUpperCase(), value.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')];
    const repeated = [[value, value], [value, 'x'], `${value},${value}`];
    const texts = [...flipped, ...edited, ...recoded].filter((text) => text !== value);
    for (const changed of [undefined, '', ...texts, ...repeated]) {
      expect([changed, proofWith(sender, { [name]: changed })]).toEqual([changed, undefined]);
    }
  });

  it('proves nothing by any other headers, and never throws', () => {
    const part = fc.constantFrom('v1', 'v1a', 't', ',', '=', ' ', '.', 'sha256=', 'whsec_', '0', '\u0000', 'é', '😀');
    const parts = fc.array(part, { maxLength: 40 }).map((some) => some.join(''));
    const header = fc.oneof(fc.string(), parts, fc.base64String());
    const values = fc.oneof(header, fc.array(header, { maxLength: 3 }));
    const some = fc.record(Object.fromEntries(Object.keys(headers).map((name) => [name, values])), {
      requiredKeys: [],
    });
    fc.assert(
      fc.property(some, fc.uint8Array({ maxLength: 64 }), (given, body) => {
        expect(proofOf(settings, [secret, otherSecret], given, body)).toBeUndefined();
      }),
    );
  });

  it('proves by either of two live secrets, and by no other', () => {
    const found = (...secrets: string[]) => proofOf(settings, secrets, headers);
    expect([found(otherSecret, secret), found(secret, otherSecret)]).toEqual([proof, proof]);
    expect([found(otherSecret), found()]).toEqual([undefined, undefined]);
  });

  it('accepts secrets of its own form only', () => {
    const odd = ['', 'short', `${secret}\n`, ` ${secret}`, 'whsec_', 'whsec_AAAA', 'whpk_AAAA', 'x'.repeat(400)];
    for (const wrong of odd) expect([wrong, proofOf(settings, [wrong], headers)]).toEqual([wrong, undefined]);
  });

  it('distinguishes bodies that decode to the same text', () => {
    const [one, other] = [Buffer.from([0x22, 0xfe, 0x22]), Buffer.from([0x22, 0xff, 0x22])];
    expect(proofOf(settings, [secret], sender.sign({ ...MESSAGE, body: one }), other)).toBeUndefined();
  });

  it('is signed by Segue as by its sender, unless the secret is a public key', () => {
    const signed = schemeOf(settings).sign(secret, { ...UNSIGNED, headers: unsignedHeaders(headers) });
    if (secret.startsWith('whpk_')) expect(signed).toBeUndefined();
    else expect({ ...unsignedHeaders(headers), ...signed }).toEqual(renamed(headers));
  });
});

describe.each(SENDERS.filter(({ signs }) => signs.time))('the time of $name', (sender) => {
  const at = (offsetMs: number) =>
    proofOf(sender.settings, [sender.secret], sender.sign(MESSAGE), MESSAGE.body, NOW_MS + offsetMs);

  it('may be five minutes off, before and after, and no more', () => {
    for (const offsetMs of [0, 5 * MINUTE_MS, -5 * MINUTE_MS]) expect(at(offsetMs)).toBeDefined();
    for (const offsetMs of [5 * MINUTE_MS + 1, 6 * MINUTE_MS, 86_400_000]) {
      expect([at(offsetMs), at(-offsetMs)]).toEqual([undefined, undefined]);
    }
  });
});

/** The senders whose times `signedAt` can sign. `signed-time.test.ts` tests the forms of the others. */
const SIGNED_AT = SENDERS.filter(({ settings: { name } }) => name === 'standard-webhooks' || name === 'stripe');

it.each(SIGNED_AT)('the time of $name has one form, even if another one is signed', (sender) => {
  const seconds = String(NOW_MS / 1_000);
  const signs = [`+${seconds}`, `-${seconds}`, ` ${seconds}`, `${seconds}\t`, `0${seconds}`];
  const numbers = [
    `${seconds}.0`,
    `${seconds}e0`,
    `0x${Number(seconds).toString(16)}`,
    '1_795',
    '１７９５１６７０００',
  ];
  for (const time of [...signs, ...numbers, 'Infinity', 'NaN', '']) {
    expect([time, proofWith(sender, signedAt(sender, time))]).toEqual([time, undefined]);
  }
  expect(proofWith(sender, signedAt(sender, seconds))).toBeDefined();
});

/** Returns the correctly signed headers of the message with any text as its time. */
function signedAt({ name, secret }: Sender, time: string): Record<string, string> {
  const signed = Buffer.from(`${name === 'stripe' ? '' : `${MESSAGE.id}.`}${time}.${MESSAGE.body}`);
  const hmac = (key: string | Buffer) => createHmac('sha256', key).update(signed);
  if (name === 'stripe') return { 'stripe-signature': `t=${time},v1=${hmac(secret).digest('hex')}` };
  const shared = () => `v1,${hmac(Buffer.from(secret.slice('whsec_'.length), 'base64')).digest('base64')}`;
  const signature = secret.startsWith('whpk_') ? signAsymmetric(signed, secret) : shared();
  const prefix = name.endsWith('Svix') ? 'svix' : 'webhook';
  return { [`${prefix}-id`]: MESSAGE.id, [`${prefix}-timestamp`]: time, [`${prefix}-signature`]: signature };
}

describe('the headers of Svix', () => {
  const svix = senderOf('standard-webhooks, v1, with the headers of Svix');
  const webhook = senderOf('standard-webhooks, v1').sign({ ...MESSAGE, id: 'msg_other' }, svix.secret);

  it('do not count beside those of the specification, and are never mixed with them', () => {
    expect(proofWith(svix, webhook)).toMatchObject({ messageId: 'msg_other' });
    for (const [name, value] of Object.entries(webhook)) expect(proofWith(svix, { [name]: value })).toBeUndefined();
    expect(proofWith(svix, { 'webhook-signature': '' })).toBeUndefined();
  });
});

describe('several signatures', () => {
  it.each(['standard-webhooks, v1', 'standard-webhooks, v1a'])('of %s: one of up to 16 must be right', (name) => {
    const sender = senderOf(name);
    const wrong = 'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';
    const own = sender.sign(MESSAGE)['webhook-signature'] ?? '';
    const given = (signature: string) => proofWith(sender, { 'webhook-signature': signature });
    expect(given(`${wrong} v2,abc= ${own} ${wrong}`)).toBeDefined();
    expect(given([...Array.from({ length: 15 }, () => wrong), own].join(' '))).toBeDefined();
    const otherVersion = own.replace(/^v1a?/, (version) => (version === 'v1' ? 'v1a' : 'v1'));
    for (const refused of [
      `${wrong} ${wrong}`,
      own.replace(/^v1a?/, 'v2'),
      otherVersion,
      [...Array.from({ length: 16 }, () => wrong), own].join(' '),
      ...[`${own}  ${wrong}`, `${own},${wrong}`, `${own} v1`, `${own} v1,`, `${own} ,x`],
    ])
      expect([refused, given(refused)]).toEqual([refused, undefined]);
  });

  it('of Stripe: one v1 must be right, and there is one t', () => {
    const sender = senderOf('stripe');
    const own = sender.sign(MESSAGE)['stripe-signature'] ?? '';
    const [time = '', signature = ''] = own.split(',');
    const given = (value: string) => proofWith(sender, { 'stripe-signature': value });
    expect(given(`${time},v1=${'0'.repeat(64)},${signature},v0=${'1'.repeat(64)}`)).toBeDefined();
    expect(given(`${signature},${time}`)).toBeDefined();
    const refused = [`${own},${time}`, `${time},v0${signature.slice(2)}`, `${own},`, `${time}, ${signature}`, time];
    for (const value of refused) expect([value, given(value)]).toEqual([value, undefined]);
  });
});

it.each(SCHEMES)('%o verifies what it signs, and only with the secret that signed it', (settings) => {
  const scheme = schemeOf(settings);
  const [secret, otherSecret] = [scheme.newSecret(), scheme.newSecret()];
  const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
  const time = fc.integer({ min: 1_000, max: 253_402_300_799_000 });
  // Hygraph signs the body as a JSON string, which is text.
  const text = fc.string({ unit: 'binary' }).map((body) => Buffer.from(body));
  const body = settings.name === 'hygraph' ? text : fc.uint8Array();
  fc.assert(
    fc.property(body, id, time, (body, messageId, atMs) => {
      const signed = scheme.sign(secret, { ...UNSIGNED, id: messageId, atMs, body }) ?? {};
      expect(proofOf(settings, [secret], signed, body, atMs)).toBeDefined();
      expect(proofOf(settings, [otherSecret], signed, body, atMs)).toBeUndefined();
    }),
  );
});

it('events are verified with each of the secrets that signed them', () => {
  const settings = { name: 'standard-webhooks' } as const;
  const secrets = Array.from({ length: 3 }, newStandardSecret);
  const message = { ...MESSAGE, body: Buffer.from(MESSAGE.body) };
  const signed = signStandard(secrets.slice(1), message) ?? {};
  const proof = expect.objectContaining({ messageId: MESSAGE.id });
  expect(secrets.map((secret) => proofOf(settings, [secret], signed))).toEqual([undefined, proof, proof]);
  expect([signStandard([], message), signStandard(['whsec_AAAA'], message)]).toEqual([undefined, undefined]);
});

it('a signed id has no full stop: another id, time and body would have the same signature', () => {
  const sender = senderOf('standard-webhooks, v1');
  expect(proofOf(sender.settings, [sender.secret], sender.sign({ ...MESSAGE, id: 'msg.1' }))).toBeUndefined();
});
