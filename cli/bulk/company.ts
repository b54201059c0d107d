import { failureName } from '../../lib/contract/failure-names.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { CompanyError } from '../../lib/credentials/companies.ts';
import { COMPANY_SUSPENDED, NO_SUCH_COMPANY, type RequireCompany } from '../../lib/credentials/company-record.ts';

/** Failures that are about the company: no line of the manifest is wrong, and none can succeed. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  [failureName('company-not-found'), NO_SUCH_COMPANY],
  [failureName('company-suspended'), COMPANY_SUSPENDED],
]);

/** The refusal that ends a run. @returns `undefined` for a failure of the line alone */
export function companyRefusal(failure = ''): CompanyError | undefined {
  const message = MESSAGES.get(failure);
  return message === undefined ? undefined : new CompanyError(message);
}

/** Checks the company before the run. @throws {CompanyError} if it does not exist or is suspended */
export async function requireUsableCompany(requireCompany: RequireCompany, companyId: string): Promise<void> {
  try {
    await requireCompany(companyId);
  } catch (error) {
    throw (error instanceof Problem && companyRefusal(failureName(error.name))) || error;
  }
}
