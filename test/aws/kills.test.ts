import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { awsStore } from '../faults/kills/aws-store.ts';
import { checkKills } from '../faults/kills/run.ts';
import { createAws, settingsOf } from './store.ts';

it('keeps acknowledged changes after a kill, and never restores a deleted project', { timeout: 180_000 }, async () => {
  const { answered, unanswered } = await checkKills(10, randomInt(2 ** 31), async () => {
    const aws = await createAws();
    return awsStore(aws, 'sandbox', { args: ['--store', 'dynamodb'], env: settingsOf(aws) });
  });
  expect(answered).toBeGreaterThan(0);
  expect(unanswered).toBeGreaterThan(0);
});
