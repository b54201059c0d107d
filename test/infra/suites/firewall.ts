import { Match, type Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { OPTIONAL_ROUTES } from '../../../lib/contract/optional-routes.ts';
import type { Route } from '../../../lib/contract/routes.ts';
import { ROUTES } from '../../../lib/operations/routes.ts';
import { FIREWALL } from '../../../tools/docs/idle-costs.ts';
import { gatewayResponsesOf, propertiesOf } from '../template.ts';

const Rule = z.object({
  Name: z.string(),
  Action: z.optional(z.object({ Block: z.strictObject({}) })),
  Statement: z.object({
    ManagedRuleGroupStatement: z.optional(
      z.object({
        RuleActionOverrides: z.array(
          z.object({ Name: z.string(), ActionToUse: z.strictObject({ Count: z.object({}) }) }),
        ),
      }),
    ),
    RateBasedStatement: z.optional(
      z.looseObject({
        ScopeDownStatement: z.optional(z.object({ RegexMatchStatement: z.looseObject({ RegexString: z.string() }) })),
      }),
    ),
  }),
});

function aclOf(template: Template) {
  const [acl] = propertiesOf(template, 'AWS::WAFv2::WebACL').values();
  return { acl: JSON.stringify(acl), rules: z.object({ Rules: z.array(Rule) }).parse(acl).Rules };
}

const PATHS = [...ROUTES, ...OPTIONAL_ROUTES].map(({ path, scope }: Pick<Route, 'path' | 'scope'>) => ({
  path,
  scope,
}));

/** Tests the firewall of a stack without options: one rule, and a log without secrets. */
export function firewall(template: Template): void {
  const { acl, rules } = aclOf(template);

  it('stands in front of the API', () => {
    template.hasResourceProperties('AWS::WAFv2::WebACLAssociation', {
      ResourceArn: { 'Fn::Join': ['', Match.arrayWith([{ Ref: Match.stringLikeRegexp('DeploymentStage') }])] },
    });
  });

  it('has one rule, which limits the requests of an address that need no credentials', () => {
    expect(rules).toHaveLength(FIREWALL.rate.firewallRuleMonth);
    expect(rules).toMatchObject([
      {
        Action: { Block: {} },
        Statement: { RateBasedStatement: { Limit: 3_000, AggregateKeyType: 'IP', EvaluationWindowSec: 300 } },
      },
    ]);
  });

  describe('counts a request', () => {
    const [pattern = ''] = rules.flatMap(
      ({ Statement }) => Statement.RateBasedStatement?.ScopeDownStatement?.RegexMatchStatement.RegexString ?? [],
    );
    const isCounted = (path: string) => new RegExp(pattern).test(path);

    it.each(PATHS)('to $path as its scope is $scope', ({ path, scope }) => {
      const filled = path.replaceAll(/\{\w+\}/g, '1');
      for (const sent of [filled, `/prod${filled}`, `/v1${filled}`]) expect(isCounted(sent)).toBe(scope === null);
    });

    it('by its first segment only', () => {
      for (const path of ['/prod/segments/projects/custom/docs', '/v1/segments/projects/custom/health%2Fdocs']) {
        expect(isCounted(path)).toBe(false);
      }
      expect(isCounted('/prod/oauth/token/')).toBe(true);
      expect(isCounted('/prod/healthy')).toBe(false);
    });
  });

  it('logs what it blocks, and only that, to a log group of its own with a short retention', () => {
    template.hasResource('AWS::Logs::LogGroup', {
      Properties: { LogGroupName: Match.stringLikeRegexp('^aws-waf-logs-'), RetentionInDays: 7 },
      DeletionPolicy: 'Delete',
    });
    template.hasResourceProperties('AWS::WAFv2::LoggingConfiguration', {
      LogDestinationConfigs: [
        { 'Fn::Join': ['', Match.arrayWith([':log-group:', { Ref: Match.stringLikeRegexp('^ApiFirewallLog') }])] },
      ],
      LoggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [{ Behavior: 'KEEP', Conditions: [{ ActionCondition: { Action: 'BLOCK' } }] }],
      },
    });
  });

  it('logs no path, query, header, cookie or body', () => {
    template.hasResourceProperties('AWS::WAFv2::LoggingConfiguration', {
      RedactedFields: Match.arrayWith([
        { UriPath: {} },
        { QueryString: {} },
        { SingleHeader: { Name: 'authorization' } },
        { SingleHeader: { Name: 'cookie' } },
      ]),
    });
    const fields = ['SINGLE_HEADER', 'SINGLE_COOKIE', 'QUERY_STRING', 'SINGLE_QUERY_ARGUMENT', 'BODY'];
    template.hasResourceProperties('AWS::WAFv2::WebACL', {
      DataProtectionConfig: {
        DataProtections: fields.map((FieldType) => ({ Action: 'SUBSTITUTION', Field: { FieldType } })),
      },
    });
  });

  it('keeps no samples of requests', () => {
    expect(acl).toContain('"SampledRequestsEnabled":false');
    expect(acl).not.toContain('"SampledRequestsEnabled":true');
  });
}

