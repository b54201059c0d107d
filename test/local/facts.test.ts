import { afterAll } from 'vitest';
import { gatewayFacts } from '../contract/facts/suite.ts';
import { startGateway } from '../support/gateway.ts';

const gateway = await startGateway();
afterAll(() => gateway.stop());

gatewayFacts({ ...gateway, name: 'npm start' }, []);
