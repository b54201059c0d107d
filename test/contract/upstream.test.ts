import { afterAll } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { contract } from './suite/index.ts';

const behind = await startGateway();
afterAll(() => behind.stop());
const front = await startGateway({ upstream: behind });
afterAll(() => front.stop());

/** The custom id that a project gets on the way has room beside the caller's. */
const addedBytes = 300;

contract({ ...front, name: 'Segue in front of Segue', addedBytes }, 'hosted');
