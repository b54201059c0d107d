import { expect, it } from 'vitest';
import { Problem } from '../../lib/contract/problem.ts';
import { WrongSetting } from '../../lib/contract/settings.ts';
import { SecretFileError } from '../../lib/credentials/secret-files.ts';
import { StoreNotOpened } from '../../lib/storage/sqlite/database.ts';
import { formatError } from '../../local/format-error.ts';
import { readSettings, replaceSegueVariables } from '../../local/start-settings.ts';

type Env = Record<string, string>;

const KEYS = { SEGUE_UPSTREAM_COMPANY_ID: 'acme', SEGUE_UPSTREAM_API_KEY: 'up' };
const DEFAULTS = { SEGUE_COMPANY_ID: 'sandbox', SEGUE_DATA_DIR: '.segue/' };
const UPSTREAM = ['--upstream', 'https://api.test/v1/'];

it.each([{}, { PORT: '', SEGUE_DATA_DIR: '', SEGUE_API_KEY: '', SEGUE_RATE: '', SEGUE_MISSPELT: '' }])(
  'have defaults, which empty variables use too',
  (env) => {
    expect(readSettings([], env)).toEqual({
      port: 8787,
      service: 'hosted',
      store: 'sqlite',
      wrongCredentials: { perSecond: 1, burst: 100 },
      hasOwnKey: false,
      functionEnvironment: DEFAULTS,
    });
  },
);

const UPSTREAM_OPTIONS = { SEGUE_UPSTREAM_MARK: 'our-Segue_2', SEGUE_SETTLE_SECONDS: '3600' };

it.each<[string, string[], Env, Env]>([
  ['of the company', [], { SEGUE_COMPANY_ID: 'me', SEGUE_API_KEY: '0123456789abcdef', SEGUE_RATE: '50' }, {}],
  ['of the store', [], { SEGUE_DATA_DIR: '/data', SEGUE_START_TOLERANCE_SECONDS: '0' }, {}],
  ['of an upstream', UPSTREAM, { ...KEYS, ...UPSTREAM_OPTIONS }, { SEGUE_UPSTREAM_URL: 'https://api.test/v1' }],
  [
    'of an upstream with a secret',
    ['--upstream=http://127.0.0.1:9'],
    { SEGUE_UPSTREAM_SECRET: 'segue/upstream', SEGUE_UPSTREAM_LOOKUPS: 'users,domains' },
    { SEGUE_UPSTREAM_URL: 'http://127.0.0.1:9' },
  ],
  [
    'of automatic translation',
    [],
    {
      SEGUE_TRANSLATION_ENGINE: 'deepl',
      SEGUE_TRANSLATION_URL: 'https://api-free.deepl.com',
      SEGUE_TRANSLATION_KEY: 'a-key:fx',
      SEGUE_TRANSLATION_CHARACTERS_PER_DAY: '500000',
      SEGUE_TRANSLATION_PRICE: '20 EUR',
    },
    {},
  ],
  ['of DynamoDB', ['--store', 'dynamodb'], { SEGUE_TABLE: 'table', SEGUE_BUCKET: 'bucket' }, {}],
])('passes the settings %s to the functions', (_, args, env, more) => {
  expect(readSettings(args, env).functionEnvironment).toEqual({ ...DEFAULTS, ...env, ...more });
});

it('passes the functions no settings of the gateway, and none of other programs', () => {
  const settings = readSettings([], { PORT: '1', SEGUE_WRONG_CREDENTIALS: '5:7', SEGUE_PROJECTS_DIR: '/', HOME: '/' });
  expect(settings.functionEnvironment).toEqual(DEFAULTS);
  expect(settings.wrongCredentials).toEqual({ perSecond: 5, burst: 7 });
});

it('replaces all variables of Segue', () => {
  const env = { PATH: '/bin', SEGUE_UPSTREAM_SECRET: '', SEGUE_URL: 'http://127.0.0.1:1', SEGUE_DATA_DIR: '' };
  const own = { SEGUE_COMPANY_ID: 'me', SEGUE_API_KEY: '0123456789abcdef' };
  replaceSegueVariables(readSettings([], { ...env, ...own }), env);
  expect(env).toEqual({ PATH: '/bin', SEGUE_DATA_DIR: '.segue/', ...own });
});

