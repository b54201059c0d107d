import { describe, expect, it } from 'vitest';
import { passToFunctions, readSettings, SettingsError } from '../../local/settings.ts';

const keys = { SEGUE_UPSTREAM_COMPANY_ID: 'acme', SEGUE_UPSTREAM_API_KEY: 'up' };
const DEFAULTS = { SEGUE_COMPANY_ID: 'sandbox', SEGUE_DATA_DIR: '.segue/' };
const AT_UPSTREAM = ['--upstream', 'https://api.test/v1/'];

describe('settings', () => {
  it('have defaults, except for the key, which Segue then makes', () => {
    const names = [...Object.keys(keys), 'PORT', 'SEGUE_DATA_DIR', 'SEGUE_API_KEY', 'SEGUE_RATE', 'SEGUE_MISSPELT'];
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    for (const env of [{}, empty]) {
      expect(readSettings([], env)).toEqual({
        port: 8787,
        service: 'hosted',
        store: 'sqlite',
        wrongCredentials: { perSecond: 1, burst: 100 },
        hasOwnKey: false,
        functionEnvironment: DEFAULTS,
      });
    }
  });

  it.each<[string, string[], Record<string, string>, Record<string, string>]>([
    [
      'as they are set',
      [],
      { SEGUE_COMPANY_ID: 'me', SEGUE_API_KEY: '0123456789abcdef', SEGUE_DATA_DIR: '/data', SEGUE_RATE: '50' },
      {},
    ],
    ['with the tolerance', [], { SEGUE_START_TOLERANCE_SECONDS: '0' }, {}],
    ['with an account', AT_UPSTREAM, keys, { SEGUE_UPSTREAM_URL: 'https://api.test/v1' }],
    [
      'with a secret',
      ['--upstream=http://127.0.0.1:9'],
      { SEGUE_UPSTREAM_SECRET: 'segue/upstream' },
      { SEGUE_UPSTREAM_URL: 'http://127.0.0.1:9' },
    ],
    [
      'with all of the upstream',
      AT_UPSTREAM,
      { ...keys, SEGUE_UPSTREAM_MARK: 'our-Segue_2', SEGUE_SETTLE_SECONDS: '3600' },
      { SEGUE_UPSTREAM_URL: 'https://api.test/v1' },
    ],
    ['with DynamoDB', ['--store', 'dynamodb'], { SEGUE_TABLE: 'table', SEGUE_BUCKET: 'bucket' }, {}],
  ])('reach the functions %s', (_, args, env, more) => {
    expect(readSettings(args, env).functionEnvironment).toEqual({ ...DEFAULTS, ...env, ...more });
  });

  it('of the upstream, of DynamoDB and of the gateway alone do not reach functions that have no use for them', () => {
    const env = { ...keys, SEGUE_SETTLE_SECONDS: '5', SEGUE_TABLE: 'table', SEGUE_WRONG_CREDENTIALS: '5:7' };
    const settings = readSettings([], env);
    expect(settings.functionEnvironment).toEqual(DEFAULTS);
    expect(settings.wrongCredentials).toEqual({ perSecond: 5, burst: 7 });
  });

  it('replace all variables of Segue that the functions could read', () => {
    const env = { PATH: '/bin', SEGUE_UPSTREAM_SECRET: '', SEGUE_URL: 'http://127.0.0.1:1', SEGUE_DATA_DIR: '' };
    passToFunctions(readSettings([], { ...env, SEGUE_COMPANY_ID: 'me', SEGUE_API_KEY: '0123456789abcdef' }), env);
    expect(env).toEqual({
      PATH: '/bin',
      SEGUE_COMPANY_ID: 'me',
      SEGUE_API_KEY: '0123456789abcdef',
      SEGUE_DATA_DIR: '.segue/',
    });
  });
});

