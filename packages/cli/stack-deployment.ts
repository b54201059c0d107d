import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { RotateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { endpointOf } from '../../lib/aws/sdk-endpoint.ts';
import { secretsManagerReader } from '../../lib/aws/secrets-manager.ts';
import { secretsManagerClient, secretsManagerStore } from '../../lib/aws/secrets-manager-store.ts';
import type { BasicCredentials } from '../../lib/contract/basic-credentials.ts';
import { lazy } from '../../lib/contract/lazy.ts';
import { WEBHOOKS_PATH } from '../../lib/contract/paths.ts';
import type { Switch } from '../../lib/contract/switches.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { eventSecretsIn } from '../../lib/credentials/event-secrets.ts';
import { dropSigningKeys, newSigningKey } from '../../lib/credentials/signing-key-rotation.ts';
import { destinationAdmin, NO_RESULTS } from '../../lib/destinations/destination-admin.ts';
import { resultsIn } from '../../lib/destinations/results.ts';
import { failedEventsIn } from '../../lib/events/deliveries.ts';
import { wakeJobs } from '../../lib/hosted/work/wake-jobs.ts';
import { dynamoDbClient } from '../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { dynamoDbStorage } from '../../lib/storage/dynamodb/storage.ts';
import { deadLettersIn } from '../../lib/webhooks/dead-letters.ts';
import { sourceAdmin } from '../../lib/webhooks/source-admin.ts';
import { dailyUse } from './daily-use.ts';
import type { Deployment, StackName } from './deployment.ts';
import { CliError } from './io.ts';
import { auditUpstream, openUpstream, type UpstreamSettings } from './upstream-audit.ts';
import { usagePlans } from './usage-plans.ts';

/**
 * Opens the Segue of a CloudFormation stack, in the region and account for which the AWS SDK is configured.
 * @throws {CliError} if the stack cannot be read, or has no such Segue
 */
export async function stackDeployment({ stack, gateway }: StackName): Promise<Deployment> {
  const outputs = gatewayOutputs(await readOutputs(stack), gateway);
  const output = (key: string): string => {
    const value = outputs.get(key);
    if (value !== undefined) return value;
    throw new CliError(`the stack has no output ${key}: it has no Segue, or an old version of Segue`);
  };
  const client = dynamoDbClient({ endpointOf, now: Date.now });
  const storeIn = (table: string) => dynamoDbItems(table, client);
  const store = storeIn(output('TableName'));
  const companies = companiesIn(storeIn(output('CredentialsTableName')), Date.now);
  const plans = () => usagePlans({ apiId: output('ApiId'), defaultPlanId: output('UsagePlanId') });
  const secrets = () => secretsManagerStore({ client: secretsManagerClient() });
  const secretsUnder = (prefix: string) =>
    secretsManagerStore({ client: secretsManagerClient(), prefix, encryptionKey: outputs.get('EncryptionKeyArn') });
  const upstream = (): UpstreamSettings => {
    const read = secretsManagerReader({ endpointOf, now: Date.now });
    return {
      url: output('UpstreamUrl'),
      readSecret: () => read(output('UpstreamSecretArn')),
      // An empty output means the default prefix.
      customIdPrefix: outputs.get('UpstreamMark') || undefined,
    };
  };
  return {
    companies,
    get letters() {
      requirePart(outputs, 'webhooks');
      return deadLettersIn(storeIn(output('DeliveriesTableName')), Date.now, store);
    },
    get failedEvents() {
      requirePart(outputs, 'events');
      // Without webhooks, a stack in front of an upstream service has no such table.
      if (!outputs.has('DeliveriesTableName'))
        throw new CliError('the stack sends no events itself: the upstream service gets the eventUrl of each project');
      return failedEventsIn(storeIn(output('DeliveriesTableName')), Date.now);
    },
    get destinations() {
      const secretStore = secretsUnder(requireDestinations(outputs));
      const deliveries = storeIn(output('DeliveriesTableName'));
      return destinationAdmin({ store, deliveries, secretStore, isCompany: companies.exists, now: Date.now });
    },
    get results() {
      requireDestinations(outputs);
      return resultsIn(storeIn(output('DeliveriesTableName')), Date.now);
    },
    async resultStores() {
      requireDestinations(outputs);
      const { resultReadsOnStack } = await import('./result-reads-on-stack.ts');
      const tables = { table: output('TableName'), credentialsTable: output('CredentialsTableName') };
      const reads = resultReadsOnStack({ ...tables, client, bucket: outputs.get('BucketName') ?? '' });
      return { store, deliveries: storeIn(output('DeliveriesTableName')), reads };
    },
    get eventSecrets() {
      requirePart(outputs, 'events');
      return eventSecretsIn({ store, secretStore: secretsUnder(output('EventSecretsPrefix')), now: Date.now });
    },
    isCompany: companies.exists,
    dailyUse: (companyId) => dailyUse(store, companyId),
    wakeTranslation: (companyId) => wakeJobs(store, companyId, Date.now()),
    allowsLoopbackEvents: async () => false,
    get sources() {
      requirePart(outputs, 'webhooks');
      const secretStore = secretsUnder(output('WebhookSecretsPrefix'));
      const fetchSecretStore = () => secretsUnder(output('FetchSecretsPrefix'));
      return sourceAdmin({ store, secretStore, fetchSecretStore, isCompany: companies.exists, now: Date.now });
    },
    planningService: lazy(async () => {
      const { hostedOn, upstreamOn } = await import('../../functions/compose/services.ts');
      const newEventId = randomUUID;
      if (outputs.has('UpstreamUrl'))
        return upstreamOn({ ...openUpstream(upstream()), storage: store, newEventId }, {});
      const { objectsIn, s3Client } = await import('../../lib/storage/dynamodb/objects.ts');
      const objects = objectsIn(output('BucketName'), s3Client());
      const table = output('TableName');
      return hostedOn(
        { storage: dynamoDbStorage({ table, client, objects, now: Date.now, newId: randomUUID }), newEventId },
        {},
      );
    }),
    webhookUrl: (name) => ({ url: `${output('ApiUrl')}${WEBHOOKS_PATH}/${name}` }),
    prepareCompany: (companyId) => plans().add(companyId),
    get plans() {
      return plans();
    },
    async rotateSigningKeys() {
      await secretsManagerClient().send(new RotateSecretCommand({ SecretId: output('SigningSecretArn') }));
      return 'The rotation of the signing keys has started. In about an hour, the new key starts to sign tokens.';
    },
    async dropSigningKeys() {
      const store = secrets();
      const drop = { store, newKey: newSigningKey(), versionId: randomUUID(), now: Date.now, sleep: setTimeout };
      if (!(await dropSigningKeys(output('SigningSecretArn'), drop)))
        throw new CliError('a rotation of the signing keys has just finished: run the command again');
    },
    async audit(url) {
      if (url !== undefined)
        throw new CliError('a stack has its own setting for the upstream service: leave out --upstream');
      if (!outputs.has('UpstreamUrl'))
        throw new CliError('the stack has no upstream service: there is nothing to compare');
      return auditUpstream({ ...upstream(), storage: store, companies });
    },
    async restore(request) {
      const { restoreOnStack } = await import('./restore/restore-on-stack.ts');
      const plan = { id: output('UsagePlanId'), apiId: output('ApiId') };
      const tables = {
        table: output('TableName'),
        credentialsTable: output('CredentialsTableName'),
      };
      return restoreOnStack({ tables, bucket: outputs.get('BucketName'), plan, plans: plans() }, request);
    },
    get canary() {
      const secret = outputs.get('CanarySecretArn');
      if (secret === undefined)
        throw new CliError('the stack has no canary: deploy it with -c canary=reads or -c canary=create');
      return { useKey: (key: BasicCredentials) => secrets().write(secret, JSON.stringify(key)) };
    },
    async bulk(request) {
      requirePart(outputs, 'bulk');
      const { runOnStack } = await import('./bulk/run-on-stack.ts');
      return runOnStack({ bucket: output('ManifestsBucketName'), machines: outputs.get('BulkMachines') }, request);
    },
    async workflow() {
      throw new CliError(
        'a workflow runs on this machine: leave out --stack, or start an execution with Step Functions',
      );
    },
    close: () => {},
  };
}

/** @throws {CliError} if the region has no such stack */
async function readOutputs(stack: string): Promise<Outputs> {
  const client = new CloudFormationClient();
  const region = await client.config.region();
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack })).catch((error: unknown) => {
    const isAbsent = error instanceof Error && error.name === 'ValidationError';
    if (!isAbsent) throw error;
    throw new CliError(`the region ${region} has no stack with this name: check --stack, AWS_REGION and AWS_PROFILE`);
  });
  const outputs = Stacks[0]?.Outputs ?? [];
  return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}