it.each<[Env, RegExp]>([
  [{ PORT: 'http' }, /^PORT must/],
  [{ PORT: '65536' }, /^PORT must/],
  [{ SEGUE_COMPANY_ID: 'a:b' }, /^SEGUE_COMPANY_ID must/],
  [{ SEGUE_COMPANY_ID: 'a'.repeat(65) }, /^SEGUE_COMPANY_ID must/],
  [{ SEGUE_API_KEY: 'short-secret' }, /^SEGUE_API_KEY must/],
  [{ SEGUE_API_KEY: 'secret with spaces' }, /^SEGUE_API_KEY must/],
  [{ SEGUE_START_TOLERANCE_SECONDS: '-1' }, /^SEGUE_START_TOLERANCE_SECONDS must/],
  [{ SEGUE_RATE: 'secret' }, /^SEGUE_RATE must/],
  [{ SEGUE_WRONG_CREDENTIALS: '0' }, /^SEGUE_WRONG_CREDENTIALS must be 1 to 99999 wrong credentials per second/],
  [{ SEGUE_UPSTREAM_MARK: 'secret.mark' }, /^SEGUE_UPSTREAM_MARK must/],
  [{ SEGUE_SETTLE_SECONDS: '0' }, /^SEGUE_SETTLE_SECONDS must/],
  [{ SEGUE_UPSTREAM_LOOKUPS: 'users,secret' }, /^SEGUE_UPSTREAM_LOOKUPS must/],
  [{ SEGUE_TRANSLATION_ENGINE: 'secret' }, /^SEGUE_TRANSLATION_ENGINE must be one of pseudo/],
  [{ SEGUE_TRANSLATION_ENGINE: 'apertium' }, /^SEGUE_TRANSLATION_ENGINE=apertium needs SEGUE_TRANSLATION_URL/],
  [
    { SEGUE_TRANSLATION_KEY: 'secret' },
    /^SEGUE_TRANSLATION_KEY has no effect with the engine pseudo: set SEGUE_TRANSLATION_ENGINE to libretranslate or deepl$/,
  ],
  [{ SEGUE_TRANSLATION_SECRET: 'secret' }, /^SEGUE_TRANSLATION_SECRET has no effect with the engine pseudo/],
  [
    { SEGUE_TRANSLATION_URL: 'https://secret.test' },
    /^SEGUE_TRANSLATION_URL has no .* libretranslate, deepl or apertium$/,
  ],
  [{ SEGUE_TRANSLATION_ENGINE: 'none', SEGUE_TRANSLATION_KEY: 'secret' }, /^SEGUE_TRANSLATION_KEY has no effect/],
  [{ SEGUE_TRANSLATION_URL: 'http://secret.example' }, /^SEGUE_TRANSLATION_URL must be an https URL/],
  [{ SEGUE_TRANSLATION_KEY: 'secret key' }, /^SEGUE_TRANSLATION_KEY must be/],
  [{ SEGUE_TRANSLATION_CHARACTERS_PER_DAY: 'secret' }, /^SEGUE_TRANSLATION_CHARACTERS_PER_DAY must be/],
  [{ SEGUE_MAIL_FROM: 'segue@secret.example' }, /: set SEGUE_MAIL_SERVER and SEGUE_MAIL_DOMAINS too$/],
  [{ SEGUE_DATADIR: 'secret' }, /^SEGUE_DATADIR is not a setting .*SEGUE_DATA_DIR/],
  [{ SEGUE_DATA: 'secret' }, /did you mean SEGUE_DATA_DIR\?$/],
  [{ segue_api_key: 'secret' }, /^segue_api_key is not a setting .*SEGUE_API_KEY/],
  [{ SEGUE_UPSTREAM_URL: 'https://secret' }, /^SEGUE_UPSTREAM_URL .*--upstream/],
])('refuses %j in one line without its value', (env, message) => {
  expectRefused([], env, message);
});

