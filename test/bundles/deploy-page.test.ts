import { expect, it } from 'vitest';
import { blocks, read, sh } from '../docs/world.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';

it('docs/deploy.md shows how to write the template of a stack without an account', {
  timeout: MUCH_WORK_MS,
}, async () => {
  const page = read('docs/deploy.md');
  const [synthesise = ''] = blocks(page, 'sh');
  const [shown] = blocks(page, 'text');
  expect(await sh(`set -e\n${synthesise}`)).toContain(shown);
});
