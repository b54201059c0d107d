import { expect, test } from 'vitest';
import { functionEnvironment, readSettings, SettingsError } from '../../local/settings.ts';

test('everything has a default, and the key is a new one each time', () => {
  const settings = readSettings([], { PORT: '', SEGUE_DATA_DIR: '' });
  expect(settings).toMatchObject({ port: 8787, dataDir: '.segue/', companyId: 'sandbox' });
  expect(settings.apiKey).toMatch(/^seg_/);
  expect(readSettings([], {}).apiKey).not.toBe(settings.apiKey);
  expect(settings.upstream).toBeUndefined();
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

const wrong: [what: string, args: string[], env: Record<string, string>, message: RegExp][] = [
  ['a port that is no number', [], { PORT: 'http' }, /^PORT must/],
  ['a negative port', [], { PORT: '-1' }, /^PORT must/],
  ['a port that is none', [], { PORT: '65536' }, /^PORT must/],
  ['a company id with a colon', [], { SEGUE_COMPANY_ID: 'a:b' }, /^SEGUE_COMPANY_ID must/],
  ['a long company id', [], { SEGUE_COMPANY_ID: 'a'.repeat(65) }, /^SEGUE_COMPANY_ID must/],
  ['a short key', [], { SEGUE_API_KEY: 'short-secret' }, /^SEGUE_API_KEY must/],
  ['a key with a space', [], { SEGUE_API_KEY: 'secret with spaces' }, /^SEGUE_API_KEY must/],
  ['an unknown flag', ['--port', '1'], {}, /--upstream/],
  ['an argument without a flag', ['https://me:secret@api.test'], {}, /--upstream/],
  ['a flag without its value', ['--upstream'], keys, /--upstream/],
  ['an upstream that is no URL', ['--upstream', 'api.test'], keys, /http or https/],
  ['another protocol', ['--upstream', 'ftp://api.test'], keys, /http or https/],
  ['credentials in the URL', ['--upstream', 'https://me:secret@api.test'], keys, /no credentials/],
  ['a query in the URL', ['--upstream', 'https://api.test/?key=secret'], keys, /query/],
  ['a fragment in the URL', ['--upstream', 'https://api.test/#'], keys, /query nor a fragment/],
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
