import { expect, test } from 'vitest';
import { SettingsError } from '../../local/environment.ts';
import { functionEnvironment, handOn, readSettings } from '../../local/settings.ts';

test('everything has a default but the key, which Segue makes where there is none', () => {
  const settings = readSettings([], { PORT: '', SEGUE_DATA_DIR: '' });
  expect(settings).toMatchObject({ port: 8787, dataDir: '.segue/', companyId: 'sandbox' });
  expect(settings.apiKey).toBeUndefined();
  expect(settings.upstream).toBeUndefined();
  expect(settings.rate).toBeUndefined();
});

const keys = { SEGUE_UPSTREAM_COMPANY_ID: 'acme', SEGUE_UPSTREAM_API_KEY: 'up' };

test('the settings reach the functions', () => {
  const own = { SEGUE_COMPANY_ID: 'me', SEGUE_API_KEY: '0123456789abcdef', SEGUE_DATA_DIR: '/data' };
  expect(functionEnvironment(readSettings([], own))).toEqual(own);
  const upstream = readSettings(['--upstream', 'https://api.test/v1/'], { ...own, ...keys });
  expect(functionEnvironment(upstream)).toEqual({ ...own, ...keys, SEGUE_UPSTREAM_URL: 'https://api.test/v1' });
  const secret = readSettings(['--upstream=http://127.0.0.1:9'], { ...own, SEGUE_UPSTREAM_SECRET: 'segue/upstream' });
  expect(functionEnvironment(secret)).toEqual({
    ...own,
    SEGUE_UPSTREAM_SECRET: 'segue/upstream',
    SEGUE_UPSTREAM_URL: 'http://127.0.0.1:9',
  });
});

test('how the service behind is used reaches the functions, and only where there is one', () => {
  const env = { SEGUE_UPSTREAM_MARK: 'our-Segue_2', SEGUE_SETTLE_SECONDS: '3600' };
  const read = functionEnvironment(readSettings(['--upstream', 'https://api.test'], { ...keys, ...env }));
  expect(read).toMatchObject(env);
  expect(functionEnvironment(readSettings([], env))).not.toMatchObject({ SEGUE_UPSTREAM_MARK: expect.anything() });
});

test('an empty value counts as not set, whatever the setting', () => {
  const names = [
    ...Object.keys(keys),
    'SEGUE_START_TOLERANCE_SECONDS',
    'SEGUE_UPSTREAM_SECRET',
    'SEGUE_UPSTREAM_MARK',
    'SEGUE_SETTLE_SECONDS',
    'SEGUE_MISSPELT',
  ];
  const empty = Object.fromEntries(names.map((name) => [name, '']));
  expect(functionEnvironment(readSettings([], empty))).toEqual({
    SEGUE_COMPANY_ID: 'sandbox',
    SEGUE_DATA_DIR: '.segue/',
  });
  const { upstream } = readSettings(['--upstream', 'https://api.test'], { ...empty, ...keys });
  expect(upstream?.credentials).toEqual({ companyId: 'acme', apiKey: 'up' });
});

test.each(['0', '300', '999999'])('a tolerance of %s seconds reaches the functions', (seconds) => {
  const settings = readSettings([], { SEGUE_START_TOLERANCE_SECONDS: seconds });
  expect(functionEnvironment(settings)).toMatchObject({ SEGUE_START_TOLERANCE_SECONDS: seconds });
});

test.each([
  ['50', { perSecond: 50, burst: 100 }],
  ['99999', { perSecond: 99_999, burst: 199_998 }],
  ['1:3', { perSecond: 1, burst: 3 }],
  ['50:1', { perSecond: 50, burst: 1 }],
])('the rate %s is the gateway’s and the functions’', (text, rate) => {
  const settings = readSettings([], { SEGUE_RATE: text });
  expect(settings.rate).toEqual(rate);
  expect(functionEnvironment(settings)['SEGUE_RATE']).toBe(`${rate.perSecond}:${rate.burst}`);
});

test.each([
  [{}, { perSecond: 1, burst: 100 }],
  [{ SEGUE_WRONG_CREDENTIALS: '5' }, { perSecond: 5, burst: 10 }],
  [{ SEGUE_WRONG_CREDENTIALS: '5:7' }, { perSecond: 5, burst: 7 }],
])('wrong credentials have a rate of their own with %j, which is the gateway’s alone', (env, rate) => {
  const settings = readSettings([], env);
  expect(settings.wrongCredentials).toEqual(rate);
  expect(functionEnvironment(settings)).not.toHaveProperty('SEGUE_WRONG_CREDENTIALS');
});

test('the functions get what was read and nothing else of that kind', () => {
  const env = { PATH: '/bin', SEGUE_UPSTREAM_SECRET: '', SEGUE_URL: 'http://127.0.0.1:1', SEGUE_DATA_DIR: '' };
  handOn(readSettings([], { ...env, SEGUE_COMPANY_ID: 'me', SEGUE_API_KEY: '0123456789abcdef' }), env);
  expect(env).toEqual({
    PATH: '/bin',
    SEGUE_COMPANY_ID: 'me',
    SEGUE_API_KEY: '0123456789abcdef',
    SEGUE_DATA_DIR: '.segue/',
  });
});

test('the variable of the examples, which clients read, is no misspelt setting', () => {
  expect(readSettings([], { SEGUE_URL: 'http://127.0.0.1:8787' })).toMatchObject({ port: 8787 });
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
  ['both ways', ['--upstream', 'https://api.test'], { ...keys, SEGUE_UPSTREAM_SECRET: 'name' }, /needs either/],
];

test.each(wrong)('%s is refused in one line without its value', (_what, args, env, message) => {
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
