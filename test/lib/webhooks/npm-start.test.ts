import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { AdministrationClient } from '../../../packages/client/administration.ts';
import { EVENTUALLY } from '../../support/eventually.ts';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { send } from '../../support/http.ts';
import { SENDERS, senderOf } from '../../support/senders.ts';
import { addSource } from '../../support/sources.ts';

let gateway: StartedGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const post = (source: string, body: string, headers: Record<string, string>) =>
  send(gateway.url, { method: 'POST', path: `/webhooks/${source}`, headers, body });

it('shows its sources and deliveries to this machine, for the key of the company', async () => {
  const { settings: scheme, secret, sign } = senderOf('shopify');
  const { url: baseUrl, companyId, apiKey } = gateway;
  const mapping = 'body.fails ? $error("no") : null';
  await addSource(gateway.dataDir, { name: 'shown', companyId, scheme, secret, mapping });
  const client = new AdministrationClient({ baseUrl, companyId, apiKey });
  expect(await client.listSources()).toMatchObject([{ name: 'shown', companyId, mapping }]);
  const sent = { body: '{"fails":true}', atMs: Date.now(), id: 'msg_0' };
  expect((await post('shown', sent.body, sign(sent))).status).toBe(202);
  await vi.waitFor(async () => {
    const { deliveries } = await client.listDeliveries('shown');
    expect(deliveries).toMatchObject([{ state: 'dead', problem: 'mapping-failed' }]);
  }, EVENTUALLY);
});

it('writes no secret, signature or body to its output, and no secret to the store', async () => {
  const { settings: scheme, secret, sign } = senderOf('shopify');
  await addSource(gateway.dataDir, { name: 'quiet', companyId: gateway.companyId, scheme, secret });
  const sent = { body: '{"name":"CANARY body"}', atMs: Date.now(), id: 'msg_1' };
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
