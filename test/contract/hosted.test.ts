import { afterAll } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { properties } from './properties.ts';
import { contract } from './suite/index.ts';

const gateway = await startGateway({ env: { SEGUE_SECURITY_CONTACT: 'https://example.com/security' } });
afterAll(() => gateway.stop());

const target = {
  ...gateway,
  name: 'the hosted service',
  echoesDates: true,
  writesTranslations: true,
  assignsMembers: true,
} as const;
contract(target);
properties(target);
