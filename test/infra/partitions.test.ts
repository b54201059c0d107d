import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it } from 'vitest';
import { hosted, ProjectGateway, type Service, upstream } from '../../infra/index.ts';
import { withApp } from './synthesise.ts';

/** Synthesises a gateway with most options in a region. Returns the template as text. */
function templateIn(region: string, service: Service): Promise<string> {
  return withApp((app) => {
    const stack = new Stack(app, 'Segue', { env: { account: '123456789012', region } });
    new ProjectGateway(stack, 'Projects', {
      service,
      alarmEmail: 'ops@example.com',
      console: true,
      projectsFrom: [Bucket.fromBucketName(stack, 'Exports', 'exports')],
      bulkCompanies: ['acme'],
      firewall: 'managed',
      blockedNetworks: ['203.0.113.7'],
    });
    return JSON.stringify(Template.fromStack(stack).toJSON());
  });
}

/** Returns the names of AWS's domain in a template, except those of service principals, which are the same everywhere. */
function domainsIn(template: string): string[] {
  const others = template.replaceAll(/"(?:Service|Principal)":"[\w-]+\.amazonaws\.com"/g, '');
  return [...others.matchAll(/[\w.-]*amazonaws\.com[\w.]*/g)].map(([domain]) => domain);
}

const mail = { from: 'segue@example.com', domains: ['example.com'] };
const china = await templateIn('cn-north-1', hosted({ mail }));
const govCloud = await templateIn('us-gov-west-1', upstream({ url: 'https://projects.example.com' }));

describe.each([
  ['China', china, 'aws-cn', '.amazonaws.com.cn'],
  ['GovCloud', govCloud, 'aws-us-gov', '.amazonaws.com'],
])('a template for %s', (_, template, partition, domain) => {
  it('names no other partition', () => {
    const partitions = [...template.matchAll(/\barn:(aws[\w-]*):/g)].map(([, name]) => name);
    expect(partitions.filter((name) => name !== partition)).toEqual([]);
  });

  it('names no other domain of AWS', () => {
    expect(domainsIn(template).filter((name) => !name.endsWith(domain))).toEqual([]);
  });
});
