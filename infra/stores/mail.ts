import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { GatewayOptions } from '../options.ts';
import type { Grant } from './grant.ts';

/** Grants sending e-mails from the address of the option `mail`, and from no other. */
export function grantMail(scope: Construct, { service }: GatewayOptions): Grant {
  const mail = service.name === 'hosted' ? service.mail : undefined;
  if (!mail) throw new RangeError('A gateway without the option mail sends no e-mails');
  const { from, domains } = mail;
  const arnOf = (resource: 'identity' | 'configuration-set', resourceName: string) =>
    Stack.of(scope).formatArn({ service: 'ses', resource, resourceName });
  const domain = from.slice(from.lastIndexOf('@') + 1);
  // An identity can have a default configuration set, for which SES checks the same permission.
  const anySet = arnOf('configuration-set', '*');
  return {
    statements: [
      new PolicyStatement({
        actions: ['ses:SendEmail'],
        // The identity of the sender is its address, or its whole domain.
        resources: [arnOf('identity', from), arnOf('identity', domain), anySet],
        conditions: { StringEquals: { 'ses:FromAddress': from } },
      }),
    ],
    environment: { SEGUE_MAIL_FROM: from, SEGUE_MAIL_DOMAINS: domains.join(',') },
    acknowledged: {
      'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:configuration-set/*]':
        'A configuration set is a setting of the operator’s identity, which can change at any time. The sender is limited by a condition.',
    },
  };
}
