import { execFileSync } from 'node:child_process';
import { expect, it, onTestFinished, vi } from 'vitest';
import { childEnvironment } from './child-environment.ts';

it('hands on what moves the date and sets the time zone, and nothing else that is not given', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const clock = { LD_PRELOAD: '', FAKETIME: '+0d', FAKETIME_DONT_FAKE_MONOTONIC: '1', TZ: 'Asia/Kathmandu' };
  for (const [name, value] of Object.entries({ ...clock, SEGUE_API_KEY: 'of-this-process' })) vi.stubEnv(name, value);
  const { PATH, HOME } = process.env;
  // libfaketime itself adds one more.
  const { FAKETIME_SHARED: _, ...environment } = childEnvironment({ PORT: '0' });
  expect(environment).toEqual({ ...clock, PATH, HOME, PORT: '0' });
});

it('gives a child process the clock of its parent', () => {
  const program = 'console.log(JSON.stringify([Date.now(), new Date(0).getTimezoneOffset()]))';
  const before = Date.now();
  const said = execFileSync(process.execPath, ['--eval', program], { env: childEnvironment({}), encoding: 'utf8' });
  const [nowMs, offset] = JSON.parse(said);
  expect(nowMs).toBeGreaterThanOrEqual(before);
  expect(nowMs).toBeLessThanOrEqual(Date.now());
  expect(offset).toBe(new Date(0).getTimezoneOffset());
});
