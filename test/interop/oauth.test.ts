import * as oauth from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StartedGateway, startGateway } from '../support/gateway.ts';

/** Obtains tokens with `openid-client`, a certified client of OAuth 2.0. */

let gateway: StartedGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => void (await gateway.stop()));

/** Creates a client that authenticates in one of the two ways of RFC 6749. */
function clientWith(authentication: (secret: string) => oauth.ClientAuth, secret = gateway.apiKey) {
  const server = { issuer: gateway.url, token_endpoint: `${gateway.url}/oauth/token` };
  const config = new oauth.Configuration(server, gateway.companyId, secret, authentication(secret));
  oauth.allowInsecureRequests(config);
  return config;
}

const statusOf = async (path: string, token: string) =>
  (await fetch(gateway.url + path, { headers: { Authorization: `Bearer ${token}` } })).status;

describe.each([
  ['client_secret_basic', oauth.ClientSecretBasic],
  ['client_secret_post', oauth.ClientSecretPost],
])('openid-client with %s', (_, authentication) => {
  it('obtains a token for all scopes of the key', async () => {
    const tokens = await oauth.clientCredentialsGrant(clientWith(authentication));
    expect(tokens.expiresIn()).toBeGreaterThan(1_790);
    expect(tokens.refresh_token).toBeUndefined();
    expect(await statusOf('/segments/projects', tokens.access_token)).toBe(200);
    expect(tokens.scope?.split(' ')).toContain('create');
  });

  it('obtains a token for some scopes', async () => {
    const tokens = await oauth.clientCredentialsGrant(clientWith(authentication), { scope: 'create' });
    expect(tokens.scope).toBe('create');
    expect(await statusOf('/segments/projects', tokens.access_token)).toBe(403);
  });

  it.each([
    ['invalid_scope', 400, 'admin', undefined],
    ['invalid_client', 401, 'read', 'wrong'],
  ])('throws the error %s', async (error, status, scope, secret) => {
    const grant = oauth.clientCredentialsGrant(clientWith(authentication, secret), { scope });
    await expect(grant).rejects.toMatchObject({ error, status, error_description: expect.any(String) });
  });
});
