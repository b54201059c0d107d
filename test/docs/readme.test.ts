import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { blocks, ROOT, read } from './world.ts';

it('README shows the output of npm run demo', { timeout: MUCH_WORK_MS }, async () => {
  const env = childEnvironment({ PATH: String(process.env['PATH']) });
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'demo'], { cwd: ROOT, env });
  // The order in which requests arrive, and so the number of lost answers, varies.
  const withoutCounts = (text: string) => text.replace(/client +[1-9]\d*$/m, '').replace(/\d+: \d+ too/, '');
  const [shown = ''] = blocks(read('README.md'), 'text');
  expect(withoutCounts(stdout)).toBe(withoutCounts(shown));
});
