import { expect, test } from 'vitest';
import { checkRotation } from '../faults/rotation/run.ts';
import { awsSettings } from './store.ts';

test('no caller notices that the account at the service or the signing keys are rotated, at 50 requests a second', async () => {
  expect(await checkRotation(8, awsSettings())).toContain('as they had to be');
});
