import * as z from 'zod/mini';
import { basicHeader } from '../../lib/contract/basic-credentials.ts';
import { ADDED_IN_FRONT } from './api.ts';
import { NEEDS } from './facts/fact.ts';
import { gatewayFacts } from './facts/suite.ts';
import { deletionsUnderLoad } from './load.ts';
import { contract } from './suite/index.ts';

/** The environment variables that `tools/verify.ts` sets. Only that script runs this file. */
const { SEGUE_VERIFY_URL, SEGUE_VERIFY_IN_FRONT, SEGUE_VERIFY_MAY, SEGUE_COMPANY_ID, SEGUE_API_KEY } = z
  .object({
    SEGUE_VERIFY_URL: z.url(),
    SEGUE_VERIFY_IN_FRONT: z.enum(['true', 'false']),
    SEGUE_VERIFY_MAY: z.string(),
    SEGUE_COMPANY_ID: z.string().check(z.minLength(1)),
    SEGUE_API_KEY: z.string().check(z.minLength(1)),
  })
  .parse(process.env);

const isInFront = SEGUE_VERIFY_IN_FRONT === 'true';
const target = {
  name: SEGUE_VERIFY_URL,
  url: SEGUE_VERIFY_URL,
  companyId: SEGUE_COMPANY_ID,
  addedBytes: isInFront ? ADDED_IN_FRONT : 0,
  ...(!isInFront && { writesTranslations: true as const, assignsMembers: true as const }),
  apiKey: SEGUE_API_KEY,
  authorization: basicHeader({ companyId: SEGUE_COMPANY_ID, apiKey: SEGUE_API_KEY }),
};

const may = NEEDS.filter((need) => SEGUE_VERIFY_MAY.split(' ').includes(need));

contract(target);
gatewayFacts(target, may);
// In front of a service, each project would cost money there.
if (may.includes('load') && !isInFront) deletionsUnderLoad(target);
