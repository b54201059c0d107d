import { describe, expect, it } from 'vitest';
import { basicHeader } from '../../lib/contract/basic-credentials.ts';
import { utc } from '../../lib/contract/date.ts';
import { createApiKey } from '../../lib/credentials/api-key.ts';
import { companiesIn, type LimitChange } from '../../lib/credentials/companies.ts';
import { openGateway } from '../../packages/cli/test/world.ts';
import { openSqlite, temporaryFolder } from '../lib/storage/folder.ts';
import { send } from '../support/http.ts';
import { smallProject } from '../support/projects.ts';

/** How long the gateway uses an answer of the authorizer, in milliseconds. */
const CACHED_MS = 30_000;
/** How long the key works, in milliseconds. */
const LIFETIME_MS = 60_000;

/** Opens a gateway with a key that expires, and two projects. The gateway has just authorized the credentials. */
async function arrange(kind: 'API key' | 'access token') {
  const folder = temporaryFolder();
  const { clock, url } = await openGateway(folder);
  const now = () => clock.nowMs;
  const companies = companiesIn(openSqlite(now, folder), now);
  const key = createApiKey();
  const expiresAtUtc = utc(now() + LIFETIME_MS);
  await companies.add('acme', key, { scopes: ['create', 'read', 'delete'], expiresAtUtc });
  const basic = basicHeader({ companyId: 'acme', apiKey: key.apiKey });
  const token = async () => {
    const { text } = await send(url, {
      method: 'POST',
      path: '/authentication/token',
      headers: { Authorization: basic },
    });
    return `Bearer ${JSON.parse(text).AccessToken}`;
  };
  const Authorization = kind === 'API key' ? basic : await token();
  const ask = (method: string, path: string, headers = {}, body?: string) =>
    send(url, { method, path, headers: { Authorization, ...headers }, ...(body !== undefined && { body }) });
  clock.nowMs += LIFETIME_MS - CACHED_MS + 1;
  for (const customId of ['one', 'two']) {
    const body = JSON.stringify(
      smallProject({ customId, startDateUtc: utc(now()), endDateUtc: '2099-01-01T00:00:00Z' }),
    );
    const { status } = await ask('POST', '/segments/projects', { 'Content-Type': 'application/json' }, body);
    expect(status).toBe(201);
  }
  const remove = (customId: string, headers = {}) => ask('DELETE', `/segments/projects/custom/${customId}`, headers);
  const list = async () => (await ask('GET', '/segments/projects')).status;
  const limit = (change: LimitChange) => companies.limit(key.keyId, change);
  return { clock, list, limit, remove };
}

const REFUSED = [401, 'The API key is no longer active. Segue did nothing.'];
const statusAndDetail = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).detail];

describe.each(['API key', 'access token'] as const)('while the gateway still accepts an %s', (kind) => {
  it.each(['with', 'without'])('deletions stop when the key expires, %s an idempotency key', async (which) => {
    const once = (key: string) => (which === 'with' ? { 'Idempotency-Key': key } : {});
    const { clock, list, remove } = await arrange(kind);
    clock.nowMs += CACHED_MS - 2;
    expect((await remove('one', once('1'))).status).toBe(204);
    clock.nowMs += 1;
    expect(await list()).toBe(200);
    expect(statusAndDetail(await remove('two', once('2')))).toEqual(REFUSED);
    // Nobody learns either that a project is absent, or the result of an earlier deletion.
    expect(statusAndDetail(await remove('one', once('1')))).toEqual(REFUSED);
  });

  it('deletions stop when the key gets an earlier expiry, and go on when it gets a later one', async () => {
    const { clock, list, limit, remove } = await arrange(kind);
    await limit({ expiresAtUtc: utc(clock.nowMs) });
    expect(await list()).toBe(200);
    expect(statusAndDetail(await remove('one'))).toEqual(REFUSED);
    await limit({ expiresAtUtc: utc(clock.nowMs + LIFETIME_MS) });
    clock.nowMs += CACHED_MS - 1;
    expect((await remove('one')).status).toBe(204);
  });

  it('deletions stop when the key may not be used from this address any more', async () => {
    const { list, limit, remove } = await arrange(kind);
    await limit({ networks: ['203.0.113.0/24'] });
    expect(await list()).toBe(200);
    expect(statusAndDetail(await remove('one'))).toEqual(REFUSED);
    await limit({ networks: ['127.0.0.1'] });
    expect((await remove('one')).status).toBe(204);
  });
});
