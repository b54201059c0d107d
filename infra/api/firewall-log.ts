import { ArnFormat, Names, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, type CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { GatewayOptions } from '../options.ts';
import { encrypted } from '../stores/grant.ts';

/**
 * The parts of requests that WAF replaces by `REDACTED` wherever it writes them. Without keys, a part is replaced as a
 * whole: any header may have a secret, such as a webhook's signature. The log keeps the names of headers.
 */
export const PROTECTED_DATA: CfnWebACL.DataProtectionConfigProperty = {
  dataProtections: ['SINGLE_HEADER', 'SINGLE_COOKIE', 'QUERY_STRING', 'SINGLE_QUERY_ARGUMENT', 'BODY'].map(
    (fieldType) => ({ field: { fieldType }, action: 'SUBSTITUTION' }),
  ),
};

/**
 * The parts of requests that the log leaves out. A path may contain a custom id, and only this setting covers it. The
 * headers are listed again, because a leak of these would be the worst.
 */
const REDACTED = [
  { uriPath: {} },
  { queryString: {} },
  ...['authorization', 'cookie', 'x-api-key'].map((name) => ({ singleHeader: { Name: name } })),
];

/**
 * The log of the requests that the firewall blocks. It is the only place where Segue keeps the addresses of senders, so
 * it has a retention of its own and is deleted with the stack.
 */
export class FirewallLog extends Construct {
  constructor(scope: Construct, id: string, acl: CfnWebACL, options: GatewayOptions) {
    super(scope, id);
    const group = new LogGroup(this, 'Group', {
      // WAF writes only to log groups with this beginning.
      logGroupName: `aws-waf-logs-${Names.uniqueResourceName(this, { maxLength: 100, separator: '-' })}`,
      retention: options.firewallLogDays,
      ...encrypted(options),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // WAF adds a resource policy for the log group itself. A policy in the stack would count against the account's limit
    // of ten.
    new CfnLoggingConfiguration(this, 'Configuration', {
      resourceArn: acl.attrArn,
      logDestinationConfigs: [
        Stack.of(this).formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: group.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      redactedFields: REDACTED,
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          { Behavior: 'KEEP', Requirement: 'MEETS_ANY', Conditions: [{ ActionCondition: { Action: 'BLOCK' } }] },
        ],
      },
    });
  }
}
