import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { EVENT_SECRETS_FOLDER, eventSecretsIn } from '../../lib/credentials/event-secrets.ts';
import { secretFiles } from '../../lib/credentials/secret-files.ts';
import { outboxWrites } from '../../lib/idempotency/outbox.ts';
import { openSqlite, temporaryFolder } from '../lib/storage/folder.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { type StartedGateway, startGateway, textOf } from '../support/gateway.ts';

const RECEIVER = join(import.meta.dirname, '../../examples/receiver/receiver.ts');

/** Starts the example. @returns its output, and a function that kills it */
async function startReceiver({ url, companyId, apiKey }: StartedGateway, env: Readonly<Record<string, string>>) {
  const settings = { SEGUE_URL: url, SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey, ...env };
  const child = spawn(process.execPath, [RECEIVER], {
    env: childEnvironment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = [textOf(child.stdout), textOf(child.stderr)];
  const kill = () => child.kill('SIGKILL');
  onTestFinished(() => void kill());
  await vi.waitFor(() => expect(output() + errors()).toContain('is ready at'), EVENTUALLY);
  const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(output()) ?? [];
  return { output, kill, port };
}

it('examples/receiver verifies the events of npm start, and catches up from the feed after being down', async () => {
  const folder = temporaryFolder();
  const store = openSqlite(Date.now, folder);
  const secretStore = secretFiles(folder, EVENT_SECRETS_FOLDER);
  const { secret } = await eventSecretsIn({ store, secretStore, now: Date.now }).current('sandbox');
  const gateway = await startGateway({ args: ['--allow-loopback-events'], env: { SEGUE_DATA_DIR: folder } });
  onTestFinished(async () => void (await gateway.stop()));
  const state = { STATE: join(folder, 'receiver.json'), SEGUE_EVENT_SECRET: secret };
  const record = async (sequence: number, eventUrl: string) => {
    const event = { type: 'project.created', sequence, data: { projectId: 7 }, eventUrl } as const;
    const who = { companyId: gateway.companyId, requestId: 'test' };
    await store.commit({ writes: outboxWrites({ now: Date.now, newEventId: randomUUID }, who, event) });
  };

  const first = await startReceiver(gateway, { ...state, PORT: '0' });
  const eventUrl = `http://127.0.0.1:${first.port}/`;
  await record(1, eventUrl);
  await vi.waitFor(() => expect(first.output()).toMatch(/^webhook project\.created 7 1 /m), EVENTUALLY);
  first.kill();
  await record(2, eventUrl);
  await record(3, eventUrl);
  const second = await startReceiver(gateway, { ...state, PORT: first.port });
  expect(second.output().match(/^\w+ project\.created 7 \d/gm)).toEqual([
    'feed project.created 7 2',
    'feed project.created 7 3',
  ]);
  await record(4, eventUrl);
  await vi.waitFor(() => expect(second.output()).toMatch(/^webhook project\.created 7 4 /m), EVENTUALLY);
});
