import { credentials } from '#platform';
import { readSetting, TRANSLATION_CHARACTERS } from '../../lib/contract/settings.ts';
import { findCompany } from '../../lib/credentials/company-record.ts';
import type { LimitsOf } from '../../lib/service/daily-allowance.ts';

/** Reads the limits of a company. Of the characters, the lower limit holds: that of the operator for all, or the company’s. */
export const limitsOf: LimitsOf = async (companyId) => {
  const limits = (await findCompany(credentials(), companyId))?.record.limits;
  const automaticCharacters = lower(limits?.automaticCharacters, readSetting(TRANSLATION_CHARACTERS, process.env));
  return { projects: limits?.projects, automaticCharacters };
};

function lower(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
