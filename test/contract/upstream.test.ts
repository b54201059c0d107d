import { afterAll } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { ADDED_IN_FRONT } from './api.ts';
import { contract } from './suite/index.ts';

const behind = await startGateway();
afterAll(() => behind.stop());
const front = await startGateway({ upstream: behind });
afterAll(() => front.stop());

contract({ ...front, name: 'Segue in front of Segue', addedBytes: ADDED_IN_FRONT });
