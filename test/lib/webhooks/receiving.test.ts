import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { DeliveryAccepted } from '../../../lib/contract/small-answers.ts';
import { problemAnswer } from '../../contract/answers.ts';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { type HttpAnswer, send } from '../../support/http.ts';
import { segueHere } from '../../support/segue.ts';
import { SENDERS, senderOf } from '../../support/senders.ts';
import { addSource, printedSecret } from '../../support/sources.ts';

let gateway: StartedGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const sourceNames = new Map(SENDERS.map((sender, n) => [sender, `source-${n}`]));
let ids = 0;

/** A message that nobody has sent before. */
const message = (body: string | Uint8Array = JSON.stringify({ n: ++ids })) => ({
  body,
  atMs: Date.now(),
  id: `msg_${++ids}`,
});

const post = (source: string, body: string | Uint8Array, headers: Record<string, string | readonly string[]>) =>
  send(gateway.url, { method: 'POST', path: `/webhooks/${source}`, headers, body });

const accepted = ({ status, text }: HttpAnswer) => {
  expect([status, text]).toEqual([202, expect.anything()]);
  return z.parse(DeliveryAccepted, JSON.parse(text));
};
const refused = ({ status, text, headers }: HttpAnswer) => {
  expect(headers['content-type']).toBe('application/problem+json');
  const { type, title, detail, retryable, outcome } = problemAnswer.parse(JSON.parse(text));
  expect([retryable, outcome]).toEqual([false, 'not-applied']);
  return [status, type.slice(type.lastIndexOf('/') + 1), title, detail];
};

describe.each(SENDERS)('a message of $name, sent to what npm start runs', (sender) => {
  const name = sourceNames.get(sender) ?? '';
  beforeAll(async () => {
    const { settings: scheme, secret } = sender;
    const added = await addSource(gateway.dataDir, { name, companyId: gateway.companyId, scheme, secret });
    expect(added).toMatchObject({ code: 0, stdout: expect.not.stringContaining(secret) });
  });

  it('is taken in once, and known again', async () => {
    const sent = message();
    const { deliveryId, repeated } = accepted(await post(name, sent.body, sender.sign(sent)));
    expect(repeated).toBeUndefined();
    expect(accepted(await post(name, sent.body, sender.sign(sent)))).toEqual({ deliveryId, repeated: true });
    const other = message();
    expect(accepted(await post(name, other.body, sender.sign(other))).deliveryId).not.toBe(deliveryId);
  });

  it('counts by its bytes, whatever they are', async () => {
    for (const body of [Buffer.from('"é😀"'), Buffer.from('\ufeff{}'), Buffer.from('{ }\r\n')]) {
      const sent = message(body);
      accepted(await post(name, body, sender.sign(sent)));
      const changed = Buffer.concat([body, Buffer.from(' ')]);
      expect(refused(await post(name, changed, sender.sign(sent)))[0]).toBe(401);
    }
  });

  it('is refused without detail where it is signed by somebody else, or with any header twice', async () => {
    const sent = message();
    const headers = sender.sign(sent);
    const answers = [
      await post(name, sent.body, sender.sign(sent, sender.otherSecret)),
      await post(name, sent.body, {}),
      ...(await Promise.all(
        Object.entries(headers).map(([header, value]) =>
          post(name, sent.body, { ...headers, [header]: [value, value] }),
        ),
      )),
    ];
    for (const answer of answers) {
      expect(refused(answer)).toEqual([401, 'invalid-signature', expect.any(String), refused(answers[0] ?? answer)[3]]);
    }
  });
});

it('bodies that are no UTF-8 and decode to the same text are two messages', async () => {
  const sender = senderOf('github');
  const name = sourceNames.get(sender) ?? '';
  const [one, other] = [Buffer.from([0x22, 0xfe, 0x22]), Buffer.from([0x22, 0xff, 0x22])].map((body) => message(body));
  if (!one || !other) throw new Error('There are two bodies');
  const first = accepted(await post(name, one.body, sender.sign(one)));
  expect(refused(await post(name, other.body, sender.sign(one)))[0]).toBe(401);
  const second = accepted(await post(name, other.body, sender.sign(other)));
  expect([second.deliveryId === first.deliveryId, second.repeated]).toEqual([false, undefined]);
});

