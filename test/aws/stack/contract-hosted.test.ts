import { properties } from '../../contract/properties.ts';
import { contract } from '../../contract/suite/index.ts';
import { serveStack } from './served-stack.ts';

const target = {
  ...(await serveStack('hosted')),
  name: 'the bundled functions of a stack with the hosted service',
  echoesDates: true,
  writesTranslations: true,
  assignsMembers: true,
} as const;
contract(target);
properties(target);
