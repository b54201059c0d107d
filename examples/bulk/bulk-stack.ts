import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { BulkProjects, hosted, ProjectGateway } from 'segue-cdk';

/** A gateway whose company acme sends manifests: fifty lines at once, and none of the rest once a tenth has failed. */
export class BulkStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const gateway = new ProjectGateway(this, 'Projects', { service: hosted(), stage: 'development' });
    new BulkProjects(this, 'Acme', { gateway, companyId: 'acme', concurrency: 50, toleratedFailurePercentage: 10 });
  }
}
