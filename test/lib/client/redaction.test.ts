import { expect, it } from 'vitest';
import type { SegueClient } from '../../../lib/client/segue-client.ts';
import { basicHeader } from '../../../lib/contract/credentials.ts';
import { json, type Play, type Received } from '../upstream/server.ts';
import { errorOf, KEY, newProject, refuse, world } from './world.ts';

/** A key that other forms write otherwise. */
const API_KEY = 'key "of" acme/€\\';
const BASIC = basicHeader({ ...KEY, apiKey: API_KEY }).slice('Basic '.length);
const URL_BASIC = Buffer.from(BASIC, 'base64').toString('base64url');
const TOKENS = { AccessToken: 'an-access-token', RefreshToken: 'a-refresh-token', expiresIn: 1_800 };

/** Everything that an error may show. */
function shown(error: Error): string {
  return [
    error.message,
    String(error),
    JSON.stringify(error),
    ...Object.values(error).map((value) => String(value)),
  ].join('\n');
}

/** Answers with a problem each of whose texts repeats what came in. */
const echo =
  (said: (request: Received) => string): Play =>
  (request, response) => {
    const text = `You said ${said(request)}, and again ${said(request)}.`;
    const errors = [{ pointer: text, code: text, detail: text, allowed: [text, 1] }];
    const fields = { title: text, detail: text, instance: text, operationId: text, deletedAtUtc: text, errors };
    refuse('invalid-project', { ...fields, outcome: 'not-applied' })(request, response);
  };

const create = (client: SegueClient) => client.createProject(newProject);

it.each<[what: string, secret: string, said: (request: Received) => string]>([
  ['the header', BASIC, ({ headers }) => String(headers.authorization)],
  ['Basic credentials without padding', BASIC.replace(/=+$/, ''), () => BASIC.replace(/=+$/, '')],
  ['Basic credentials in the alphabet of URLs', URL_BASIC, () => URL_BASIC],
  ['the key', API_KEY, () => API_KEY],
  ['the key in a URL', encodeURIComponent(API_KEY), () => encodeURIComponent(API_KEY)],
  ['the key in JSON', JSON.stringify(API_KEY).slice(1, -1), () => JSON.stringify({ apiKey: API_KEY })],
])('an error does not repeat credentials that a server repeats: %s', async (_, secret, said) => {
  const { client } = await world([echo(said)], { apiKey: API_KEY });
  const error = await errorOf(create(client));
  expect(shown(error)).not.toContain(secret);
  expect(shown(error)).not.toContain(API_KEY);
  expect(error.detail).toMatch(/^You said .*\[redacted\].*, and again .*\[redacted\].*\.$/);
  expect(error.errors[0]).toMatchObject({ allowed: [expect.stringContaining('[redacted]'), 1] });
});

it('nor the token that it was sent, nor one of an earlier request', async () => {
  const renewed = { ...TOKENS, AccessToken: 'another-access-token' };
  const said = ({ headers }: Received) => `${TOKENS.AccessToken} and ${headers.authorization}`;
  const plays = [json(200, TOKENS), refuse('unauthenticated'), json(200, renewed), echo(said)];
  const { client, received } = await world(plays, { scheme: 'bearer' });
  const error = await errorOf(create(client));
  expect(received.at(-1)?.headers.authorization).toBe('Bearer another-access-token');
  expect(error.detail).toMatch(/^You said \[redacted\] and Bearer \[redacted\], and again/);
  expect(shown(error)).not.toContain('access-token');
});

it('nor the refresh token of a refresh, nor the key of a sign-in', async () => {
  const { client } = await world([echo(({ body }) => body)]);
  expect(shown(await errorOf(client.refreshToken('a-refresh-token')))).not.toContain('a-refresh-token');
  expect(shown(await errorOf(client.obtainToken()))).not.toContain(KEY.apiKey);
});

it('nor in what it tells of an operation', async () => {
  const problem = {
    type: 'https://x/problems/invalid-project',
    title: 'T',
    detail: KEY.apiKey,
    retryable: false,
    outcome: 'not-applied',
  };
  const ended = await world([
    json(202, { operationId: 'op' }),
    json(200, { operationId: 'op', status: 'failed', problem }),
  ]);
  const failed = await errorOf(create(ended.client));
  expect(failed.detail).toBe('[redacted]');
  const running = { operationId: KEY.apiKey, status: 'running' };
  const left = await world([json(202, running), json(200, running)]);
  expect(shown(await errorOf(left.client.createProject(newProject, { timeoutMs: 3_000 })))).not.toContain(KEY.apiKey);
});
