import { expect, it } from 'vitest';
import { segueWith } from '../../../test/support/segue.ts';

it.each([
  [[], { PORT: 'none' }, 'segue: PORT must be'],
  [['--store', 'memory'], {}, 'segue: --store takes sqlite|dynamodb'],
])('segue start %j passes its options and %j to the service', async (options, env, message) => {
  const { code, stdout, stderr } = await segueWith(env, 'start', ...options);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(message);
});
