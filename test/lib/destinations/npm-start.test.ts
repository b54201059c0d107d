import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { deliveriesIn } from '../../../lib/deliveries/queue.ts';
import { RESULT_DELIVERIES } from '../../../lib/destinations/deliveries.ts';
import { resultsIn } from '../../../lib/destinations/results.ts';
import { AdministrationClient } from '../../../packages/client/administration.ts';
import { ask, creationOf } from '../../faults/asking.ts';
import { EVENTUALLY } from '../../support/eventually.ts';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { nowUtc, smallProject } from '../../support/projects.ts';
import { segueIn } from '../../support/segue.ts';
import { openSqlite } from '../storage/folder.ts';
import { portOf } from '../upstream/server.ts';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts a receiver, which runs until the test ends. */
async function startReceiver(answer: (response: ServerResponse, received: Received) => void) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const text of request.setEncoding('utf8')) body += text;
    const entry = { path: request.url ?? '', headers: request.headers, body };
    received.push(entry);
    answer(response, entry);
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { received, host: `127.0.0.1:${portOf(server.address())}` };
}

/** Adds a destination to a gateway, whose requests go to a path of a host. */
async function addDestination({ dataDir, companyId }: StartedGateway, host: string, target = host) {
  const file = join(dataDir, 'mapping.jsonata');
  writeFileSync(
    file,
    `{ "method": "PUT", "url": "http://${target}/" & project.customId, "body": segments.translation }`,
  );
  const about = ['--company', companyId, '--on', 'language.completed', '--mapping', file, '--host', host];
  const secret = ['--secret-from-stdin', '--secret-header', 'X-Token'];
  const readStdin = async () => 'CANARY secret\n';
  const { code, stderr } = await segueIn(dataDir, { readStdin }, 'destination', 'add', 'cms', ...about, ...secret);
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
  await addDestination(first, host);
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
  await addDestination(gateway, host);
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
  await addDestination(gateway, host);
  await createProject(gateway);
  await vi.waitFor(async () => {
    const { deliveries } = await clientOf(gateway).listResults('cms');
    expect(deliveries).toMatchObject([{ state: 'dead', failure: { reason: 'address-refused' } }]);
  }, EVENTUALLY);
  expect(received).toEqual([]);
});
