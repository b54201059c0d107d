import { expect, it } from 'vitest';
import { checkSignatures } from './mutations.ts';

it('accepts every signed message, and none that was changed', () => {
  const { accepted, refused } = checkSignatures(3_000, 1);
  expect(accepted).toBeGreaterThan(500);
  expect(refused).toBeGreaterThan(500);
});
