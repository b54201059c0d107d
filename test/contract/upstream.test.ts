import { afterAll } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { ADDED_IN_FRONT } from './api.ts';
import { contract } from './suite/index.ts';

const behind = await startGateway();
afterAll(() => behind.stop());
// Nothing here takes time to become visible, so the shortest setting serves.
const front = await startGateway({ upstream: behind, env: { SEGUE_SETTLE_SECONDS: '1' } });
afterAll(() => front.stop());

contract({ ...front, name: 'Segue in front of Segue', addedBytes: ADDED_IN_FRONT });
