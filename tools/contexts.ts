import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { ServiceName } from '../infra/functions/function-spec.ts';

/** The settings of a deployment, as the CDK's flag `-c` passes them. */
export type Context = Readonly<Record<string, unknown>>;

const CdkJson = z.object({ context: z.record(z.string(), z.unknown()) });

/** The context that `cdk ls` passes: no stack is bundled. The bundles have their own tests. */
export const NO_BUNDLES: Context = { 'aws:cdk:bundling-stacks': [] };

/** Reads the context of `cdk.json`, for a synthesis without bundles. */
export function contextWithoutBundles(): Context {
  const text = readFileSync(join(import.meta.dirname, '../cdk.json'), 'utf8');
  return { ...CdkJson.parse(JSON.parse(text)).context, ...NO_BUNDLES };
}

/** The address that alarms notify. */
const ALARMED = { alarmEmail: 'ops@example.com' };

/** The settings that each service must have in production. */
export const CONTEXTS: Record<ServiceName, Context> = {
  hosted: { service: 'hosted', ...ALARMED },
  upstream: { upstreamUrl: 'https://projects.example.com', ...ALARMED },
};

/** All settings together that both services have. The account in them does not exist. */
export const EVERY_OPTION: Context = {
  domainName: 'projects.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:000000000000:certificate/00000000-0000-0000-0000-000000000000',
  basePath: 'v1',
  securityContact: 'mailto:security@example.com',
  securityPolicy: 'https://example.com/security',
  tls: '1.3',
  firewall: 'managed',
  firewallLimit: '500',
  firewallLogDays: '30',
  blockedNetworks: '203.0.113.7,198.51.100.0/24,2001:db8::/32',
  console: 'true',
  agents: 'true',
  waits: 'true',
  fipsEndpoints: 'true',
  canary: 'create',
  encryptionKeyArn: 'arn:aws:kms:eu-central-1:000000000000:key/00000000-0000-0000-0000-000000000000',
  alarmTopicArn: 'arn:aws:sns:eu-central-1:000000000000:alarms',
  ...ALARMED,
  monthlyBudget: '200',
  maxWriteRequestUnits: '2000',
  recoveryDays: '0',
  startToleranceSeconds: '60',
  projectsFrom: 'exports-of-one,exports-of-another',
  bulkCompanies: 'acme',
  methodRates: { createProject: { perSecond: 20, burst: 40 } },
  memoryMb: { changeProjects: 3_008 },
  reservedConcurrency: { changeProjects: 5 },
  provisionedConcurrency: { authorizer: 1, changeProjects: 2 },
};

/** The settings that only one service has. */
const OF_ONE_SERVICE: Record<ServiceName, Context> = {
  hosted: {
    translationEngine: 'deepl',
    translationUrl: 'https://api-free.deepl.com',
    translationSecretArn: 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:deepl-AbCdEf',
    translationCharactersPerDay: '1000000',
    translationPrice: '20 EUR',
    mailFrom: 'segue@example.com',
    mailDomains: 'example.com,example.org',
    destinations: 'true',
  },
  upstream: { upstreamMark: 'website', settleSeconds: '30', upstreamLookups: 'domains,users' },
};

/**
 * Returns all settings of a service together. `test/packages/cdk/every-option.ts` has the same options of the construct.
 */
export function everyOption(service: ServiceName): Context {
  return { ...CONTEXTS[service], ...EVERY_OPTION, ...OF_ONE_SERVICE[service] };
}

/** The settings of a stack that has no more than it needs to create, read and delete projects. */
export const MINIMAL: Context = { webhooks: 'false', bulk: 'false', events: 'false' };

/** The settings of a stack that uses kept tables and a kept bucket. */
export const EXISTING: Context = {
  existingTable: 'Segue-restored/stream/2026-11-20T09:30:00.000',
  existingCredentialsTable: 'Segue-credentials',
  existingDeliveriesTable: 'Segue-kept/stream/2026-10-01T00:00:00.000',
  existingBucket: 'segue-kept',
};

/** The settings of a stack in a private network. They do not go together with the domain in `EVERY_OPTION`. */
export const PRIVATE_NETWORK: Context = {
  upstreamUrl: 'https://projects.internal:8443',
  ...ALARMED,
  vpcId: 'vpc-0123456789abcdef0',
  subnetIds: 'subnet-0123456789abcdef0,subnet-0fedcba9876543210',
  endpoint: 'private',
  vpcEndpointIds: 'vpce-0123456789abcdef0,vpce-0fedcba9876543210',
  tls: '1.3',
};

/** The settings of a stack whose callers need a client certificate. They exclude the canary and TLS in `EVERY_OPTION`. */
export const MUTUAL_TLS: Context = {
  ...CONTEXTS.hosted,
  domainName: EVERY_OPTION['domainName'],
  certificateArn: EVERY_OPTION['certificateArn'],
  mtlsTruststore: 's3://segue-truststore/clients.pem?versionId=3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY',
};
