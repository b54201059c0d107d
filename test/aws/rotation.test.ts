import { expect, it } from 'vitest';
import { checkRotation } from '../faults/rotation/run.ts';
import { awsSettings } from './store.ts';

it('no request fails while the upstream account and the signing keys are rotated', async () => {
  expect(await checkRotation(8, awsSettings())).toHaveProperty('answers');
});
