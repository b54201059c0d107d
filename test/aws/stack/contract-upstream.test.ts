import { afterAll } from 'vitest';
import { ADDED_IN_FRONT } from '../../contract/api.ts';
import { contract } from '../../contract/suite/index.ts';
import { startGateway } from '../../support/gateway.ts';
import { serveStack } from './served-stack.ts';

const upstream = await startGateway();
afterAll(() => upstream.stop());

contract({
  ...(await serveStack('upstream', upstream)),
  name: 'the bundled functions of a stack in front of a service',
  addedBytes: ADDED_IN_FRONT,
  assignsMembers: true,
});
