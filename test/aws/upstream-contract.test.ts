import { afterAll } from 'vitest';
import { contract } from '../contract/suite/index.ts';
import { startGateway } from '../support/gateway.ts';
import { createStore, settingsOf } from './store.ts';

const behind = await startGateway();
afterAll(() => behind.stop());
// Nothing here takes time to become visible, so the shortest setting serves.
const env = { ...settingsOf(await createStore()), SEGUE_SETTLE_SECONDS: '1' };
const front = await startGateway({ upstream: behind, args: ['--store', 'dynamodb'], env });
afterAll(() => front.stop());

/** The custom id that a project gets on the way has room beside the caller's. */
const addedBytes = 300;

contract({ ...front, name: 'Segue with its ledger in DynamoDB, in front of Segue', addedBytes });
