import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { DeliveryAccepted } from '../../../lib/contract/answers.ts';
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

let ids = 0;
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
const INVALID = [401, 'invalid-signature', expect.any(String), expect.any(String)];

it.each(['standard-webhooks, v1', 'github'].map((name, n) => ({ ...senderOf(name), source: `source-${n}` })))(
  'accepts a message of $name once, by its exact bytes, and refuses it with a header twice or another signature',
  async (sender) => {
    const { source, settings: scheme, secret } = sender;
    const added = await addSource(gateway.dataDir, { name: source, companyId: gateway.companyId, scheme, secret });
    expect(added).toMatchObject({ code: 0, stdout: expect.not.stringContaining(secret) });
    for (const body of [Buffer.from('"é😀"'), Buffer.from('\ufeff{ }\r\n')]) {
      const sent = message(body);
      const headers = sender.sign(sent);
      const { deliveryId, repeated } = accepted(await post(source, body, headers));
      expect(repeated).toBeUndefined();
      expect(accepted(await post(source, body, headers))).toEqual({ deliveryId, repeated: true });
      expect(refused(await post(source, Buffer.concat([body, Buffer.from(' ')]), headers))).toEqual(INVALID);
    }
    const sent = message();
    const headers = sender.sign(sent);
    const wrong = [
      sender.sign(sent, sender.otherSecret),
      {},
      ...Object.entries(headers).map(([header, value]) => ({ ...headers, [header]: [value, value] })),
    ];
    for (const given of wrong) expect(refused(await post(source, sent.body, given))).toEqual(INVALID);
  },
);

it('distinguishes bodies that are not UTF-8 and decode to the same text', async () => {
  const { settings: scheme, secret, sign } = senderOf('github');
  await addSource(gateway.dataDir, { name: 'bytes', companyId: gateway.companyId, scheme, secret });
  const [one, other] = [Buffer.from([0x22, 0xfe, 0x22]), Buffer.from([0x22, 0xff, 0x22])] as const;
  const first = accepted(await post('bytes', one, sign(message(one))));
  expect(refused(await post('bytes', other, sign(message(one))))).toEqual(INVALID);
  const second = accepted(await post('bytes', other, sign(message(other))));
  expect([second.deliveryId === first.deliveryId, second.repeated]).toEqual([false, undefined]);
});

it('uses the two newest secrets of a source from the next message on, and none after the source is removed', async () => {
  const { settings: scheme, sign } = senderOf('standard-webhooks, v1');
  const added = await addSource(gateway.dataDir, { name: 'rotated', companyId: gateway.companyId, scheme });
  const secrets = [printedSecret(added)];
  const answers = () =>
    Promise.all(
      secrets.map(async (secret) => {
        const sent = message();
        return (await post('rotated', sent.body, sign(sent, secret))).status;
      }),
    );
  expect(await answers()).toEqual([202]);
  for (const expected of [
    [202, 202],
    [401, 202, 202],
  ]) {
    secrets.push(printedSecret(await segueHere(gateway.dataDir, 'source', 'rotate', 'rotated')));
    expect(await answers()).toEqual(expected);
  }
  await segueHere(gateway.dataDir, 'source', 'rotate', 'rotated', '--drop-old');
  expect(await answers()).toEqual([401, 401, 202]);
  await segueHere(gateway.dataDir, 'source', 'remove', 'rotated');
  expect(await answers()).toEqual([404, 404, 404]);
});

it('writes no secret, signature or body to its output, and no secret to the store', async () => {
  const { settings: scheme, secret, sign } = senderOf('shopify');
  await addSource(gateway.dataDir, { name: 'quiet', companyId: gateway.companyId, scheme, secret });
  const sent = message('{"name":"CANARY body"}');
  const headers = sign(sent);
  accepted(await post('quiet', sent.body, { ...headers, 'x-canary': 'CANARY header' }));
  await post('canary-name', sent.body, headers);
  const output = gateway.stdout() + gateway.stderr();
  expect(output).toContain('"operation":"receiveWebhook"');
  const secrets = SENDERS.map((sender) => sender.secret);
  for (const canary of ['CANARY', 'canary-name', Object.values(headers).join(), ...secrets]) {
    expect(output).not.toContain(canary);
  }
  const files = readdirSync(gateway.dataDir).filter((file) => file.startsWith('segue.db'));
  const stored = Buffer.concat(files.map((file) => readFileSync(join(gateway.dataDir, file)))).toString('latin1');
  for (const text of secrets) expect(stored).not.toContain(text);
});
