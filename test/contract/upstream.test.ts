import { afterAll } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { contract } from './suite/index.ts';

const behind = await startGateway();
const front = await startGateway({ upstream: behind });
afterAll(async () => {
  await front.stop();
  await behind.stop();
});

contract({ ...front, name: 'Segue in front of Segue' });
