import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { deliveriesIn } from '../../../lib/deliveries/queue.ts';
import { RESULT_DELIVERIES } from '../../../lib/destinations/deliveries.ts';
import { resultsIn } from '../../../lib/destinations/results.ts';
import { AdministrationClient } from '../../../packages/client/administration.ts';
import { ask, creationOf } from '../../faults/asking.ts';
import { addDestination, resultReceiver } from '../../support/destinations.ts';
import { EVENTUALLY } from '../../support/eventually.ts';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { nowUtc, smallProject } from '../../support/projects.ts';
import { segueIn } from '../../support/segue.ts';
import { openSqlite } from '../storage/folder.ts';

/** Starts a receiver, which runs until the test ends. */
async function startReceiver(answer: Parameters<typeof resultReceiver>[0]) {
  const receiver = await resultReceiver(answer);
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  return { received: receiver.received, host: receiver.address };
}

/** Adds a destination to a gateway, whose requests go to a host. */
async function addTo({ dataDir, companyId }: StartedGateway, host: string) {
  const mapping = `{ "method": "PUT", "url": "http://${host}/" & project.customId, "body": segments.translation }`;
  const options = { name: 'cms', companyId, mapping, host, secret: 'CANARY secret' };
  const { code, stderr } = await addDestination(dataDir, options);
  expect([code, stderr]).toEqual([0, '']);
}

/** Creates a project that is translated at once. */
function createProject(gateway: StartedGateway) {
  const targetLanguages = [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }];
  const segments = [{ content: 'CANARY content' }];
  const fields = { customId: 'CANARY-page', startDateUtc: nowUtc(), targetLanguages, segments };
  return ask(gateway, creationOf(smallProject(fields)));
}

/** Ends the lease of the only open delivery, as if a minute had gone by. */
async function endLease(folder: string): Promise<void> {
  const store = openSqlite(Date.now, folder);
  const queue = deliveriesIn(RESULT_DELIVERIES, store, Date.now);
  const [open] = await Array.fromAsync(resultsIn(store, Date.now).listOpen({}));
  const delivery = open && (await queue.readIn('open', open));
  if (!delivery) throw new Error('There is no open delivery');
  await queue.change(delivery, { ...delivery.state, dueMs: Date.now() });
  store.close();
}

function clientOf({ url: baseUrl, companyId, apiKey }: StartedGateway) {
  return new AdministrationClient({ baseUrl, companyId, apiKey });
}

it('sends again what a killed process was sending, with the same key, and logs no content and no secret', async () => {
  let isKilled = false;
  const { received, host } = await startReceiver((response) => {
    if (isKilled) response.end();
  });
  const first = await startGateway({ args: ['--allow-loopback-events'] });
  await addTo(first, host);
  await createProject(first);
  await vi.waitFor(() => expect(received).toHaveLength(1), EVENTUALLY);
  first.process.kill('SIGKILL');
  await once(first.process, 'close');
  isKilled = true;
  await endLease(first.dataDir);
  const env = { SEGUE_DATA_DIR: first.dataDir, SEGUE_COMPANY_ID: first.companyId, SEGUE_API_KEY: first.apiKey };
  const second = await startGateway({ args: ['--allow-loopback-events'], env });
  onTestFinished(async () => void (await second.stop()));
  await vi.waitFor(() => expect(received).toHaveLength(2), EVENTUALLY);
  const [one, other] = received;
  expect(other).toMatchObject({ path: one?.path, body: one?.body });
  expect(other?.headers['idempotency-key']).toBe(one?.headers['idempotency-key']);
  expect(other?.headers['x-token']).toBe('CANARY secret');
  await vi.waitFor(async () => expect((await clientOf(second).listResults('cms')).deliveries).toEqual([]), EVENTUALLY);
  const output = [first, second].map((gateway) => gateway.stdout() + gateway.stderr()).join();
  expect(output).toContain('"operation":"sendResults"');
  for (const text of ['CANARY', host]) expect(output).not.toContain(text);
  const files = readdirSync(first.dataDir).filter((file) => file.startsWith('segue.db'));
  const stored = Buffer.concat(files.map((file) => readFileSync(join(first.dataDir, file)))).toString('latin1');
  expect(stored).not.toContain('CANARY secret');
});

it('follows no redirect, and sends nothing to a host that is not allowed', async () => {
  const other = await startReceiver((response) => response.end());
  const { received, host } = await startReceiver((response) => {
    response.writeHead(302, { location: `http://${other.host}/` }).end();
  });
  const gateway = await startGateway({ args: ['--allow-loopback-events'] });
  onTestFinished(async () => void (await gateway.stop()));
  await addTo(gateway, host);
  await createProject(gateway);
  const client = clientOf(gateway);
  await vi.waitFor(async () => {
    const { deliveries } = await client.listResults('cms');
    expect(deliveries).toMatchObject([{ state: 'dead', failure: { reason: 'status', status: 302 } }]);
  }, EVENTUALLY);
  expect(received).toHaveLength(1);
  const [letter] = (await client.listResults('cms')).deliveries;
  const { code } = await segueIn(gateway.dataDir, {}, 'destination', 'change', 'cms', '--host', 'cms.example');
  expect(code).toBe(0);
  await client.redriveResult('cms', letter?.id ?? '');
  await vi.waitFor(async () => {
    const { deliveries } = await client.listResults('cms');
    expect(deliveries).toMatchObject([{ state: 'dead', failure: { reason: 'host-refused' } }]);
  }, EVENTUALLY);
  expect([received.length, other.received.length]).toEqual([1, 0]);
});

it('sends nothing to this machine unless its start allows it', async () => {
  const { received, host } = await startReceiver((response) => response.end());
  const gateway = await startGateway();
  onTestFinished(async () => void (await gateway.stop()));
  await addTo(gateway, host);
  await createProject(gateway);
  await vi.waitFor(async () => {
    const { deliveries } = await clientOf(gateway).listResults('cms');
    expect(deliveries).toMatchObject([{ state: 'dead', failure: { reason: 'address-refused' } }]);
  }, EVENTUALLY);
  expect(received).toEqual([]);
});

it('shows and sends a test with the secret, of which its output says nothing', async () => {
  const { received, host } = await startReceiver((response) => response.end('CANARY answer'));
  const gateway = await startGateway({ args: ['--allow-loopback-events'] });
  onTestFinished(async () => void (await gateway.stop()));
  await addTo(gateway, host);
  await createProject(gateway);
  await vi.waitFor(() => expect(received).toHaveLength(1), EVENTUALLY);
  const client = clientOf(gateway);
  const { test = '', requests } = await client.showTest('cms', 'CANARY-page', 'de-DE');
  expect(requests).toMatchObject([{ method: 'PUT', url: `http://${host}/CANARY-page` }]);
  expect(JSON.stringify(requests)).not.toContain('CANARY secret');
  expect(received).toHaveLength(1);
  const sent = await client.sendTest('cms', 'CANARY-page', 'de-DE', test);
  expect(sent).toMatchObject({ sent: true, ends: [{ status: 200, answerBytes: 13 }] });
  expect(JSON.stringify(sent)).not.toMatch(/CANARY (?:secret|answer)/);
  expect(received[1]).toMatchObject({ body: received[0]?.body, headers: { 'x-token': 'CANARY secret' } });
  await vi.waitFor(() => expect(gateway.stderr()).toContain('"operation":"sendTest"'), EVENTUALLY);
  const output = gateway.stdout() + gateway.stderr();
  for (const text of ['CANARY', host]) expect(output).not.toContain(text);
});
