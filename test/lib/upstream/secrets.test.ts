import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { cachedSecret } from '../../../lib/credentials/cached-secret.ts';
import { readUpstreamCredentials } from '../../../lib/upstream/authorization.ts';
import { readSettings, SettingsError } from '../../../local/settings.ts';
import { problemOf } from './world.ts';

const parse = (value: unknown) => z.object({ n: z.number() }).parse(value);

/** A secret whose value counts its readings, on a clock that stands still until it is moved. */
function countingSecret() {
  let nowMs = 1_000_000;
  let n = 0;
  const read = vi.fn(async () => JSON.stringify({ n: ++n }));
  return {
    secret: cachedSecret(read, parse, { now: () => nowMs }),
    read,
    wait(ms: number) {
      nowMs += ms;
    },
  };
}

test('callers at the same time share one reading', async () => {
  const { secret, read } = countingSecret();
  const values = await Promise.all([secret.read(), secret.read(), secret.read()]);
  expect(read).toHaveBeenCalledTimes(1);
  expect(values).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }]);
});

test('a value is used for less than 30 seconds', async () => {
  const { secret, wait } = countingSecret();
  await secret.read();
  wait(29_999);
  expect(await secret.read()).toEqual({ n: 1 });
  wait(1);
  expect(await secret.read()).toEqual({ n: 2 });
});

test('the age counts from when the reading began', async () => {
  let nowMs = 0;
  const slow = vi.fn(async () => {
    nowMs += 20_000;
    return '{"n":1}';
  });
  const secret = cachedSecret(slow, parse, { now: () => nowMs });
  await secret.read();
  nowMs += 10_000;
  await secret.read();
  expect(slow).toHaveBeenCalledTimes(2);
});

test('a refused value is forgotten, a newer one is not', async () => {
  const { secret, read } = countingSecret();
  const first = await secret.read();
  secret.forget(first);
  expect(await secret.read()).toEqual({ n: 2 });
  secret.forget(first);
  expect(await secret.read()).toEqual({ n: 2 });
  expect(read).toHaveBeenCalledTimes(2);
});

test('a failure is not kept, and everybody who waited is told', async () => {
  const read = vi.fn<() => Promise<string>>();
  read.mockRejectedValueOnce(new Error('down')).mockResolvedValueOnce('{"n":7}');
  const secret = cachedSecret(read, parse, { now: () => 0 });
  const problems = await Promise.all([problemOf(secret.read()), problemOf(secret.read())]);
  expect(problems.map(({ name }) => name)).toEqual(['unavailable', 'unavailable']);
  expect(read).toHaveBeenCalledTimes(1);
  expect(await secret.read()).toEqual({ n: 7 });
});

test.each([
  ['text that is no JSON', 'CANARY is not JSON'],
  ['JSON of another shape', '{"companyId":"CANARY","apiKey":17}'],
  ['a key under a wrong name', '{"companyId":"acme","apikey":"CANARY"}'],
  ['a company id with a colon', '{"companyId":"CANARY:","apiKey":"key"}'],
  ['a key with a line break', '{"companyId":"acme","apiKey":"CANARY\\n"}'],
])('%s is unavailable and echoed nowhere', async (_, text) => {
  const problem = await problemOf(cachedSecret(async () => text, readUpstreamCredentials, { now: () => 0 }).read());
  expect(problem.name).toBe('unavailable');
  expect(inspect(problem, { depth: 10, showHidden: true })).not.toContain('CANARY');
});

test('a reader that quotes the secret in its error is not passed on', async () => {
  const read = async () => {
    throw Object.assign(new Error('cannot deserialise CANARY'), { $response: 'CANARY' });
  };
  const problem = await problemOf(cachedSecret(read, parse, { now: () => 0 }).read());
  expect(problem.name).toBe('unavailable');
  expect(inspect(problem, { depth: 10, showHidden: true })).not.toContain('CANARY');
});

test('members of the secret that nobody asked for do not disturb', () => {
  expect(readUpstreamCredentials({ companyId: 'acme', apiKey: 'key', note: 'rotated in May' })).toEqual({
    companyId: 'acme',
    apiKey: 'key',
  });
});

describe('the account of a secret and of the local settings have one form', () => {
  const fromSecret = (companyId: string, apiKey: string) => readUpstreamCredentials({ companyId, apiKey });
  const fromSettings = (companyId: string, apiKey: string) =>
    readSettings(['--upstream', 'https://api.test'], {
      SEGUE_UPSTREAM_COMPANY_ID: companyId,
      SEGUE_UPSTREAM_API_KEY: apiKey,
    }).functionEnvironment;

  test('the longest', () => {
    const longest = ['c'.repeat(255), 'k'.repeat(1_024)] as const;
    expect(fromSecret(...longest)).toEqual({ companyId: longest[0], apiKey: longest[1] });
    expect(fromSettings(...longest)).toMatchObject({ SEGUE_UPSTREAM_API_KEY: longest[1] });
  });

  test.each([
    ['a long company id', 'c'.repeat(256), 'key'],
    ['a company id with a colon', 'a:b', 'key'],
    ['a long key', 'acme', 'k'.repeat(1_025)],
    ['a key with a space', 'acme', 'two words'],
  ])('%s is refused', (_, companyId, apiKey) => {
    expect(() => fromSecret(companyId, apiKey)).toThrow();
    expect(() => fromSettings(companyId, apiKey)).toThrow(SettingsError);
  });
});
