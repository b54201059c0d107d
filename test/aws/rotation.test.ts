import { expect, it } from 'vitest';
import { checkRotation } from '../faults/rotation/run.ts';
import { awsSettings } from './store.ts';

it('rotates the upstream account and the signing keys without a failed request', async () => {
  expect(await checkRotation(8, awsSettings())).toHaveProperty('answers');
});
