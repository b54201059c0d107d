import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { EVENT_SECRETS_FOLDER, eventSecretsIn } from '../../lib/credentials/event-secrets.ts';
import { secretFiles } from '../../lib/credentials/secret-files.ts';
import { ask, creationOf, objectIn } from '../faults/asking.ts';
import { openSqlite, temporaryFolder } from '../lib/storage/folder.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { EVENTUALLY } from '../support/eventually.ts';
import { type StartedGateway, startGateway, textOf } from '../support/gateway.ts';
import { segment, smallProject } from '../support/projects.ts';

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

/** Returns the id of the event whose line begins with a text. */
function eventIn(output: string, text: string): string {
  expect(output).toContain(text);
  return output.split(text)[1]?.split('\n')[0] ?? '';
}

it('examples/receiver verifies the events of npm start, and catches up from the feed after being down', async () => {
  const folder = temporaryFolder();
  const store = openSqlite(Date.now, folder);
  const secretStore = secretFiles(folder, EVENT_SECRETS_FOLDER);
  const { secret } = await eventSecretsIn({ store, secretStore, now: Date.now }).current('sandbox');
  const gateway = await startGateway({ args: ['--allow-loopback-events'], env: { SEGUE_DATA_DIR: folder } });
  onTestFinished(async () => void (await gateway.stop()));
  const state = { STATE: join(folder, 'receiver.json'), SEGUE_EVENT_SECRET: secret };

  const first = await startReceiver(gateway, { ...state, PORT: '0' });
  const eventUrl = `http://127.0.0.1:${first.port}/`;
  const segments = [segment(), segment({ taskId: 'one' }), segment({ taskId: 'two' })];
  const created = await ask(gateway, creationOf(smallProject({ eventUrl, segments })));
  const id = objectIn(created)['id'];
  const path = `/segments/projects/${id}`;
  const remove = async (query = '') =>
    expect((await ask(gateway, { method: 'DELETE', path: path + query })).status).toBe(204);
  const processed = await vi.waitFor(() => eventIn(first.output(), `webhook project.created ${id} 1 `), EVENTUALLY);
  await vi.waitFor(() => expect(readFileSync(state.STATE, 'utf8')).toContain(processed), EVENTUALLY);
  first.kill();
  await remove('?taskId=one');
  await remove('?taskId=two');
  const second = await startReceiver(gateway, { ...state, PORT: first.port });
  expect(second.output().match(/^\w+ [\w.]+ \d+ \d/gm)).toEqual([
    `feed task.deleted ${id} 2`,
    `feed task.deleted ${id} 3`,
  ]);
  await remove();
  await vi.waitFor(() => expect(second.output()).toContain(`webhook project.deleted ${id} 4 `), EVENTUALLY);
});
