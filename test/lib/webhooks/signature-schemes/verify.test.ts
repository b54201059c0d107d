import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deliveryIdOf } from '../../../../lib/webhooks/receive.ts';
import { SENDERS, senderOf, signAsymmetric } from '../../../support/senders.ts';
import { NOW_MS } from '../../support.ts';
import { flippedBytes, flips, MESSAGE, proofOf, received } from './fixture.ts';

const MINUTE_MS = 60_000;
const SOURCE = { companyId: 'acme', name: 'cms' };

describe('published vectors', () => {
  const standard = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: '1614265330', body: '{"test": 2432232314}' };
  const headers = { 'webhook-id': standard.id, 'webhook-timestamp': standard.timestamp };

  it.each([
    ['v1', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
    [
      'v1a',
      senderOf('standard-webhooks, v1a').secret,
      'v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==',
    ],
  ])('Standard Webhooks, %s', (_, secret, signature) => {
    const all = { ...headers, 'webhook-signature': signature };
    const proof = proofOf({ name: 'standard-webhooks' }, [secret], all, standard.body, 1_614_265_330_000);
    expect(proof).toEqual({ messageId: standard.id });
  });

  it('GitHub', () => {
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const secret = "It's a Secret to Everybody";
    expect(proofOf({ name: 'github' }, [secret], { 'x-hub-signature-256': signature }, 'Hello, World!')).toBeDefined();
  });

  it('Shopify, as another library has it', () => {
    const signature = 'QNyObTlKbMx2qDlPF/ZOZcBqg5OgPg+2oky3zldc0Gw=';
    const body = '{"id":1234567890,"email":"customer@example.com","total_price":"123.45"}';
    const headers = { 'x-shopify-hmac-sha256': signature };
    expect(proofOf({ name: 'shopify' }, ['test-webhook-secret'], headers, body)).toBeDefined();
  });
});

describe('headers of Svix', () => {
  const { settings, secret, sign } = senderOf('standard-webhooks, v1, with the headers of Svix');
  const svix = sign(MESSAGE);
  const webhook = senderOf('standard-webhooks, v1').sign({ ...MESSAGE, id: 'msg_other' }, secret);
  const proved = (headers: Readonly<Record<string, string>>) => proofOf(settings, [secret], headers, MESSAGE.body);

  it('do not count beside those of the specification, and the two are never mixed', () => {
    expect(proved({ ...svix, ...webhook })).toEqual({ messageId: 'msg_other' });
    for (const [name, value] of Object.entries(webhook)) {
      expect([name, proved({ ...svix, [name]: value })]).toEqual([name, undefined]);
    }
    expect(proved({ ...svix, 'webhook-signature': '' })).toBeUndefined();
  });

  it('name the same delivery as those of the specification', () => {
    const same = senderOf('standard-webhooks, v1').sign(MESSAGE, secret);
    expect(proved(svix)).toEqual(proved(same));
  });
});

