import type { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { OPTIONAL_ROUTES } from '../../lib/contract/optional-routes.ts';
import type { Route } from '../../lib/contract/routes.ts';
import { ROUTES } from '../../lib/operations/routes.ts';
import type { GatewayOptions } from '../options.ts';
import type { FirewallMode } from '../stages.ts';

/** A rule of the firewall, without its priority and its metric. */
export type FirewallRule = Omit<CfnWebACL.RuleProperty, 'priority' | 'visibilityConfig'>;

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
 * Matches the paths of the routes without an authorizer, such as sign-ins, webhooks and pages. WAF cannot tell valid
 * credentials from wrong ones, but companies with valid ones send many more requests to the other routes. The name of
 * the stage or the base path of a domain comes first. API Gateway finds no route for a path with needless encoding, so
 * nobody gets around the rule in that way.
 */
const ANONYMOUS_PATHS = anonymousPaths();

function anonymousPaths(): string {
  const routes: readonly Pick<Route, 'path' | 'scope'>[] = [...ROUTES, ...OPTIONAL_ROUTES];
  const firstSegments = routes.filter(({ scope }) => scope === null).map(({ path }) => path.split('/')[1] ?? '');
  const names = [...new Set(firstSegments)].map((name) => name.replaceAll('.', '\\.'));
  return `^(/[^/]+)?/(${names.sort().join('|')})(/|$)`;
}

/**
 * The limit on all requests from one address in five minutes. It leaves room for several companies behind one address:
 * at its rate, a company sends 15,000 requests.
 */
const ALL_REQUESTS_LIMIT = 60_000;

/** The window in which requests of an address are counted, in seconds. */
const WINDOW = { evaluationWindowSec: 300, aggregateKeyType: 'IP' } as const;

/** Returns the rules that block addresses that send too many requests. */
export function rateRules(
  mode: FirewallMode,
  { firewallLimit }: Pick<GatewayOptions, 'firewallLimit'>,
): FirewallRule[] {
  const scopeDownStatement = {
    regexMatchStatement: {
      fieldToMatch: { uriPath: {} },
      regexString: ANONYMOUS_PATHS,
      textTransformations: [{ priority: 0, type: 'NONE' }],
    },
  };
  const limits = {
    AnonymousRequestsOfAnAddress: { ...WINDOW, limit: firewallLimit, scopeDownStatement },
    ...(mode === 'managed' && { RequestsOfAnAddress: { ...WINDOW, limit: ALL_REQUESTS_LIMIT } }),
  };
  return Object.entries(limits).map(([name, rateBasedStatement]) => ({
    name,
    action: { block: {} },
    statement: { rateBasedStatement },
  }));
}

/** Returns the rules with Amazon's managed rule groups. */
export function managedRules(): FirewallRule[] {
  return Object.entries(COUNTED_RULES).map(([name, counted]) => ({
    name,
    overrideAction: { none: {} },
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
      },
    },
  }));
}