it.each<[string[], Env, RegExp]>([
  [['--port', '1'], {}, /^--port is not a flag of npm start: the flags are --upstream .* such as PORT=8788$/],
  [['--prot', 'secret'], {}, /^--prot is not a flag/],
  [['--upsteam=secret'], {}, /^--upsteam is not a flag of npm start \(did you mean --upstream\?\)/],
  [['--secret_1'], {}, /^an argument is not a flag/],
  [['-u', 'secret'], {}, /^-u is not a flag/],
  [['--upstream'], KEYS, /^--upstream takes <base url>/],
  [['--upstream='], KEYS, /^--upstream takes <base url>/],
  [['--upstream', '--store', 'dynamodb'], KEYS, /^--upstream takes <base url>/],
  [['--allow-loopback-events=secret'], {}, /^--allow-loopback-events takes no value/],
  [['https://me:secret@api.test'], {}, /^an argument follows no flag: .* -- --upstream <base url>$/],
  [
    ['https://api.test/v1'],
    {},
    /^https:\/\/api\.test\/v1 follows no flag: write npm start -- --upstream https:\/\/api\.test\/v1$/,
  ],
  [
    ['https://api.test'],
    { npm_config_upstream: 'true' },
    /^npm took --upstream .* npm start -- --upstream https:\/\/api\.test$/,
  ],
  [
    [],
    { npm_config_upstream: 'https://api.test' },
    /^npm took --upstream .* npm start -- --upstream https:\/\/api\.test$/,
  ],
  [[], { npm_config_upstream: 'https://me:secret@api.test' }, /npm start -- --upstream <base url>$/],
  [['secret'], { npm_config_store: 'true' }, /npm start -- --store sqlite\|dynamodb$/],
  [[], { npm_config_allow_loopback_events: 'true' }, /npm start -- --allow-loopback-events$/],
  [['--store', 'secret'], {}, /^--store takes sqlite\|dynamodb$/],
  [['--upstream', 'api.test'], KEYS, /an https URL/],
  [['--upstream', 'https://me:secret@api.test'], KEYS, /without credentials/],
  [['--upstream', 'https://api.test/?key=secret'], KEYS, /query/],
  [['--upstream', 'https://api.test'], {}, /needs either/],
  [['--upstream', 'https://api.test'], { SEGUE_UPSTREAM_API_KEY: 'secret' }, /needs either/],
  [['--upstream', 'https://api.test'], { ...KEYS, SEGUE_UPSTREAM_SECRET: 'name' }, /needs either/],
  [['--upstream', 'https://api.test'], { ...KEYS, SEGUE_UPSTREAM_LOOKUPS: 'users' }, /needs SEGUE_UPSTREAM_SECRET/],
  [['--store', 'dynamodb'], { SEGUE_TABLE: 'secret' }, /needs SEGUE_TABLE and SEGUE_BUCKET/],
])('refuses the flags %j with %j in one line without a secret', expectRefused);

function expectRefused(args: readonly string[], env: Env, message: RegExp): void {
  let error: unknown;
  try {
    readSettings(args, env);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(WrongSetting);
  const text = error instanceof Error ? error.message : '';
  expect(text).toMatch(message);
  expect(text).not.toMatch(/\n|secret/);
}

const SET_PORT = 'set PORT to another port, such as PORT=8788, or PORT=0 for any free port';
const failed = (fields: object) => Object.assign(new Error('SUPERSECRET'), fields);

it.each<[unknown, string]>([
  [new WrongSetting('PORT must\nbe a number'), 'PORT must be a number'],
  [new StoreNotOpened('the store has format 2'), 'the store has format 2'],
  [new SecretFileError('the file does not contain signing keys'), 'the file does not contain signing keys'],
  [failed({ code: 'EADDRINUSE', port: 80 }), `port 80 is in use by another process: ${SET_PORT}`],
  [failed({ code: 'EACCES', port: 80 }), `port 80 may not be used by this user: ${SET_PORT}`],
  [failed({ code: 'EACCES', path: '/SUPERSECRET' }), 'Segue could not start: Error EACCES'],
  [new SyntaxError('"SUPERSECRET" is not valid JSON'), 'Segue could not start: SyntaxError'],
  [failed({ name: 'SUPER SECRET' }), 'Segue could not start: Error'],
  [new Problem('unavailable', { detail: 'SUPERSECRET' }), 'Segue could not start: unavailable'],
  ['SUPERSECRET', 'Segue could not start: string'],
])('formats %s in one line without foreign text', (error, line) => {
  expect(formatError(error)).toBe(line);
});
