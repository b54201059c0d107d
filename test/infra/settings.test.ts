import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { ROOT } from '../../infra/bundle.ts';
import { readSettings, SettingError } from '../../infra/settings.ts';

// processes and syntheses take seconds where every core is busy
vi.setConfig({ testTimeout: 60_000 });

const read = (upstreamUrl: unknown) => readSettings((name) => (name === 'upstreamUrl' ? upstreamUrl : undefined));

it.each([
  ['https://projects.example.com', 'https://projects.example.com'],
  ['https://projects.example.com/', 'https://projects.example.com'],
  ['https://projects.example.com:8443/api/v1/', 'https://projects.example.com:8443/api/v1'],
])('reads %s as %s', (given, upstreamUrl) => {
  expect(read(given)).toEqual({ upstreamUrl });
});

it.each([
  undefined,
  42,
  '',
  'projects.example.com',
  'http://projects.example.com',
  'https://acme:key@projects.example.com',
  'https://projects.example.com/?a=b',
  'https://projects.example.com/#a',
  'https://projects.example.com/?',
  'https://projects.example.com/#',
])('refuses %s', (given) => {
  expect(() => read(given)).toThrow(SettingError);
});

it('fails a synthesis with one clear line', async () => {
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ upstreamUrl: 'ftp://nowhere' }) };
  const synthesis = promisify(execFile)(process.execPath, ['infra/app.ts'], { cwd: ROOT, env });
  await expect(synthesis).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^upstreamUrl must be an https URL [^\n]*\n$/),
  });
});
