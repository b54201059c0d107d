import { Names } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

/**
 * Amazon's managed rules, by group: the rules that only count. Rules on paths, queries and bodies must not block. A custom
 * id may be any text, such as a file name, and a project is up to 4 MiB of HTML that often looks like an attack.
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
 * The requests of one IP address in five minutes. Several companies may share an address: each may send 15,000 requests at
 * its rate, and signs in every half hour. WAF cannot count requests with wrong credentials alone.
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

/** AWS WAF in front of the API. */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, stage: Stage) {
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
