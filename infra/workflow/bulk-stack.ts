import { NestedStack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { GatewayOptions } from '../options.ts';
import { removalPolicyOf } from '../removal-policy.ts';
import { SettingError } from '../setting-error.ts';
import { encrypted } from '../stores/grant.ts';
import { type BulkGateway, BulkProjects } from './bulk.ts';

/**
 * Creates the log of the bulk runs of a gateway. All machines share it: one filter then counts their failures, and the
 * account's policy that lets Step Functions write logs has no room for the log of each of many companies.
 */
export function createBulkLog(scope: Construct, options: GatewayOptions): LogGroup {
  return new LogGroup(scope, 'BulkLog', {
    retention: options.logDays,
    ...encrypted(options),
    removalPolicy: removalPolicyOf(options),
  });
}

/**
 * The most companies of `bulkCompanies`: a stack has at most 500 resources, and a machine needs four. Others can have a
 * `BulkProjects` in a stack of its own.
 */
const MAX_COMPANIES = 120;

/**
 * Creates the state machines of companies, in a nested stack.
 * @throws {SettingError} if there are too many companies
 */
export function createBulkMachines(gateway: Construct & BulkGateway, companyIds: readonly string[]): BulkProjects[] {
  if (companyIds.length === 0) return [];
  if (companyIds.length > MAX_COMPANIES) {
    throw new SettingError(
      `bulkCompanies may have ${MAX_COMPANIES} companies: give the others a BulkProjects in a stack of their own`,
    );
  }
  const scope = new Construct(gateway, 'Bulk');
  // With indentation, the template of 120 companies would exceed the limit of CloudFormation.
  scope.node.setContext('@aws-cdk/core:suppressTemplateIndentation', true);
  const stack = new NestedStack(scope, 'Machines', { description: 'Segue: the state machines of bulk runs' });
  return companyIds.map((companyId) => new BulkProjects(stack, `Bulk-${companyId}`, { gateway, companyId }));
}
