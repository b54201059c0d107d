import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { SegueClient, SegueError, type SegueEvent } from 'segue-client';
import { Webhook } from 'standardwebhooks';

// A receiver of events. It verifies signed webhooks, and reads the feed for events that it missed while it was down.
const { PORT = '9000', STATE = 'receiver.json', SEGUE_EVENT_SECRET = '', ...env } = process.env;
const webhook = new Webhook(SEGUE_EVENT_SECRET);
const segue = new SegueClient({
  baseUrl: env['SEGUE_URL'] ?? '',
  companyId: env['SEGUE_COMPANY_ID'] ?? '',
  apiKey: env['SEGUE_API_KEY'] ?? '',
});

/** How long the id of an event is kept, in milliseconds. Segue may send an event again for 33 days. */
const KEPT_MS = 35 * 86_400_000;

/** The last event that was read from the feed, and the time of each event that was processed, by its id. */
interface State {
  after?: string | undefined;
  processed: Record<string, string>;
}
const state: State = existsSync(STATE) ? JSON.parse(readFileSync(STATE, 'utf8')) : { processed: {} };

/** Replaces the file in one step, so that a crash leaves the old file or the new one. */
function save(): void {
  writeFileSync(`${STATE}.new`, JSON.stringify(state));
  renameSync(`${STATE}.new`, STATE);
}

/** Processes an event once, however often it arrives. Replace the line of output by your own work. */
function processEvent(event: SegueEvent, from: 'webhook' | 'feed'): void {
  if (event.id in state.processed) return;
  process.stdout.write(`${from} ${event.type} ${event.data.projectId} ${event.sequence} ${event.id}\n`);
  state.processed[event.id] = event.timestamp;
  for (const [id, time] of Object.entries(state.processed)) {
    if (Date.parse(time) < Date.now() - KEPT_MS) delete state.processed[id];
  }
  save();
}

/** Reads the feed after the last event that was read from it. */
async function catchUp(): Promise<void> {
  try {
    for await (const event of segue.events({ after: state.after })) {
      processEvent(event, 'feed');
      state.after = event.id;
      save();
    }
  } catch (error) {
    if (!(error instanceof SegueError) || error.type !== 'events-expired') throw error;
    // This receiver was down for more than 30 days. Read the present state of your projects, then start again.
    state.after = undefined;
    await catchUp();
  }
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  try {
    webhook.verify(body, headers);
  } catch {
    response.writeHead(401).end();
    return;
  }
  processEvent(JSON.parse(body), 'webhook');
  response.writeHead(204).end();
});

await catchUp();
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : PORT;
  process.stdout.write(`The receiver is ready at http://127.0.0.1:${port}\n`);
});
