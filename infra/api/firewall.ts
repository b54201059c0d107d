import { Names } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

/** A group of Amazon's managed rules. */
interface RuleGroup {
  readonly name: string;
  /** The rules that count requests and do not block them. */
  readonly counted: readonly string[];
}

/**
 * Rules on paths, queries and bodies only count. A custom id may be any text, such as a file name, and a project is up to
 * 4 MiB of HTML that often looks like an attack.
 */
const GROUPS: readonly RuleGroup[] = [
  { name: 'AWSManagedRulesAmazonIpReputationList', counted: [] },
  {
    name: 'AWSManagedRulesKnownBadInputsRuleSet',
    counted: [
      'JavaDeserializationRCE_BODY',
      'JavaDeserializationRCE_URIPATH',
      'JavaDeserializationRCE_QUERYSTRING',
      'Log4JRCE_BODY',
      'Log4JRCE_URIPATH',
      'Log4JRCE_QUERYSTRING',
      'ReactJSRCE_BODY',
      'ExploitablePaths_URIPATH',
    ],
  },
  {
    name: 'AWSManagedRulesCommonRuleSet',
    counted: [
      'SizeRestrictions_BODY',
      'SizeRestrictions_URIPATH',
      'SizeRestrictions_QUERYSTRING',
      'CrossSiteScripting_BODY',
      'CrossSiteScripting_URIPATH',
      'CrossSiteScripting_QUERYARGUMENTS',
      'GenericLFI_BODY',
      'GenericLFI_URIPATH',
      'GenericLFI_QUERYARGUMENTS',
      'GenericRFI_BODY',
      'GenericRFI_URIPATH',
      'GenericRFI_QUERYARGUMENTS',
      'EC2MetaDataSSRF_BODY',
      'EC2MetaDataSSRF_URIPATH',
      'EC2MetaDataSSRF_QUERYARGUMENTS',
      'RestrictedExtensions_URIPATH',
      'RestrictedExtensions_QUERYARGUMENTS',
    ],
  },
];

/** A limit for one IP address. WAF cannot count requests with wrong credentials alone. */
interface AddressRate {
  readonly name: string;
  /** In five minutes. */
  readonly requests: number;
  /** Part of the path. Default: any path. */
  readonly path?: string;
}

/** Several companies may share an address. Each may send 15,000 requests at its rate, and signs in every half hour. */
const ADDRESS_RATES: readonly AddressRate[] = [
  { name: 'SignInsOfAnAddress', requests: 1_000, path: '/authentication/' },
  { name: 'RequestsOfAnAddress', requests: 60_000 },
];

/** AWS WAF in front of the API. */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { stage }: { readonly stage: Stage }) {
    super(scope, id);
    const name = Names.uniqueResourceName(this, { maxLength: 100, separator: '-' });
    const visibility = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      // samples contain headers, and so credentials
      sampledRequestsEnabled: false,
    });
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(name),
      rules: [
        ...ADDRESS_RATES.map((rate) => ({
          name: rate.name,
          action: { block: {} },
          statement: { rateBasedStatement: rateStatement(rate) },
        })),
        ...GROUPS.map((group) => ({
          name: group.name,
          overrideAction: { none: {} },
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name: group.name,
              ruleActionOverrides: group.counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
            },
          },
        })),
      ].map((rule, priority) => ({ ...rule, priority, visibilityConfig: visibility(`${name}-${rule.name}`) })),
    });
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stage.stageArn, webAclArn: acl.attrArn });
  }
}

function rateStatement({ requests, path }: AddressRate): CfnWebACL.RateBasedStatementProperty {
  return {
    limit: requests,
    aggregateKeyType: 'IP',
    evaluationWindowSec: 300,
    ...(path !== undefined && {
      scopeDownStatement: {
        byteMatchStatement: {
          fieldToMatch: { uriPath: {} },
          positionalConstraint: 'CONTAINS',
          searchString: path,
          textTransformations: [{ priority: 0, type: 'NONE' }],
        },
      },
    }),
  };
}
