import { expect, it } from 'vitest';
import { checkRotation } from '../faults/rotation/run.ts';
import { awsSettings } from './store.ts';

it('rotates the upstream account and the signing keys unnoticed, at 50 requests a second', async () => {
  expect(await checkRotation(8, awsSettings())).toHaveProperty('keys that signed');
});