/** Tests the firewall of a stack with every option: with Amazon's managed rules, and networks that it blocks. */
export function managedFirewall(template: Template): void {
  const { rules } = aclOf(template);

  it('only counts the rules that judge content and ids', () => {
    const counted = rules.flatMap(({ Statement }) => Statement.ManagedRuleGroupStatement?.RuleActionOverrides ?? []);
    const names = counted.map(({ Name }) => Name);
    expect(names).toEqual(
      expect.arrayContaining([
        'SizeRestrictions_BODY',
        'CrossSiteScripting_BODY',
        'RestrictedExtensions_URIPATH',
        'ExploitablePaths_URIPATH',
        'JavaDeserializationRCE_URIPATH',
        'JavaDeserializationRCE_QUERYSTRING',
        'ReactJSRCE_BODY',
      ]),
    );
    for (const name of names) expect(name).toMatch(/_(BODY|URIPATH|QUERYSTRING|QUERYARGUMENTS)$/);
  });

  it('limits all requests of an address too', () => {
    const [blocked, anonymous, all, ...managed] = rules;
    expect([blocked?.Name, managed.length]).toEqual(['BlockedNetworks', 3]);
    expect(rules).toHaveLength(FIREWALL.managed.firewallRuleMonth + 1);
    expect(anonymous).toMatchObject({ Statement: { RateBasedStatement: { Limit: 500 } } });
    expect(all).toMatchObject({
      Action: { Block: {} },
      Statement: { RateBasedStatement: { Limit: 60_000, AggregateKeyType: 'IP' } },
    });
    expect(all?.Statement.RateBasedStatement?.ScopeDownStatement).toBeUndefined();
  });

  it('blocks the networks first', () => {
    template.hasResourceProperties('AWS::WAFv2::IPSet', {
      IPAddressVersion: 'IPV4',
      Addresses: ['203.0.113.7/32', '198.51.100.0/24'],
    });
    template.hasResourceProperties('AWS::WAFv2::IPSet', { IPAddressVersion: 'IPV6', Addresses: ['2001:db8::/32'] });
    const sets = [{ IPSetReferenceStatement: {} }, { IPSetReferenceStatement: {} }];
    template.hasResourceProperties('AWS::WAFv2::WebACL', {
      Rules: Match.arrayWith([
        Match.objectLike({
          Name: 'BlockedNetworks',
          Priority: 0,
          Action: { Block: {} },
          Statement: { OrStatement: { Statements: sets.map((set) => Match.objectLike(set)) } },
        }),
      ]),
    });
  });

  it('answers with the problem of a header, because WAF does not say which rule blocked a request', () => {
    expect(gatewayResponsesOf(template).get('WAF_FILTERED')?.statusCode).toBe('400');
  });

  it('has a log with the retention of the option', () => {
    template.hasResourceProperties('AWS::Logs::LogGroup', {
      LogGroupName: Match.stringLikeRegexp('^aws-waf-logs-'),
      RetentionInDays: 30,
    });
  });
}
