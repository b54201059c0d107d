import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { acknowledge } from '../acknowledge.ts';
import type { GatewayOptions } from '../options.ts';

/**
 * Returns the topic that alarms notify: that of the option `alarmTopic`, or a new one, with the address of `alarmEmail`
 * as a subscription. Without both options, alarms notify nobody.
 */
export function alarmTopic(scope: Construct, options: GatewayOptions): ITopic | undefined {
  const { alarmTopic: given, alarmEmail } = options;
  if (!given && alarmEmail === undefined) return undefined;
  const topic = given ?? createTopic(scope, options);
  if (alarmEmail !== undefined) {
    acknowledge(topic.addSubscription(new EmailSubscription(alarmEmail)), {
      'Serverless-SNSRedrivePolicy': 'SNS itself retries e-mails. The state of each alarm stays in CloudWatch.',
    });
  }
  return topic;
}

function createTopic(scope: Construct, { encryptionKey }: GatewayOptions): Topic {
  const topic = new Topic(scope, 'AlarmTopic', {
    displayName: 'Alarms of Segue',
    enforceSSL: true,
    ...(encryptionKey && { masterKey: encryptionKey }),
  });
  // The policy that denies requests without TLS replaces the default policy, which allows the account's alarms.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  if (!encryptionKey) {
    acknowledge(topic, {
      'AwsSolutions-SNS2':
        'A notification has the name, the description and the metric of an alarm, and no data of users.',
    });
  }
  return topic;
}