/** For each part of Segue that can be switched off, an output that a stack has only with this part. */
const OUTPUT_OF: Readonly<Record<Switch, string>> = {
  webhooks: 'WebhookSecretsPrefix',
  bulk: 'ManifestsBucketName',
  events: 'EventSecretsPrefix',
};

/** Returns the prefix of the secrets of destinations. @throws {CliError} if the stack sends no results */
function requireDestinations(outputs: Outputs): string {
  const prefix = outputs.get('DestinationSecretsPrefix');
  if (prefix !== undefined) return prefix;
  throw new CliError(
    outputs.has('UpstreamUrl')
      ? NO_RESULTS
      : 'the stack sends no results: deploy it with destinations=true. From then on, translations may leave it for the destinations that you add',
  );
}

/** @throws {CliError} if a stack does not have a part that can be switched off */
export function requirePart(outputs: Outputs, part: Switch): void {
  if (!outputs.has(OUTPUT_OF[part])) throw new CliError(`the stack has no ${part}: deploy it with ${part}=true`);
}

/** The outputs of a stack, or of one Segue in a stack, by name. */
export type Outputs = ReadonlyMap<string, string>;

/** The names of two outputs that every Segue has. */
const TABLE = 'TableName';
const PLAN = 'UsagePlanId';

/**
 * Selects the outputs of one Segue in a stack, and removes the Segue's construct id from the beginning of their names.
 * In a `SegueStack`, the names have no construct id.
 * @param gateway the construct id of the Segue. Required if the stack has several
 * @throws {CliError} if the stack has no Segue with this id, or has several and no id is given
 */
export function gatewayOutputs(all: Outputs, gateway: string | undefined): Outputs {
  const ids = [...all.keys()].filter((name) => name.endsWith(TABLE)).map((name) => name.slice(0, -TABLE.length));
  const known = ids.filter((id) => all.has(id + PLAN));
  const names = known.map((id) => id || 'none').join(', ');
  if (known.length === 0)
    throw new CliError(`the stack has no output ${TABLE}: it has no Segue, or an old version of Segue`);
  if (gateway === undefined && known.length > 1)
    throw new CliError(`the stack has several Segues: select one with --gateway: ${names}`);
  const id = known.find((each) => gateway === undefined || each === gateway);
  if (id === undefined) throw new CliError(`the stack has no Segue with this id; it has ${names}`);
  const own = [...all].filter(([name]) => name.startsWith(id));
  return new Map(own.map(([name, value]) => [name.slice(id.length), value]));
}
