import { randomUUID } from 'node:crypto';
import { CreateSecretCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secretsManagerClient } from '../../lib/aws/secrets-manager-store.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { type HttpRequest, send } from '../support/http.ts';
import { asObject, type JsonObject, smallProject, uniqueId } from '../support/projects.ts';
import { awsSettings } from './store.ts';

const client = secretsManagerClient();
const secret = `segue/${randomUUID()}`;
let service: StartedGateway;
let front: StartedGateway;

beforeAll(async () => {
  service = await startGateway();
  await client.send(new CreateSecretCommand({ Name: secret, SecretString: account(service.apiKey) }));
  front = await startGateway({
    upstream: { url: service.url, companyId: '', apiKey: '' },
    env: { ...awsSettings(), SEGUE_API_KEY: 'another-key-for-tests', SEGUE_UPSTREAM_SECRET: secret },
  });
});
afterAll(async () => {
  await front?.stop();
  await service?.stop();
  client.destroy();
});

/** The secret's text, with the company that the service behind has. */
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

test('a project is created, read and deleted at the service whose account is in Secrets Manager', async () => {
  const customId = uniqueId();
  const [created, project] = await ask(front, create(smallProject({ customId })));
  expect(created).toBe(201);
  const path = `/segments/projects/${project['id']}`;
  expect(await ask(front, { method: 'GET', path })).toEqual([200, project]);
  const name = `segue.${front.companyId}.n.${customId}`;
  expect(await ask(service, { method: 'GET', path })).toEqual([200, { ...project, customId: name }]);
  const byCustomId = `/segments/projects/custom/${encodeURIComponent(customId)}`;
  expect(await ask(front, { method: 'DELETE', path: byCustomId })).toEqual([204, {}]);
  expect(await ask(front, { method: 'GET', path })).toMatchObject([404, { status: 404 }]);
  expect(await ask(service, { method: 'GET', path })).toMatchObject([404, { status: 404 }]);
});

test('a wrong key in the secret is unavailable, and a corrected one is used by the next request', async () => {
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
