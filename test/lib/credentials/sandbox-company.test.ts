import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashApiKey } from '../../../lib/credentials/api-key.ts';
import { authenticate } from '../../../lib/credentials/authenticate.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { storedKeys } from '../../../lib/credentials/key-directory.ts';
import { openSandboxKeyFile, withSandboxKey } from '../../../lib/credentials/sandbox-company.ts';
import { issueFirstPair } from '../../../lib/credentials/token-pair.ts';
import { openSqlite, temporaryFolder } from '../storage/folder.ts';
import { heldNow } from '../support.ts';
import { ADDRESS, authenticationWith, companyKey, keyTable, USE } from './world.ts';

const acme = companyKey('acme');
const SANDBOX = { companyId: 'sandbox', apiKey: 'any text of sixteen' };
const keyId = `sandbox-${hashApiKey(SANDBOX.apiKey).slice(0, 12)}`;
const principal = {
  companyId: 'sandbox',
  keyId,
  scopes: ['create', 'read', 'update', 'delete', 'translate', 'manage'],
};

function world(sandbox = SANDBOX) {
  const store = openSqlite(heldNow);
  return { store, keys: withSandboxKey(sandbox, storedKeys(keyTable([acme]).table), store) };
}

describe('the sandbox key', () => {
  it('has every scope, with and without its company', async () => {
    const { keys } = world();
    expect(await keys.verifyApiKey('sandbox', SANDBOX.apiKey, USE)).toEqual(principal);
    expect(await keys.verifyApiKeyAlone(SANDBOX.apiKey, USE)).toEqual(principal);
    expect(await keys.findActiveKey('sandbox', keyId, USE)).toEqual(principal);
  });

  it('is valid for its company only, beside the other keys', async () => {
    const { keys } = world();
    expect(await keys.verifyApiKey('acme', acme.apiKey, USE)).toMatchObject({ keyId: acme.keyId });
    expect(await keys.verifyApiKeyAlone(acme.apiKey, USE)).toMatchObject({ keyId: acme.keyId });
    expect(await keys.guardKey(acme, 'request', USE)).toMatchObject({ kind: 'check' });
    expect(await keys.verifyApiKeyAlone('any other text', USE)).toBeUndefined();
    await expect(keys.verifyApiKey('acme', SANDBOX.apiKey, USE)).rejects.toMatchObject({ refusal: 'malformed-key' });
    await expect(keys.findActiveKey('acme', keyId, USE)).rejects.toMatchObject({ refusal: 'unknown-key' });
    await expect(keys.verifyApiKey('sandbox', 'any other text', USE)).rejects.toMatchObject({
      refusal: 'malformed-key',
    });
  });

  it('ends its tokens when another key replaces it', async () => {
    const deps = authenticationWith(world().keys);
    const { accessToken } = await issueFirstPair(deps, { companyId: 'sandbox', keyId, scopes: [] });
    expect(await authenticate(`Bearer ${accessToken}`, ADDRESS, deps)).toMatchObject({ keyId });
    const { keys } = world({ ...SANDBOX, apiKey: 'another text of sixteen' });
    const refused = authenticate(`Bearer ${accessToken}`, ADDRESS, { ...deps, keys });
    await expect(refused).rejects.toMatchObject({ refusal: 'unknown-company' });
  });

  it('is suspended with its company', async () => {
    const { keys, store } = world();
    expect(await keys.guardKey({ companyId: 'sandbox', keyId }, 'request', USE)).toBeUndefined();
    const companies = companiesIn(store, heldNow);
    await companies.register('sandbox');
    expect(await keys.guardKey({ companyId: 'sandbox', keyId }, 'request', USE)).toMatchObject({
      kind: 'check',
      version: 1,
    });
    await companies.setState('sandbox', 'suspended');
    const suspended = { refusal: 'suspended', ids: { companyId: 'sandbox', keyId } };
    await expect(keys.verifyApiKey('sandbox', SANDBOX.apiKey, USE)).rejects.toMatchObject(suspended);
    await expect(keys.guardKey({ companyId: 'sandbox', keyId }, 'request', USE)).rejects.toMatchObject({
      ...suspended,
      name: 'company-suspended',
      message: 'The company is suspended: ask the operator of Segue to resume it. Segue did nothing.',
    });
  });
});

it('the file of the sandbox key is created once for each company, must hold a key, and is not quoted', () => {
  const folder = temporaryFolder();
  const key = openSandboxKeyFile(folder, 'acme');
  expect(openSandboxKeyFile(folder, 'acme')).toBe(key);
  expect(openSandboxKeyFile(folder, 'other')).not.toBe(key);
  writeFileSync(join(folder, 'sandbox-keys/acme'), 'SUPERSECRET');
  expect(() => openSandboxKeyFile(folder, 'acme')).toThrow(
    `the file ${folder}/sandbox-keys/acme does not contain an API key: delete the file, and the next start creates a new key`,
  );
});
