import { Names } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

/**
 * Amazon's managed rules that only count requests and do not block them, by rule group. Rules about paths, queries and
 * bodies must not block. A custom id may be any text, such as a file name. A project has up to 4 MiB of HTML, which
 * often looks like an attack.
 */
const COUNTED_RULES = {
  AWSManagedRulesAmazonIpReputationList: [],
  AWSManagedRulesKnownBadInputsRuleSet: [
    'JavaDeserializationRCE_BODY',
    'JavaDeserializationRCE_URIPATH',
    'JavaDeserializationRCE_QUERYSTRING',
    'Log4JRCE_BODY',
    'Log4JRCE_URIPATH',
    'Log4JRCE_QUERYSTRING',
    'ReactJSRCE_BODY',
    'ExploitablePaths_URIPATH',
  ],
  AWSManagedRulesCommonRuleSet: [
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
};

/**
 * The limits on requests from one IP address in five minutes. They leave room for several companies behind one address.
 * At its rate, a company sends 15,000 requests, and it signs in every half hour. WAF cannot count wrong credentials
 * separately.
 */
const ADDRESS_RATES: Readonly<Record<string, CfnWebACL.RateBasedStatementProperty>> = {
  SignInsOfAnAddress: {
    limit: 1_000,
    aggregateKeyType: 'IP',
    evaluationWindowSec: 300,
    scopeDownStatement: {
      byteMatchStatement: {
        fieldToMatch: { uriPath: {} },
        positionalConstraint: 'CONTAINS',
        searchString: '/authentication/',
        textTransformations: [{ priority: 0, type: 'NONE' }],
      },
    },
  },
  RequestsOfAnAddress: { limit: 60_000, aggregateKeyType: 'IP', evaluationWindowSec: 300 },
};

/** An AWS WAF web ACL for a stage of the API. */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, stage: Stage) {
    super(scope, id);
    const name = Names.uniqueResourceName(this, { maxLength: 100, separator: '-' });
    const visibility = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      // Sampled requests would contain headers, and therefore credentials.
      sampledRequestsEnabled: false,
    });
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(name),
      rules: [
        ...Object.entries(ADDRESS_RATES).map(([name, rateBasedStatement]) => ({
          name,
          action: { block: {} },
          statement: { rateBasedStatement },
        })),
        ...Object.entries(COUNTED_RULES).map(([name, counted]) => ({
          name,
          overrideAction: { none: {} },
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name,
              ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
            },
          },
        })),
      ].map((rule, priority) => ({ ...rule, priority, visibilityConfig: visibility(`${name}-${rule.name}`) })),
    });
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stage.stageArn, webAclArn: acl.attrArn });
  }
}
