import { Stack, type StackProps } from 'aws-cdk-lib';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { hosted, ProjectGateway } from 'segue-cdk';

/** A stack with other things in it, which also listens to what happens to projects. */
export class WebsiteStack extends Stack {
  constructor(scope: Construct, id: string, props?: StackProps) {
    super(scope, id, props);
    const projects = new ProjectGateway(this, 'Projects', {
      service: hosted(),
      stage: 'development',
      alarms: true,
      alarmEmail: 'ops@example.com',
    });
    projects.onEvent('Created', {
      eventPattern: { detailType: ['project.created'] },
      target: new SqsQueue(new Queue(this, 'Created')),
    });
  }
}
