import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { checkProject } from '../../lib/contract/check-project.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { createApiKey, hashApiKey } from '../../lib/credentials/api-key.ts';
import { companyKey, NEW_COMPANY } from '../../lib/credentials/company-record.ts';
import { type KeyRecord, keyRecordKey } from '../../lib/credentials/key-record.ts';
import { projectFrom } from '../../lib/service/project-from.ts';
import { type SourceRecord, sourceKey } from '../../lib/webhooks/sources.ts';
import { type Listening, listen } from '../../test/support/listen.ts';
import { senderOf } from '../../test/support/senders.ts';
import { WEBHOOK_SECRETS } from './environment.ts';

const SECRET = { companyId: 'acme', apiKey: 'not-a-real-key' };

/** The sender of webhook messages. Its source is stored in the table. */
export const SENDER = senderOf('github');
const SOURCE: SourceRecord = {
  companyId: 'acme',
  scheme: SENDER.settings,
  sourceId: '0123456789ab',
  secretsAt: 'bench',
  liveSecrets: 1,
  createdAtUtc: '2026-11-20T09:37:30.000Z',
};
const { keyId, apiKey } = createApiKey();
/** The credentials of the company in the table, as a client sends them. */
export const AUTHORIZATION = `Basic ${Buffer.from(`${SECRET.companyId}:${apiKey}`).toString('base64')}`;
const KEY: KeyRecord = {
  companyId: SECRET.companyId,
  hash: hashApiKey(apiKey),
  scopes: ['create', 'read', 'delete'],
  state: 'active',
  createdAtUtc: '2026-11-20T09:37:30.000Z',
};
/** The items of the table. */
const ITEMS = [
  { ...sourceKey('bench'), data: SOURCE },
  { ...companyKey('acme'), data: NEW_COMPANY },
  { ...keyRecordKey(keyId), data: KEY },
].map(({ partition, sort, data }) => ({
  partition: { S: partition },
  sort: { S: sort },
  version: { N: '1' },
  data: { S: JSON.stringify(data) },
}));

/**
 * Starts a server that stands in for all services that a function calls. It answers as Secrets Manager, as a DynamoDB
 * table with one company, its API key and its webhook source, and as an upstream service that creates each project.
 */
export function openStandIns(): Promise<Listening> {
  const answers = async (target: unknown, body: string): Promise<unknown> => {
    switch (target) {
      case 'secretsmanager.GetSecretValue':
        return { SecretString: JSON.stringify(body.includes(WEBHOOK_SECRETS) ? [SENDER.secret] : SECRET) };
      case 'DynamoDB_20120810.GetItem':
        return { Item: ITEMS.find((item) => asksFor(item, body)) };
      case 'DynamoDB_20120810.TransactWriteItems':
        return {};
      case undefined:
        return createdProject(body);
      default:
        throw new Error(`A function called ${target}`);
    }
  };
  return listen(
    createServer(async (request, response) => {
      const target = request.headers['x-amz-target'];
      const answer = JSON.stringify(await answers(target, await text(request)));
      const [status, type] = target === undefined ? [201, 'application/json'] : [200, 'application/x-amz-json-1.0'];
      response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(answer) }).end(answer);
    }),
  );
}

function asksFor({ partition, sort }: (typeof ITEMS)[number], body: string): boolean {
  return [partition, sort].every(({ S }) => body.includes(JSON.stringify(S)));
}

function createdProject(body: string): unknown {
  const nowMs = Date.now();
  const project = checkProject(JSON.parse(body), { nowMs, toleranceMs: LIMITS.startDateToleranceMs });
  return projectFrom(project, 1, nowMs);
}
