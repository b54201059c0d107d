import type { CompanyRate } from '../../lib/credentials/rate-limit.ts';
import { tokenBuckets } from '../../lib/credentials/rate-limit.ts';
import { once } from './once.ts';
import { companyRateSetting } from './settings.ts';

/** The rate of each company, which the gateway and the token operations of one process count together; absent if none is set. */
export const companyRate = once((): CompanyRate | undefined => {
  const rate = companyRateSetting();
  return rate && tokenBuckets({ ...rate, now: Date.now }).take;
});
