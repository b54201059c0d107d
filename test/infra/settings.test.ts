import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { SettleSeconds, UpstreamMark } from '../../functions/compose/settings.ts';
import { ROOT } from '../../infra/bundle.ts';
import { SettingError } from '../../infra/options.ts';
import { readSettings, stackNameOf } from '../../infra/settings.ts';
import { CONTEXTS, type Context, EVERY_OPTION } from '../../scripts/contexts.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';

// processes and syntheses take seconds where every core is busy
vi.setConfig({ testTimeout: MUCH_WORK_MS });

it.each([
  ['https://projects.example.com', 'https://projects.example.com'],
  ['https://projects.example.com/', 'https://projects.example.com'],
  ['https://projects.example.com:8443/api/v1/', 'https://projects.example.com:8443/api/v1'],
])('reads %s as %s', (upstreamUrl, url) => {
  expect(readSettings({ upstreamUrl })).toEqual({ service: { name: 'upstream', url } });
  expect(readSettings({ upstreamUrl, service: 'upstream' })).toEqual({ service: { name: 'upstream', url } });
});

it.each([
  42,
  '',
  'projects.example.com',
  'http://projects.example.com',
  'https://acme:key@projects.example.com',
  'https://projects.example.com/?a=b',
  'https://projects.example.com/#a',
  'https://projects.example.com/?',
  'https://projects.example.com/#',
])('refuses %s as the URL of another service', (upstreamUrl) => {
  expect(() => readSettings({ upstreamUrl })).toThrow(SettingError);
});

it('reads every setting, from text as from JSON, and leaves those of the CDK alone', () => {
  const settings = readSettings({ ...CONTEXTS.hosted, ...EVERY_OPTION, '@aws-cdk/core:checkSecretUsage': true });
  const projectsFrom = ['exports-of-one', 'exports-of-another'];
  const read = {
    service: { name: 'hosted' },
    firewall: true,
    recoveryDays: 0,
    startToleranceSeconds: 60,
    projectsFrom,
    bulkCompanies: ['acme'],
  };
  expect(settings).toEqual({ ...EVERY_OPTION, ...read });
  expect(readSettings({ service: 'hosted', recoveryDays: 3, alarms: false })).toMatchObject({
    recoveryDays: 3,
    alarms: false,
  });
});

it('reads how another service is used, from text as from JSON', () => {
  const context = { upstreamUrl: 'https://projects.example.com', upstreamMark: 'our-Segue_2', settleSeconds: '3600' };
  const service = { name: 'upstream', url: context.upstreamUrl, mark: 'our-Segue_2', settleSeconds: 3_600 };
  expect(readSettings(context)).toEqual({ service });
  expect(readSettings({ ...context, settleSeconds: 3_600 })).toEqual({ service });
});

it('takes the marks and times that the functions take, and no others', () => {
  const url = 'https://projects.example.com';
  for (const upstreamMark of ['', 'a', 'a.b', 'a b', 'é', '-_Z9', 'm'.repeat(32), 'm'.repeat(33)]) {
    const isTaken = UpstreamMark.safeParse(upstreamMark).success;
    expect(
      takes(() => readSettings({ upstreamUrl: url, upstreamMark })),
      upstreamMark,
    ).toBe(isTaken);
  }
  for (const settleSeconds of ['0', '1', '60', '3600', '3601', '1.5', '-1', 'x']) {
    const isTaken = SettleSeconds.safeParse(settleSeconds).success;
    expect(
      takes(() => readSettings({ upstreamUrl: url, settleSeconds })),
      settleSeconds,
    ).toBe(isTaken);
  }
});

function takes(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(SettingError);
    return false;
  }
}

it('leaves alone what others have in the context', () => {
  const others = {
    'aws:cdk:bundling-stacks': ['**'],
    'cli-telemetry': false,
    '@aws-cdk/core:enableStackNameDuplicates': 1,
  };
  expect(readSettings({ service: 'hosted', ...others })).toEqual({ service: { name: 'hosted' } });
});

it.each<[string, Context]>([
  ['Segue', {}],
  ['Segue', { stage: 'production' }],
  ['Segue-development', { stage: 'development' }],
  ['Mine', { stage: 'development', stackName: 'Mine' }],
])('names the stack %s with %j, so that no stage is deployed over another', (name, context) => {
  expect(stackNameOf(readSettings({ service: 'hosted', ...context }))).toBe(name);
});

it.each<[RegExp, Context]>([
  [/^Say which service/, {}],
  [/^service must be hosted or upstream/, { service: 'other' }],
  [/^service=upstream needs upstreamUrl/, { service: 'upstream' }],
  [/upstreamUrl is for service=upstream$/, { service: 'hosted', upstreamUrl: 'https://projects.example.com' }],
  [/upstreamMark is for service=upstream$/, { service: 'hosted', upstreamMark: 'segue' }],
  [/settleSeconds is for service=upstream$/, { service: 'hosted', settleSeconds: 60 }],
  [/^upstreamMark must be 1 to 32/, { upstreamUrl: 'https://projects.example.com', upstreamMark: 'a.b' }],
  [/^settleSeconds must be/, { upstreamUrl: 'https://projects.example.com', settleSeconds: '0' }],
  [/^stage must be development or production/, { service: 'hosted', stage: 'prod' }],
  [/^accessLogs must be true or false/, { service: 'hosted', accessLogs: 'yes' }],
  [/^domainName must be a host name/, { service: 'hosted', domainName: 'https://projects.example.com' }],
  [/are set together/, { service: 'hosted', domainName: 'projects.example.com' }],
  [/are set together/, { service: 'hosted', basePath: 'v1' }],
  [/^basePath must be one segment/, { ...EVERY_OPTION, service: 'hosted', basePath: 'a/b' }],
  [/^encryptionKeyArn must be/, { service: 'hosted', encryptionKeyArn: 'alias/mine' }],
  [/^alarmTopicArn must be/, { service: 'hosted', alarmTopicArn: 'alarms' }],
  [/^projectsFrom must be names/, { service: 'hosted', projectsFrom: 'one,,two' }],
  [/^projectsFrom must be names/, { service: 'hosted', projectsFrom: 'a/b' }],
  [/^reservedConcurrency must be/, { service: 'hosted', reservedConcurrency: '5' }],
  [/^upstremUrl is no setting: did you mean upstreamUrl\?$/, { service: 'hosted', upstremUrl: '' }],
  [/^Stage is no setting: did you mean stage\?$/, { service: 'hosted', Stage: 'development' }],
  [/^logDays is no setting: docs\/deploy.md has all there are$/, { service: 'hosted', logDays: '7' }],
  [/^stackName must be 1 to 128/, { service: 'hosted', stackName: 'Segue_development' }],
])('says %s of %j', (message, context) => {
  expect(() => readSettings(context)).toThrow(SettingError);
  expect(() => readSettings(context)).toThrow(message);
});

it.each([
  [{ upstreamUrl: 'ftp://nowhere' }, /^upstreamUrl must be an https URL [^\n]*\n$/],
  [{ service: 'upstream' }, /^service=upstream needs upstreamUrl[^\n]*\n$/],
  [{ service: 'hosted', reservedConcurrency: { nobody: 1 } }, /^reservedConcurrency has whole numbers [^\n]*\n$/],
])('fails a synthesis with %j with one clear line', async (context, stderr) => {
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context) };
  const synthesis = promisify(execFile)(process.execPath, ['infra/app.ts'], { cwd: ROOT, env });
  await expect(synthesis).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(stderr) });
});
