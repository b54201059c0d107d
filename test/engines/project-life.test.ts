import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

it('npm run life shows the steps that docs/project-life.md lists', async () => {
  const page = readFileSync(join(ROOT, 'docs/project-life.md'), 'utf8');
  const steps = [...page.matchAll(/^\d+\. (.*)\.$/gm)].map(([, title]) => title);
  // The script checks each step itself, and fails if it does not do what it says.
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'life'], { cwd: ROOT });
  expect([...stdout.matchAll(/^== (.*)$/gm)].map(([, title]) => title)).toEqual(steps);
  expect(stdout).toContain('language.completed ca\n');
});
