import { App, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { hosted, ProjectGateway, upstream } from 'segue-cdk';

/**
 * An app of a user: each service in a stack without options, and in a stack with all options, as `everyOption` in
 * `tools/contexts.ts`. It needs no type annotations, so it is JavaScript too.
 */
const app = new App();
const description = 'Segue: the front door to a multilingual project service';
const url = 'https://projects.example.com';

const plain = { Hosted: hosted(), Upstream: upstream({ url }) };
for (const [name, service] of Object.entries(plain)) {
  new ProjectGateway(new Stack(app, name, { description }), 'Default', { service, alarmEmail: 'ops@example.com' });
}

const secretArn = 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:deepl-AbCdEf';
const withOptions = {
  HostedEveryOption: hosted({
    translation: {
      engine: 'deepl',
      url: 'https://api-free.deepl.com',
      secretArn,
      charactersPerDay: 1_000_000,
      price: '20 EUR',
    },
    mail: { from: 'segue@example.com', domains: ['example.com', 'example.org'] },
    destinations: true,
  }),
  UpstreamEveryOption: upstream({ url, mark: 'website', settleSeconds: 30, lookups: ['domains', 'users'] }),
};
for (const [name, service] of Object.entries(withOptions)) {
  const stack = new Stack(app, name, { description });
  new ProjectGateway(stack, 'Default', {
    service,
    domain: {
      name: 'projects.example.com',
      certificate: Certificate.fromCertificateArn(
        stack,
        'Certificate',
        'arn:aws:acm:eu-central-1:000000000000:certificate/00000000-0000-0000-0000-000000000000',
      ),
      basePath: 'v1',
    },
    securityContact: 'mailto:security@example.com',
    securityPolicy: 'https://example.com/security',
    tls: '1.3',
    firewall: 'managed',
    firewallLimit: 500,
    firewallLogDays: 30,
    blockedNetworks: ['203.0.113.7', '198.51.100.0/24', '2001:db8::/32'],
    console: true,
    agents: true,
    fipsEndpoints: true,
    canary: 'create',
    waits: true,
    encryptionKey: Key.fromKeyArn(
      stack,
      'Key',
      'arn:aws:kms:eu-central-1:000000000000:key/00000000-0000-0000-0000-000000000000',
    ),
    alarmTopic: Topic.fromTopicArn(stack, 'Topic', 'arn:aws:sns:eu-central-1:000000000000:alarms'),
    alarmEmail: 'ops@example.com',
    monthlyBudget: 200,
    maxWriteRequestUnits: 2000,
    recoveryDays: 0,
    startToleranceSeconds: 60,
    projectsFrom: ['exports-of-one', 'exports-of-another'].map((bucket) =>
      Bucket.fromBucketName(stack, `ProjectsFrom-${bucket}`, bucket),
    ),
    bulkCompanies: ['acme'],
    methodRates: { createProject: { perSecond: 20, burst: 40 } },
    memoryMb: { changeProjects: 3008 },
    reservedConcurrency: { changeProjects: 5 },
    provisionedConcurrency: { authorizer: 1, changeProjects: 2 },
  });
}
