import { Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { hosted, ProjectGateway } from 'segue-cdk';

/** A stack with other things in it, which also listens to what happens to projects. */
export class WebsiteStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const projects = new ProjectGateway(this, 'Projects', {
      service: hosted(),
      stage: 'development',
      alarms: true,
      alarmEmail: 'ops@example.com',
    });
    new Rule(this, 'ProjectCreated', {
      eventBus: projects.eventBus,
      eventPattern: { source: ['segue'], detailType: ['project.created'] },
      targets: [new SqsQueue(new Queue(this, 'Created'))],
    });
  }
}