const wrong: [what: string, args: string[], env: Record<string, string>, message: RegExp][] = [
  ['a port that is no number', [], { PORT: 'http' }, /^PORT must/],
  ['a negative port', [], { PORT: '-1' }, /^PORT must/],
  ['a port that is none', [], { PORT: '65536' }, /^PORT must/],
  ['a company id with a colon', [], { SEGUE_COMPANY_ID: 'a:b' }, /^SEGUE_COMPANY_ID must/],
  ['a long company id', [], { SEGUE_COMPANY_ID: 'a'.repeat(65) }, /^SEGUE_COMPANY_ID must/],
  ['a short key', [], { SEGUE_API_KEY: 'short-secret' }, /^SEGUE_API_KEY must/],
  ['a key with a space', [], { SEGUE_API_KEY: 'secret with spaces' }, /^SEGUE_API_KEY must/],
  ['a tolerance in words', [], { SEGUE_START_TOLERANCE_SECONDS: 'secret' }, /^SEGUE_START_TOLERANCE_SECONDS must/],
  ['a negative tolerance', [], { SEGUE_START_TOLERANCE_SECONDS: '-1' }, /^SEGUE_START_TOLERANCE_SECONDS must/],
  ['a long tolerance', [], { SEGUE_START_TOLERANCE_SECONDS: '1000000' }, /^SEGUE_START_TOLERANCE_SECONDS must/],
  ['no rate', [], { SEGUE_RATE: '0' }, /^SEGUE_RATE must/],
  ['a rate in words', [], { SEGUE_RATE: 'secret' }, /^SEGUE_RATE must/],
  ['a rate a minute', [], { SEGUE_RATE: '50/m' }, /^SEGUE_RATE must/],
  ['a long rate', [], { SEGUE_RATE: '100000' }, /^SEGUE_RATE must/],
  ['a rate without a burst', [], { SEGUE_RATE: '50:' }, /^SEGUE_RATE must/],
  ['no burst', [], { SEGUE_RATE: '50:0' }, /^SEGUE_RATE must/],
  [
    'no wrong credentials',
    [],
    { SEGUE_WRONG_CREDENTIALS: '0' },
    /^SEGUE_WRONG_CREDENTIALS must be wrong credentials a second/,
  ],
  ['a mark with a dot', [], { SEGUE_UPSTREAM_MARK: 'secret.mark' }, /^SEGUE_UPSTREAM_MARK must/],
  ['a long mark', [], { SEGUE_UPSTREAM_MARK: 'm'.repeat(33) }, /^SEGUE_UPSTREAM_MARK must/],
  ['no time to settle', [], { SEGUE_SETTLE_SECONDS: '0' }, /^SEGUE_SETTLE_SECONDS must/],
  ['a long time to settle', [], { SEGUE_SETTLE_SECONDS: '3601' }, /^SEGUE_SETTLE_SECONDS must/],
  ['a time to settle in words', [], { SEGUE_SETTLE_SECONDS: 'secret' }, /^SEGUE_SETTLE_SECONDS must/],
  ['a misspelt name', [], { SEGUE_DATADIR: 'secret' }, /^SEGUE_DATADIR is no setting .*SEGUE_DATA_DIR/],
  ['a name in small letters', [], { segue_api_key: 'secret' }, /^segue_api_key is no setting .*SEGUE_API_KEY/],
  ['a setting that is a flag here', [], { SEGUE_UPSTREAM_URL: 'https://secret' }, /^SEGUE_UPSTREAM_URL .*--upstream/],
  ['an unknown flag', ['--port', '1'], {}, /--upstream/],
  ['an argument without a flag', ['https://me:secret@api.test'], {}, /--upstream/],
  ['a flag without its value', ['--upstream'], keys, /--upstream/],
  ['an upstream that is no URL', ['--upstream', 'api.test'], keys, /an https URL/],
  ['plain HTTP to another machine', ['--upstream', 'http://secret.test'], keys, /http only to this machine/],
  ['another protocol', ['--upstream', 'ftp://api.test'], keys, /an https URL/],
  ['credentials in the URL', ['--upstream', 'https://me:secret@api.test'], keys, /without credentials/],
  ['a query in the URL', ['--upstream', 'https://api.test/?key=secret'], keys, /query/],
  ['a fragment in the URL', ['--upstream', 'https://api.test/#'], keys, /query and fragment/],
  ['no upstream credentials', ['--upstream', 'https://api.test'], {}, /needs either/],
  [
    'half of the upstream credentials',
    ['--upstream', 'https://api.test'],
    { SEGUE_UPSTREAM_API_KEY: 'secret' },
    /needs either/,
  ],
  [
    'DynamoDB without a bucket',
    ['--store', 'dynamodb'],
    { SEGUE_TABLE: 'secret' },
    /needs SEGUE_TABLE and SEGUE_BUCKET/,
  ],
  ['both ways', ['--upstream', 'https://api.test'], { ...keys, SEGUE_UPSTREAM_SECRET: 'name' }, /needs either/],
];

it.each(wrong)('rejects %s in one line without its value', (_what, args, env, message) => {
  let error: unknown;
  try {
    readSettings(args, env);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(SettingsError);
  const text = error instanceof Error ? error.message : '';
  expect(text).toMatch(message);
  expect(text).not.toMatch(/\n|secret/);
});