describe.each(SENDERS)('$name', (sender) => {
  const { settings, secret, otherSecret, signs } = sender;
  const headers = sender.sign(MESSAGE);

  it('proves its sender, and the id where that is signed', () => {
    expect(received(sender)).toEqual({ messageId: signs.id ? MESSAGE.id : undefined });
  });

  it('proves nothing with any bit of the body turned over', () => {
    for (const body of flippedBytes(Buffer.from(MESSAGE.body))) expect(received(sender, { body })).toBeUndefined();
    expect(received(sender, { body: Buffer.alloc(0) })).toBeUndefined();
  });

  it.each(Object.keys(headers))('proves nothing with any bit of %s turned over', (name) => {
    for (const value of flips(headers[name] ?? '')) {
      expect([value, received(sender, { headers: { [name]: value } })]).toEqual([value, undefined]);
    }
  });

  it.each(Object.keys(headers))('proves nothing without %s, with it empty, or with it twice', (name) => {
    const value = headers[name] ?? '';
    for (const values of [undefined, '', [value, value], [value, 'x'], `${value},${value}`]) {
      expect(proofOf(settings, [secret], { ...headers, [name]: values }, MESSAGE.body)).toBeUndefined();
    }
  });

  it.each(Object.keys(headers))('proves nothing with %s cut off or drawn out', (name) => {
    const value = headers[name] ?? '';
    for (const changed of [value.slice(0, -1), value.slice(1), `${value}0`, `${value}=`, `${value} `, ` ${value}`]) {
      expect([changed, received(sender, { headers: { [name]: changed } })]).toEqual([changed, undefined]);
    }
  });

  it('proves nothing with the signature in other letters', () => {
    const name = Object.keys(headers).at(-1) ?? '';
    const value = headers[name] ?? '';
    for (const changed of [value.toUpperCase(), value.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')]) {
      if (changed !== value) expect(received(sender, { headers: { [name]: changed } })).toBeUndefined();
    }
  });

  it('proves by either of two live secrets, and by no other', () => {
    const proof = expect.objectContaining({});
    const asked = (...secrets: string[]) => proofOf(settings, secrets, headers, MESSAGE.body);
    expect([asked(otherSecret, secret), asked(secret, otherSecret)]).toEqual([proof, proof]);
    expect([asked(otherSecret), asked()]).toEqual([undefined, undefined]);
    const rotated = sender.sign(MESSAGE, otherSecret);
    expect(proofOf(settings, [otherSecret, secret], rotated, MESSAGE.body)).toEqual(proof);
    expect(proofOf(settings, [secret], rotated, MESSAGE.body)).toBeUndefined();
  });

  it('tells bodies apart that decode to the same text', () => {
    const [one, other] = [Buffer.from([0x22, 0xfe, 0x22]), Buffer.from([0x22, 0xff, 0x22])];
    expect(one.toString()).toBe(other.toString());
    // Whoever signs text signs other bytes than these; then neither is proved.
    const proofs = [one, other].map((body) =>
      proofOf(settings, [secret], sender.sign({ ...MESSAGE, body: one }), body),
    );
    expect(proofs[1]).toBeUndefined();
    const unnamed = { messageId: undefined };
    expect(deliveryIdOf(SOURCE, unnamed, one)).not.toBe(deliveryIdOf(SOURCE, unnamed, other));
  });

  it('takes secrets of its own form alone', () => {
    for (const wrong of [
      '',
      'short',
      `${secret}\n`,
      ` ${secret}`,
      'whsec_',
      'whsec_AAAA',
      'whpk_AAAA',
      'x'.repeat(400),
    ]) {
      expect([wrong, proofOf(settings, [wrong], headers, MESSAGE.body)]).toEqual([wrong, undefined]);
    }
  });
});

describe.each(SENDERS.filter(({ signs }) => signs.time))('the time of $name', (sender) => {
  const at = (offsetMs: number) => received(sender, { nowMs: NOW_MS + offsetMs });

  it('may be five minutes off, before and after', () => {
    for (const offsetMs of [0, 5 * MINUTE_MS, -5 * MINUTE_MS]) expect(at(offsetMs)).toBeDefined();
  });

  it('may not be more: a replay that comes too late, a clock that is six minutes off either way', () => {
    for (const offsetMs of [5 * MINUTE_MS + 1, 6 * MINUTE_MS, 86_400_000]) {
      expect([offsetMs, at(offsetMs), at(-offsetMs)]).toEqual([offsetMs, undefined, undefined]);
    }
  });

  it('is written in one way, whoever signs it in another', () => {
    const seconds = String(NOW_MS / 1_000);
    const odd = [`+${seconds}`, `0${seconds}`, ` ${seconds}`, `${seconds}.0`, `${seconds}e0`, `-${seconds}`, ''];
    const odder = [
      `0x${Number(seconds).toString(16)}`,
      `${seconds}\t`,
      '１７９５１６７０００',
      'Infinity',
      'NaN',
      '1_795',
    ];
    for (const text of [...odd, ...odder]) {
      expect([text, proofOf(sender.settings, [sender.secret], signedAt(sender, text), MESSAGE.body)]).toEqual([
        text,
        undefined,
      ]);
    }
    expect(proofOf(sender.settings, [sender.secret], signedAt(sender, seconds), MESSAGE.body)).toBeDefined();
  });
});

/** The headers of the message with any text for its time, rightly signed. */
function signedAt({ name, secret }: (typeof SENDERS)[number], time: string): Record<string, string> {
  const signed = Buffer.from(`${name === 'stripe' ? '' : `${MESSAGE.id}.`}${time}.${MESSAGE.body}`);
  const hmac = (key: string | Buffer) => createHmac('sha256', key).update(signed);
  if (name === 'stripe') return { 'stripe-signature': `t=${time},v1=${hmac(secret).digest('hex')}` };
  const shared = () => `v1,${hmac(Buffer.from(secret.slice('whsec_'.length), 'base64')).digest('base64')}`;
  const signature = secret.startsWith('whpk_') ? signAsymmetric(signed, secret) : shared();
  return { 'webhook-id': MESSAGE.id, 'webhook-timestamp': time, 'webhook-signature': signature };
}

describe('several signatures', () => {
  const wrong = 'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';

  it.each(['standard-webhooks, v1', 'standard-webhooks, v1a'])(
    '%s: one of them is enough, versions nobody knows are passed over',
    (name) => {
      const sender = senderOf(name);
      const own = sender.sign(MESSAGE)['webhook-signature'] ?? '';
      const given = (signature: string) => received(sender, { headers: { 'webhook-signature': signature } });
      expect(given(`${wrong} v2,abc= ${own} ${wrong}`)).toBeDefined();
      expect(given(`${wrong} ${wrong}`)).toBeUndefined();
      expect(given(own.replace(/^v1a?/, 'v2'))).toBeUndefined();
      expect(given(own.replace(/^(v1a?)/, (version) => (version === 'v1' ? 'v1a' : 'v1')))).toBeUndefined();
      for (const broken of [`${own}  ${wrong}`, `${own},${wrong}`, `${own} v1`, `${own} v1,`, `${own} ,x`]) {
        expect([broken, given(broken)]).toEqual([broken, undefined]);
      }
      expect(given([...Array.from({ length: 15 }, () => wrong), own].join(' '))).toBeDefined();
      expect(given([...Array.from({ length: 16 }, () => wrong), own].join(' '))).toBeUndefined();
    },
  );

  it('stripe: one of its v1 is enough, and there is one t', () => {
    const sender = senderOf('stripe');
    const own = sender.sign(MESSAGE)['stripe-signature'] ?? '';
    const [time = '', signature = ''] = own.split(',');
    const given = (value: string) => received(sender, { headers: { 'stripe-signature': value } });
    expect(given(`${time},v1=${'0'.repeat(64)},${signature},v0=${'1'.repeat(64)}`)).toBeDefined();
    expect(given(`${signature},${time}`)).toBeDefined();
    for (const broken of [
      `${own},${time}`,
      `${time},v0${signature.slice(2)}`,
      `${own},`,
      `${time}, ${signature}`,
      time,
    ]) {
      expect([broken, given(broken)]).toEqual([broken, undefined]);
    }
  });
});

it('a message’s id has no full stop: with one, another id, time and body would have the same signature', () => {
  const sender = senderOf('standard-webhooks, v1');
  const id = 'msg.1';
  expect(proofOf(sender.settings, [sender.secret], sender.sign({ ...MESSAGE, id }), MESSAGE.body)).toBeUndefined();
});

describe('the id of a delivery', () => {
  const body = Buffer.from('{}');
  const id = deliveryIdOf(SOURCE, { messageId: 'msg_1' }, body);

  it('is the same for the same signed id, and else for the same bytes, and for nothing else', () => {
    expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(deliveryIdOf({ ...SOURCE }, { messageId: 'msg_1' }, Buffer.from('{ }'))).toBe(id);
    const others = [
      deliveryIdOf(SOURCE, { messageId: 'msg_2' }, body),
      deliveryIdOf(SOURCE, { messageId: undefined }, Buffer.from('{ }')),
      deliveryIdOf(SOURCE, { messageId: undefined }, body),
      deliveryIdOf({ ...SOURCE, name: 'other' }, { messageId: 'msg_1' }, body),
      deliveryIdOf({ ...SOURCE, companyId: 'other' }, { messageId: 'msg_1' }, body),
    ];
    expect(new Set([id, ...others]).size).toBe(6);
  });
});
