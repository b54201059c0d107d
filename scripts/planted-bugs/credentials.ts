import type { PlantedBug } from './bug.ts';

const KEYS = 'test/lib/credentials/keys.test.ts';
const COMPANIES = 'test/lib/credentials/companies.test.ts';
const FAMILIES = 'test/lib/credentials/token-families.test.ts';
const SIGNING_KEYS = 'test/lib/credentials/signing-keys.test.ts';
const REVOKED = 'test/faults/revoked-keys.test.ts';
const REFUSED = 'test/credentials/refused.test.ts';
const KEY_ROTATION = 'test/faults/signing-key-rotation.test.ts';
const ROTATION = 'test/upstream/rotation.test.ts';

/** Of companies and their keys, of tokens, and of what a company may do. */
export const CREDENTIAL_BUGS: readonly PlantedBug[] = [
  {
    name: 'a revoked key is as good as an active one',
    file: 'lib/credentials/keys.ts',
    find: "record.state === 'active' ? undefined : record.state",
    replace: 'undefined',
    tests: [KEYS],
  },
  {
    name: 'the secret of a key is not compared',
    file: 'lib/credentials/keys.ts',
    find: 'apiKey !== undefined && !matchesHash(apiKey, record.hash)',
    replace: 'apiKey === record.hash',
    tests: [KEYS],
  },
  {
    name: 'a key is looked up without its company',
    file: 'lib/credentials/keys.ts',
    find: 'companyId}`, sort: `key/',
    replace: 'companyId && 1}`, sort: `key/',
    tests: [KEYS],
  },
  {
    name: 'a key by itself is not looked for',
    file: 'lib/credentials/authenticate.ts',
    find: '  if (byKey) return byKey;\n',
    replace: '',
    tests: [KEYS],
  },
  {
    name: 'a third active key is given',
    file: 'lib/credentials/companies.ts',
    find: 'length >= MOST_ACTIVE_KEYS',
    replace: 'length > MOST_ACTIVE_KEYS',
    tests: [COMPANIES],
  },
  {
    name: 'a deletion does not rely on its key',
    file: 'lib/hosted/deletion.ts',
    find: ', ...(held ? [held] : [])',
    replace: '',
    tests: [REVOKED],
  },
  {
    name: 'a revoked key is told what became of its earlier deletion',
    file: 'lib/hosted/service.ts',
    find: '    if (call.once) await guard.require(call);\n',
    replace: '',
    tests: [REVOKED],
  },
  {
    name: 'a refresh token works twice',
    file: 'lib/credentials/token-families.ts',
    find: 'family.generation !== token.generation',
    replace: 'family.generation < token.generation',
    tests: [FAMILIES],
  },
  {
    name: 'a second use of a refresh token does not end its family',
    file: 'lib/credentials/token-families.ts',
    find: "isUsed ? { ...family, state: 'revoked' }",
    replace: 'isUsed ? family',
    tests: [FAMILIES],
  },
  {
    name: 'a revoked key still refreshes',
    file: 'lib/credentials/token-families.ts',
    find: '    await keys.byKeyId(token.companyId, token.keyId);\n',
    replace: '',
    tests: [FAMILIES],
  },
  {
    name: 'an overtaken refresh ends the family of the one that took over',
    file: 'lib/credentials/token-families.ts',
    find: 'claim ? [isUsed ? claim.held : claim.settle(issued)] : []',
    replace: 'claim && !isUsed ? [claim.settle(issued)] : []',
    tests: ['test/faults/credentials.test.ts'],
  },
  {
    name: 'a family of tokens is looked up without its company',
    file: 'lib/credentials/token-families.ts',
    find: 'companyId}`, sort: `token-family/',
    replace: 'companyId && 1}`, sort: `token-family/',
    tests: [REFUSED],
  },
  {
    name: 'a refresh token passes for an access token',
    file: 'lib/credentials/tokens.ts',
    find: "typ: 'rt+jwt', audience: 'segue-tokens'",
    replace: "typ: 'at+jwt', audience: 'segue-api'",
    tests: [FAMILIES],
  },
  {
    name: 'a token may have anything in its header',
    file: 'lib/credentials/tokens.ts',
    find: '    Header.parse(protectedHeader);\n',
    replace: '',
    tests: [REFUSED],
  },
  {
    name: 'a claim of a token may stand twice',
    file: 'lib/credentials/tokens.ts',
    find: ' &&\n    texts.every((text) => JSON.stringify(JSON.parse(text)) === text)',
    replace: '',
    tests: [REFUSED],
  },
  {
    name: 'a rotated signing key signs at once',
    file: 'lib/credentials/signing-keys.ts',
    find: 'SIGNS_AFTER_MS = 60_000',
    replace: 'SIGNS_AFTER_MS = 0',
    tests: [SIGNING_KEYS],
  },
  {
    name: 'a signing key leaves the set before its tokens expire',
    file: 'lib/credentials/signing-keys.ts',
    find: 'signsFromMs(next) + NEEDED_MS > nowMs',
    replace: 'signsFromMs(next) > nowMs',
    tests: [SIGNING_KEYS],
  },
  {
    name: 'a rotation of signing keys drops the former ones at once',
    file: 'lib/credentials/signing-keys.ts',
    find: '...StoredKeys.parse(value).keys]',
    replace: '...StoredKeys.parse(value).keys.slice(0, 0)]',
    tests: [SIGNING_KEYS],
  },
  {
    name: 'a token is refused whose key was added since the set was read',
    file: 'lib/credentials/signing-keys.ts',
    find: ' ? keys : secret.renew();',
    replace: ' ? keys : keys;',
    tests: [SIGNING_KEYS, KEY_ROTATION],
  },
  {
    name: 'a rotation that was finished is begun again when it is asked for again',
    file: 'lib/credentials/secrets-manager.ts',
    find: 'const wanted = { SecretId: secretId, VersionId: version };',
    replace: "const wanted = { SecretId: secretId, VersionId: version, VersionStage: 'AWSPENDING' };",
    tests: [KEY_ROTATION],
  },
  {
    name: 'a secret is renewed as often as anybody misses something in it',
    file: 'lib/credentials/secrets.ts',
    find: 'if (renewals.count === MOST_RENEWALS) return read();',
    replace: 'if (renewals.count < 0) return read();',
    tests: ['test/lib/credentials/secrets.test.ts'],
  },
  {
    name: 'a request that the service refused is sent again with the account it refused',
    file: 'lib/upstream/authorized.ts',
    find: 'return next ? askWith(next, request, call) : answer;',
    replace: 'return next ? askWith(secret, request, call) : answer;',
    tests: [ROTATION],
  },
  {
    name: 'a refused account stays in the cache',
    file: 'lib/upstream/authorized.ts',
    find: '    if (isLockedOut(answer)) credentials.forget(secret);\n',
    replace: '',
    tests: [ROTATION],
  },
  {
    name: 'a reading of a secret that began before its refusal counts as fresh',
    file: 'lib/credentials/secrets.ts',
    find: 'may give what was refused.\n      reading = undefined;',
    replace: 'may give what was refused.',
    tests: [ROTATION],
  },
  {
    name: 'a refused account drops the one that took its place',
    file: 'lib/credentials/secrets.ts',
    find: '      if (!isDeepStrictEqual(kept?.value, refused)) return;\n',
    replace: '',
    tests: [ROTATION],
  },
  {
    name: 'everybody who is refused reads the secret for himself',
    file: 'lib/credentials/secrets.ts',
    find: 'reading ??= readAnew();',
    replace: 'reading = readAnew();',
    tests: [ROTATION],
  },
  {
    name: 'a policy is kept ten times as long',
    file: 'local/pipeline.ts',
    find: 'options.authorizerTtlMs ?? 30_000',
    replace: 'options.authorizerTtlMs ?? 300_000',
    tests: ['test/cli/revocation.test.ts'],
  },
  {
    name: 'a refusal of the command repeats a key',
    file: 'cli/program.ts',
    find: "write(text.replace(PERHAPS_A_KEY, '…'))",
    replace: 'write(text)',
    tests: ['test/cli/refusals.test.ts'],
  },
];
