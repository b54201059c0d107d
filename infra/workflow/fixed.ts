import { Token } from 'aws-cdk-lib';
import { FieldUtils } from 'aws-cdk-lib/aws-stepfunctions';
import { COMPANY_ID } from '../../lib/contract/company-id.ts';
import { SettingError } from '../setting-error.ts';

/**
 * A path anywhere in it would let whoever starts an execution choose the company.
 * @throws {SettingError}
 */
export function requireFixedCompany(companyId: string): void {
  const isFixed = Token.isUnresolved(companyId) ? !holdsPath(companyId) : COMPANY_ID.test(companyId);
  if (!isFixed) {
    throw new SettingError(
      'companyId is 1 to 64 letters, digits, "_" or "-" of ASCII, or a parameter of the stack: never a path into the input',
    );
  }
}

/**
 * A path that is not said to be one is sent as the text that it is. A deletion by it would find nothing, and be a success.
 * @throws {SettingError}
 */
export function refuseBarePaths(...texts: readonly (string | undefined)[]): void {
  const bare = texts.find((text) => text?.startsWith('$') && !Token.isUnresolved(text));
  if (bare !== undefined) {
    throw new SettingError(`${bare} would be taken for an id or a key: write JsonPath.stringAt('${bare}')`);
  }
}

function holdsPath(text: string): boolean {
  try {
    return FieldUtils.findReferencedPaths({ text }).length > 0;
  } catch {
    // a path with something beside it
    return true;
  }
}
