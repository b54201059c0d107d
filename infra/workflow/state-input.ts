import { Token } from 'aws-cdk-lib';
import { FieldUtils } from 'aws-cdk-lib/aws-stepfunctions';
import { COMPANY_ID } from '../../lib/contract/company-id.ts';
import { SettingError } from '../options.ts';

/**
 * Requires that a company id is literal, or a parameter of the stack. With a path into the input, whoever starts an
 * execution could choose the company.
 * @throws {SettingError}
 */
export function requireFixedCompany(companyId: string): void {
  const isFixed = Token.isUnresolved(companyId) ? !hasPath(companyId) : COMPANY_ID.test(companyId);
  if (!isFixed) {
    throw new SettingError(
      'companyId is 1 to 64 letters, digits, "_" or "-" of ASCII, or a parameter of the stack: never a path into the input',
    );
  }
}

/**
 * Refuses a path that is written as plain text. Step Functions would send the text itself as the id, and a deletion would
 * find nothing and succeed.
 * @throws {SettingError}
 */
export function refuseBarePaths(...texts: readonly (string | undefined)[]): void {
  const bare = texts.find((text) => text?.startsWith('$') && !Token.isUnresolved(text));
  if (bare !== undefined) {
    throw new SettingError(`${bare} would be sent as an id or a key itself: write JsonPath.stringAt('${bare}')`);
  }
}

function hasPath(text: string): boolean {
  try {
    return FieldUtils.findReferencedPaths({ text }).length > 0;
  } catch {
    // a path with text around it
    return true;
  }
}
