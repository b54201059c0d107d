import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { send } from '../../support/http.ts';
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
  expect((await post('quiet', sent.body, { ...headers, 'x-canary': 'CANARY header' })).status).toBe(202);
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