it('another body under an id that was used is told so, and neither taken in nor taken for the first', async () => {
  const sender = senderOf('standard-webhooks, v1');
  const name = sourceNames.get(sender) ?? '';
  const sent = message();
  const { deliveryId } = accepted(await post(name, sent.body, sender.sign(sent)));
  const other = { ...sent, body: '{"another":true}' };
  const told = refused(await post(name, other.body, sender.sign(other)));
  expect(told.slice(0, 2)).toEqual([422, 'idempotency-key-reused']);
  expect(accepted(await post(name, sent.body, sender.sign(sent)))).toEqual({ deliveryId, repeated: true });
});

describe('the secrets of a source', () => {
  const sender = senderOf('standard-webhooks, v1');

  it('that a command made, and those of rotations, hold from the next message on, the two newest', async () => {
    const scheme = sender.settings;
    const added = await addSource(gateway.dataDir, { name: 'rotated', companyId: gateway.companyId, scheme });
    const secrets = [printedSecret(added)];
    const live = async () => {
      const answers = secrets.map(async (secret) => {
        const sent = message();
        return (await post('rotated', sent.body, sender.sign(sent, secret))).status;
      });
      return Promise.all(answers);
    };
    expect(await live()).toEqual([202]);
    for (const expected of [
      [202, 202],
      [401, 202, 202],
    ]) {
      secrets.push(printedSecret(await segueHere(gateway.dataDir, 'source', 'rotate', 'rotated')));
      expect(await live()).toEqual(expected);
    }
    await segueHere(gateway.dataDir, 'source', 'rotate', 'rotated', '--drop-old');
    expect(await live()).toEqual([401, 401, 202]);
  });

  it('end with it: the next message is answered as for a source that never was', async () => {
    const { settings: scheme, secret } = sender;
    await addSource(gateway.dataDir, { name: 'removed', companyId: gateway.companyId, scheme, secret });
    const sent = message();
    accepted(await post('removed', sent.body, sender.sign(sent)));
    await segueHere(gateway.dataDir, 'source', 'remove', 'removed');
    const told = refused(await post('removed', sent.body, sender.sign(sent)));
    expect(told).toEqual([404, 'source-not-found', expect.any(String), expect.any(String)]);
    for (const name of ['never', 'NEVER', 'n%65ver', 'a'.repeat(200)]) {
      expect(refused(await post(name, sent.body, sender.sign(sent)))).toEqual(told);
    }
  });
});

it('what is too large is 413, whoever sends it', async () => {
  const sender = senderOf('github');
  const name = sourceNames.get(sender) ?? '';
  const largest = message(Buffer.alloc(262_144, 'x'));
  accepted(await post(name, largest.body, sender.sign(largest)));
  const larger = message(Buffer.alloc(262_145, 'x'));
  expect(refused(await post(name, larger.body, sender.sign(larger))).slice(0, 2)).toEqual([413, 'too-large']);
});

it('what was said of all this holds no secret, signature or body; nor does the store hold a secret', async () => {
  const sender = senderOf('shopify');
  const sent = message('{"name":"CANARY body"}');
  const headers = sender.sign(sent);
  accepted(await post(sourceNames.get(sender) ?? '', sent.body, { ...headers, 'x-canary': 'CANARY header' }));
  await post('canary-name', sent.body, headers);
  const said = gateway.stdout() + gateway.stderr();
  expect(said).toContain('"operation":"receiveWebhook"');
  const signature = Object.values(headers).join();
  for (const canary of ['CANARY', 'canary-name', signature, ...SENDERS.map(({ secret }) => secret)]) {
    expect(said).not.toContain(canary);
  }
  const files = readdirSync(gateway.dataDir).filter((file) => file.startsWith('segue.db'));
  const kept = Buffer.concat(files.map((file) => readFileSync(join(gateway.dataDir, file)))).toString('latin1');
  for (const { secret } of SENDERS) expect(kept).not.toContain(secret);
});
