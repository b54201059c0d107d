import { afterAll } from 'vitest';
import { contract } from '../contract/suite/index.ts';
import { startGateway } from '../support/gateway.ts';
import { createStore, settingsOf } from './store.ts';

const behind = await startGateway();
afterAll(() => behind.stop());
// This upstream service shows changes at once, so the shortest setting is enough.
const env = { ...settingsOf(await createStore()), SEGUE_SETTLE_SECONDS: '1' };
const front = await startGateway({ upstream: behind, args: ['--store', 'dynamodb'], env });
afterAll(() => front.stop());

/** The number of bytes for the custom id that Segue adds to a project. */
const addedBytes = 300;

contract({
  ...front,
  name: 'Segue with its ledger in DynamoDB, in front of Segue',
  addedBytes,
  assignsMembers: true,
});
