import { Names } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnIPSet, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { GatewayOptions } from '../options.ts';
import { FirewallLog, PROTECTED_DATA } from './firewall-log.ts';
import { type FirewallRule, managedRules, rateRules } from './firewall-rules.ts';
import { readNetwork } from './network.ts';

/** An AWS WAF web ACL for a stage of the API, with a log of the requests that it blocks. */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, stage: Stage, options: GatewayOptions) {
    super(scope, id);
    const { firewall, blockedNetworks = [] } = options;
    const name = Names.uniqueResourceName(this, { maxLength: 100, separator: '-' });
    const visibility = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      // Sampled requests would be a second place with addresses.
      sampledRequestsEnabled: false,
    });
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(name),
      dataProtectionConfig: PROTECTED_DATA,
      rules: [
        ...this.#blocked(blockedNetworks),
        ...rateRules(firewall, options),
        ...(firewall === 'managed' ? managedRules() : []),
      ].map((rule, priority) => ({ ...rule, priority, visibilityConfig: visibility(`${name}-${rule.name}`) })),
    });
    new FirewallLog(this, 'Log', acl, options);
    new CfnWebACLAssociation(this, 'Association', { resourceArn: stage.stageArn, webAclArn: acl.attrArn });
  }

  /** Returns the rule that blocks networks, or none if there are no networks. */
  #blocked(networks: readonly string[]): FirewallRule[] {
    const all = networks.flatMap((network) => readNetwork(network) ?? []);
    const statements = [...Map.groupBy(all, ({ version }) => version)].map(([ipAddressVersion, same]) => {
      const addresses = same.map(({ cidr }) => cidr);
      const set = new CfnIPSet(this, `Blocked-${ipAddressVersion}`, { scope: 'REGIONAL', ipAddressVersion, addresses });
      return { ipSetReferenceStatement: { arn: set.attrArn } };
    });
    const [only, ...more] = statements;
    if (!only) return [];
    const statement = more.length > 0 ? { orStatement: { statements } } : only;
    return [{ name: 'BlockedNetworks', action: { block: {} }, statement }];
  }
}
