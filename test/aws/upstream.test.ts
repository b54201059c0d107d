import { randomUUID } from 'node:crypto';
import { CreateSecretCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { secretsManagerClient } from '../../lib/aws/secrets-manager-store.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { type HttpRequest, send } from '../support/http.ts';
import { asObject, type JsonObject, smallProject } from '../support/projects.ts';
import { awsSettings } from './store.ts';

const client = secretsManagerClient();
const secret = `segue/${randomUUID()}`;
let service: StartedGateway;

beforeAll(async () => {
  service = await startGateway();
  await client.send(new CreateSecretCommand({ Name: secret, SecretString: account(service.apiKey) }));
});
afterAll(async () => {
  await service?.stop();
  client.destroy();
});

/** Returns the text of the secret. */
function account(apiKey: string): string {
  return JSON.stringify({ companyId: service.companyId, apiKey });
}

async function ask({ authorization, url }: StartedGateway, request: HttpRequest): Promise<[number, JsonObject]> {
  const { status, text } = await send(url, { ...request, headers: { ...request.headers, authorization } });
  return [status, text === '' ? {} : asObject(JSON.parse(text))];
}

const create = (project: JsonObject): HttpRequest => ({
  method: 'POST',
  path: '/segments/projects',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(project),
});

it('answers 503 with a wrong key in the secret, and uses a corrected key for the next request', async () => {
  const put = (apiKey: string) =>
    client.send(new PutSecretValueCommand({ SecretId: secret, SecretString: account(apiKey) }));
  const wrong = 'a-key-that-is-wrong';
  await put(wrong);
  const stale = await startGateway({
    upstream: { url: service.url, companyId: '', apiKey: '' },
    env: { ...awsSettings(), SEGUE_UPSTREAM_SECRET: secret },
  });
  try {
    const [status, problem] = await ask(stale, create(smallProject()));
    expect(status).toBe(503);
    expect(problem).toMatchObject({ type: expect.stringMatching(/\/upstream-unavailable$/), outcome: 'not-applied' });
    await put(service.apiKey);
    expect((await ask(stale, create(smallProject())))[0]).toBe(201);
    for (const said of [stale.stdout(), stale.stderr(), JSON.stringify(problem)]) {
      expect(said).not.toContain(wrong);
      expect(said).not.toContain(secret);
    }
  } finally {
    await stale.stop();
  }
});
