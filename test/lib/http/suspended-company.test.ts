import { expect, it } from 'vitest';
import { basicHeader } from '../../../lib/contract/basic-credentials.ts';
import { authenticate } from '../../../lib/credentials/authenticate.ts';
import { storedKeys } from '../../../lib/credentials/key-directory.ts';
import { issueFirstPair } from '../../../lib/credentials/token-pair.ts';
import { obtainOAuthToken } from '../../../lib/operations/obtain-oauth-token.ts';
import { obtainToken } from '../../../lib/operations/obtain-token.ts';
import { refreshToken } from '../../../lib/operations/refresh-token.ts';
import { authenticationWith, companyKey, keyTable } from '../credentials/world.ts';
import { contextOf, eventOf, keptLog } from './fixture.ts';

// A company that is suspended, whose credentials are valid.
const key = companyKey('acme', { state: 'suspended' });
const authentication = authenticationWith(storedKeys(keyTable([key]).table));
const { options } = keptLog();
const authorization = { authorization: basicHeader(key) };
const detail = 'The company is suspended: ask the operator of Segue to resume it. Segue did nothing.';

it('cannot sign in, refresh or use a token, and learns why', async () => {
  const { accessToken, refreshToken: token } = await issueFirstPair(authentication, { ...key, scopes: [] });
  const answers = [
    await obtainToken(authentication, options)(eventOf('obtainToken', { headers: authorization }), contextOf()),
    await refreshToken(authentication, options)(
      eventOf('refreshToken', { body: JSON.stringify({ token }) }),
      contextOf(),
    ),
  ];
  for (const { statusCode, body, headers } of answers) {
    expect([statusCode, JSON.parse(body)]).toMatchObject([403, { detail }]);
    expect(headers).not.toHaveProperty('WWW-Authenticate');
  }
  await expect(authenticate(`Bearer ${accessToken}`, undefined, authentication)).rejects.toMatchObject({
    name: 'company-suspended',
  });
});

it('gets the OAuth error of a client that may not have a token', async () => {
  const handler = obtainOAuthToken(authentication, options);
  const { statusCode, body } = await handler(
    eventOf('obtainOAuthToken', {
      headers: { ...authorization, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    }),
    contextOf(),
  );
  expect([statusCode, JSON.parse(body)]).toMatchObject([
    403,
    { error: 'unauthorized_client', error_description: detail },
  ]);
});

it('with a wrong key is refused like any other company', async () => {
  const header = basicHeader({ ...key, apiKey: companyKey('acme').apiKey });
  await expect(authenticate(header, undefined, authentication)).rejects.toMatchObject({ name: 'unauthenticated' });
});
