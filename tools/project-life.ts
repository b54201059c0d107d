import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { SegueClient } from '../packages/client/segue-client.ts';
import type { NewProject } from '../packages/client/types.ts';
import { portOf } from '../test/lib/upstream/server.ts';
import { startGateway } from '../test/support/gateway.ts';
import { startApertium } from './emulators/apertium.ts';

/**
 * `npm run life` shows the whole life of a project, with real parts: `npm start`, Apertium, the command line, and a
 * receiver that verifies signed events. It fails at the first step that does not do what `docs/project-life.md` says.
 */

const ROOT = join(import.meta.dirname, '..');
const LANGUAGES = ['es-ES', 'ca'];
const TEAM = [
  { id: 7001, name: 'Example Manager', username: 'manager@example.com', isProjectManager: true },
  { id: 7002, name: 'Example Translator', username: 'translator@example.com', isTranslator: true },
  { id: 7003, name: 'Example Proofreader', username: 'proofreader@example.com', isProofreader: true },
];
const POLL_MS = 100;
const MAX_WAIT_MS = 120_000;
const DECLARATION: NewProject = JSON.parse(readFileSync(join(ROOT, 'test/data/udhr-html.json'), 'utf8'));

await using stack = new AsyncDisposableStack();
const apertium = await startApertium();
stack.defer(() => apertium.stop());
const gateway = await startGateway({
  args: ['--allow-loopback-events'],
  env: { SEGUE_TRANSLATION_ENGINE: 'apertium', SEGUE_TRANSLATION_URL: apertium.url },
});
stack.defer(async () => void (await gateway.stop()));
const { url, companyId, apiKey, dataDir } = gateway;
const segue = new SegueClient({ baseUrl: url, companyId, apiKey });

// A receiver verifies the signature of each event with the company's secret.
const { secret } = await segue.createEventSecret();
const webhook = new Webhook(secret);
const received: string[] = [];
const receiver = createServer(async (request, response) => {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const body = await text(request);
  webhook.verify(body, headers);
  const { type, data } = JSON.parse(body);
  received.push([type, data.languageCode].filter(Boolean).join(' '));
  response.writeHead(204).end();
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
stack.defer(() => void receiver.close());

step('Create a project of a real text');
const project = await segue.createProject({
  name: DECLARATION.name,
  endDateUtc: '2099-12-31T12:00:00Z',
  sourceLanguageCode: 'en-GB',
  eventUrl: `http://127.0.0.1:${portOf(receiver.address())}`,
  targetLanguages: LANGUAGES.map((targetLanguageCode) => ({
    targetLanguageCode,
    managedProject: true,
    serviceAutomaticTranslation: true,
    serviceProofreading: true,
    team: TEAM,
  })),
  segments: DECLARATION.segments.map(({ content, customId }) => ({ content, customId, taskId: 'declaration' })),
});
const { id } = project;
print(`project ${id}: ${DECLARATION.segments.length} segments`);

step('Apertium translates it');
await until(async () => JSON.stringify(await segue.getProject(id)).split('"state":"done"').length > LANGUAGES.length);
for await (const { source, translations } of segue.eachSegment(id)) {
  print(`${source?.content}  ->  ${translations?.map(({ content }) => content).join('  |  ')}`);
  if (source?.customId === 'udhr-3') break;
}

step('Segue assigns the proofreading of each language');
await until(async () => (await segue.getProgress(id)).assignees?.length === LANGUAGES.length);
for (const { languageCode, role, memberId } of (await segue.getProgress(id)).assignees ?? []) {
  print(`${languageCode}: ${role} ${memberId}`);
}

step('Export each language as XLIFF, let a translator work on it, and import it as proofread');
for (const language of LANGUAGES) {
  const file = join(dataDir, `${language}.xlf`);
  print(await cli('export', String(id), '--language', language, '--out', file));
  const xliff = readFileSync(file, 'utf8');
  // The translator's tool. It shortens a greeting, and marks every translation as final.
  writeFileSync(file, xliff.replace(/<target state="[^"]*"/g, '<target state="final"'));
  print(await cli('import', file, '--status', 'proofread'));
}
const { total, languages } = await segue.getProgress(id);
print(`progress: ${total}; ${languages?.map((each) => `${each.languageCode} ${each.progress}`).join(', ')}`);
assert.equal(total, 100);

step('language.completed arrives, signed');
const completed = LANGUAGES.map((language) => `language.completed ${language}`);
await until(async () => completed.every((event) => received.includes(event)));
print(received.join('\n'));

step('Delete the project');
const { removed } = await segue.deleteProject(id, 'project');
print(`deleted: ${removed.segments} segments, ${removed.targetLanguages} languages`);
await until(async () => received.includes('project.deleted'));

step('Only ids and times are left in the store and in the feed');
// The worker removes the translations, and the sweeper the payloads.
await until(async () => {
  const { items, payloads } = left();
  return payloads === 0 && !items.some(({ sort }) => /^(translation|edit|assignment|outbox)\//.test(sort));
});
for (const { sort, data } of left().items) print(`${sort}  ${data.slice(0, 300)}`);
for await (const event of segue.events()) print(`feed: ${event.type} ${JSON.stringify(event.data)}`);
const stored = ['segue.db', 'segue.db-wal'].map((name) => readFileSync(join(dataDir, name), 'utf8')).join('');
const secrets = [DECLARATION.name, ...TEAM.flatMap(({ name, username }) => [name, username])];
for (const text of [...secrets, ...DECLARATION.segments.map(({ content }) => content)]) {
  assert.ok(!stored.includes(text), 'The store still has a text of the project');
}
console.log('\nThe project has lived.');

/** Prints the title of a step. */
function step(title: string): void {
  console.log(`\n== ${title}`);
}

function print(text: string): void {
  console.log(text.trim().replace(/^/gm, '   '));
}

/** Waits until something holds: the worker, the events and the sweeper run in the background. */
async function until(holds: () => Promise<boolean | undefined>): Promise<void> {
  for (let waitedMs = 0; !(await holds()); waitedMs += POLL_MS) {
    assert.ok(waitedMs < MAX_WAIT_MS, 'This step takes too long');
    await setTimeout(POLL_MS);
  }
}

/** Runs a command of the command line, and returns its output. */
async function cli(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, SEGUE_URL: url, SEGUE_COMPANY_ID: companyId, SEGUE_API_KEY: apiKey };
  const { stdout } = await promisify(execFile)('npx', ['--no-install', 'segue', ...args], { cwd: ROOT, env });
  return stdout;
}

/** Returns what the store has of the project, and the number of payloads of the whole store. */
function left() {
  using database = new DatabaseSync(join(dataDir, 'segue.db'), { readOnly: true });
  const items = database
    .prepare('SELECT sort, data FROM items WHERE sort LIKE ? OR data LIKE ?')
    .all(`%${id}%`, `%${id}%`);
  const { payloads } = database.prepare('SELECT count(*) AS payloads FROM payloads').get() ?? {};
  return { payloads, items: items.map(({ sort, data }) => ({ sort: String(sort), data: String(data) })) };
}
