import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

// Signs a message as Standard Webhooks describe, and sends it.
const { SECRET, MESSAGE, SEGUE_URL } = process.env;
if (!SECRET || !MESSAGE || !SEGUE_URL) {
  process.stderr.write('Set SECRET (whsec_…), MESSAGE (a file) and SEGUE_URL, such as http://127.0.0.1:8787\n');
  process.exit(2);
}
const key = Buffer.from(SECRET.replace('whsec_', ''), 'base64');
const id = randomUUID();
const timestamp = String(Math.floor(Date.now() / 1_000));
const body = readFileSync(MESSAGE, 'utf8');
const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
const headers = {
  'Content-Type': 'application/json',
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': `v1,${signature}`,
};
const answer = await fetch(`${SEGUE_URL}/webhooks/cms`, { method: 'POST', headers, body });
process.stdout.write(`${answer.status} ${await answer.text()}\n`);
