import * as z from 'zod/mini';
import { contract } from './suite/index.ts';

/** Set by `scripts/verify.ts`, which is the only one to run this file. */
const { SEGUE_VERIFY_URL, SEGUE_VERIFY_SERVICE, SEGUE_COMPANY_ID, SEGUE_API_KEY } = z
  .object({
    SEGUE_VERIFY_URL: z.url(),
    SEGUE_VERIFY_SERVICE: z.enum(['hosted', 'any']),
    SEGUE_COMPANY_ID: z.string().check(z.minLength(1)),
    SEGUE_API_KEY: z.string().check(z.minLength(1)),
  })
  .parse(process.env);

contract(
  {
    name: SEGUE_VERIFY_URL,
    url: SEGUE_VERIFY_URL,
    companyId: SEGUE_COMPANY_ID,
    apiKey: SEGUE_API_KEY,
    authorization: `Basic ${Buffer.from(`${SEGUE_COMPANY_ID}:${SEGUE_API_KEY}`).toString('base64')}`,
  },
  SEGUE_VERIFY_SERVICE,
);
