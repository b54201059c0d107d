import { afterAll } from 'vitest';
import { properties } from '../contract/properties.ts';
import { contract } from '../contract/suite/index.ts';
import { startGateway } from '../support/gateway.ts';
import { createStore, settingsOf } from './store.ts';

const gateway = await startGateway({ args: ['--store', 'dynamodb'], env: settingsOf(await createStore()) });
afterAll(() => gateway.stop());

const target = {
  ...gateway,
  name: 'the hosted service on DynamoDB and S3',
  writesTranslations: true,
  assignsMembers: true,
} as const;
contract(target);
properties(target);
