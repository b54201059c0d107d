import { expect, it } from 'vitest';
import { basicHeader } from '../../../lib/contract/basic-credentials.ts';
import { json, type Play, type Received } from '../../../test/lib/upstream/server.ts';
import type { SegueClient } from '../segue-client.ts';
import { errorOf, KEY, newProject, refuse, world } from './world.ts';

/** A key that is written differently in other formats. */
const API_KEY = 'key "of" acme/€\\';
const BASIC = basicHeader({ ...KEY, apiKey: API_KEY }).slice('Basic '.length);
const TOKENS = { AccessToken: 'an-access-token', RefreshToken: 'a-refresh-token', expiresIn: 1_800 };

/** Returns every text that an error may show. */
function shown(error: Error): string {
  return [
    error.message,
    String(error),
    JSON.stringify(error),
    ...Object.values(error).map((value) => String(value)),
  ].join('\n');
}

/** Returns an answer with a problem whose texts all repeat the request. */
const echo =
  (said: (request: Received) => string): Play =>
  (request, response) => {
    const text = `You said ${said(request)}, and again ${said(request)}.`;
    const errors = [{ pointer: text, code: text, detail: text, allowed: [text, 1] }];
    const fields = { title: text, detail: text, instance: text, operationId: text, deletedAtUtc: text, errors };
    refuse('invalid-project', { ...fields, outcome: 'not-applied' })(request, response);
  };

const create = (client: SegueClient) => client.createProject(newProject);

it.each([
  ['Basic credentials', BASIC],
  ['Basic credentials without padding', BASIC.replace(/=+$/, '')],
  ['Basic credentials in the alphabet of URLs', Buffer.from(BASIC, 'base64').toString('base64url')],
  ['the key', API_KEY],
  ['the key in a URL', encodeURIComponent(API_KEY)],
  ['the key in JSON', JSON.stringify(API_KEY).slice(1, -1)],
])('an error does not repeat credentials that a server repeats: %s', async (_, secret) => {
  const { client } = await world([echo(({ headers }) => `${headers.authorization} ${secret}`)], { apiKey: API_KEY });
  const error = await errorOf(create(client));
  expect(shown(error)).not.toContain(secret);
  expect(shown(error)).not.toContain(API_KEY);
  expect(error.detail).toMatch(/^You said .*\[redacted\].*, and again .*\[redacted\].*\.$/);
  expect(error.errors[0]).toMatchObject({ allowed: [expect.stringContaining('[redacted]'), 1] });
});

it('an error does not repeat the token of its request, or of an earlier request', async () => {
  const renewed = { ...TOKENS, AccessToken: 'another-access-token' };
  const said = ({ headers }: Received) => `${TOKENS.AccessToken} and ${headers.authorization}`;
  const plays = [json(200, TOKENS), refuse('unauthenticated'), json(200, renewed), echo(said)];
  const { client, received } = await world(plays, { scheme: 'bearer' });
  const error = await errorOf(create(client));
  expect(received.at(-1)?.headers.authorization).toBe('Bearer another-access-token');
  expect(error.detail).toMatch(/^You said \[redacted\] and Bearer \[redacted\], and again/);
  expect(shown(error)).not.toContain('access-token');
});

it('an error does not repeat a refresh token, or the key of a sign-in', async () => {
  const { client } = await world([echo(({ body }) => body)]);
  expect(shown(await errorOf(client.refreshToken('a-refresh-token')))).not.toContain('a-refresh-token');
  expect(shown(await errorOf(client.obtainToken()))).not.toContain(KEY.apiKey);
});

it('an error of an operation does not repeat the key', async () => {
  const type = 'https://x/problems/invalid-project';
  const problem = { type, title: 'T', detail: KEY.apiKey, retryable: false, outcome: 'not-applied' };
  const failed = json(200, { operationId: 'op', status: 'failed', problem });
  const ended = await world([json(202, { operationId: 'op' }), failed]);
  expect((await errorOf(create(ended.client))).detail).toBe('[redacted]');
  const running = { operationId: KEY.apiKey, status: 'running' };
  const left = await world([json(202, running), json(200, running)]);
  expect(shown(await errorOf(left.client.createProject(newProject, { timeoutMs: 3_000 })))).not.toContain(KEY.apiKey);
});
