import {
  APIGatewayClient,
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  GetApiKeysCommand,
} from '@aws-sdk/client-api-gateway';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { RotateSecretCommand } from '@aws-sdk/client-secrets-manager';
import { endpointOf } from '../lib/aws/sdk-endpoint.ts';
import { secretsManagerReader } from '../lib/aws/secrets-manager.ts';
import { secretsManagerClient, secretsManagerStore } from '../lib/aws/secrets-manager-store.ts';
import { companiesIn } from '../lib/credentials/companies.ts';
import { type UsagePlanMember, usagePlanKeyName, usagePlanKeyValue } from '../lib/credentials/usage-plan-key.ts';
import { dynamoDbClient } from '../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../lib/storage/dynamodb/items.ts';
import { listItems } from '../lib/storage/dynamodb/list.ts';
import { deadLettersIn } from '../lib/webhooks/dead-letters.ts';
import { sourceAdmin } from '../lib/webhooks/source-admin.ts';
import { auditBehind, BehindUnusable } from './behind.ts';
import { type Outputs, outputsOf, StackUnusable } from './outputs.ts';
import type { NamedStack, Place } from './place.ts';

/** The Segue of a stack, in the region and account of the AWS SDK's own settings. */
export async function openStack({ stack, gateway }: NamedStack): Promise<Place> {
  const outputs = outputsOf(await everyOutputOf(stack), gateway);
  const output = (key: string): string => {
    const value = outputs.get(key);
    if (value !== undefined) return value;
    throw new StackUnusable(`the stack has no output ${key}: it is none of Segue's, or an old one`);
  };
  const table = output('TableName');
  const client = dynamoDbClient({ endpointOf, now: Date.now });
  const storeIn = (name: string) => ({
    ...dynamoDbItems(name, client),
    list: listItems.bind(undefined, name, client),
  });
  const store = storeIn(table);
  const companies = companiesIn(store, Date.now);
  return {
    companies,
    get letters() {
      return deadLettersIn(storeIn(output('DeliveriesTableName')), Date.now);
    },
    get sources() {
      const place = { prefix: output('WebhookSecretsPrefix'), encryptionKey: outputs.get('EncryptionKeyArn') };
      return sourceAdmin({
        store,
        secretStore: secretsManagerStore({ client: secretsManagerClient(), ...place }),
        isCompany: companies.exists,
        now: Date.now,
      });
    },
    webhookUrl: (name) => `${output('ApiUrl')}/webhooks/${name}`,
    prepare: (companyId) => addToPlan(output('UsagePlanId'), { apiId: output('ApiId'), companyId }),
    async rotateSigningKeys() {
      await secretsManagerClient().send(new RotateSecretCommand({ SecretId: output('SigningSecretArn') }));
      return 'A rotation has begun: a new key signs an hour later.';
    },
    async audit(url) {
      if (url !== undefined)
        throw new BehindUnusable('a stack knows itself which service is behind: leave out --upstream');
      if (!outputs.has('UpstreamUrl'))
        throw new StackUnusable('the stack is the service itself: there is nothing to compare');
      const read = secretsManagerReader({ endpointOf, now: Date.now });
      const secret = () => read(output('UpstreamSecretArn'));
      const mark = outputs.get('UpstreamMark');
      return auditBehind({ url: output('UpstreamUrl'), secret, mark, storage: store, companies });
    },
    async bulk(request) {
      const { runThere } = await import('./bulk/there.ts');
      return runThere({ bucket: output('ManifestsBucketName'), machines: outputs.get('BulkMachines') }, request);
    },
    close: () => {},
  };
}

async function everyOutputOf(name: string): Promise<Outputs> {
  const { Stacks = [] } = await described(name);
  const outputs = Stacks[0]?.Outputs ?? [];
  return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}

async function described(name: string) {
  try {
    return await new CloudFormationClient().send(new DescribeStacksCommand({ StackName: name }));
  } catch (error) {
    // AWS's own messages name accounts and roles.
    const code = error instanceof Error ? error.name : 'Error';
    throw new StackUnusable(`the stack cannot be read: ${code}; see AWS_PROFILE, AWS_REGION and the stack's name`);
  }
}

/** Gives a company its place in the usage plan, by which its requests are counted and throttled. */
async function addToPlan(usagePlanId: string, usage: UsagePlanMember): Promise<void> {
  const client = new APIGatewayClient();
  const keyId = await usageKeyId(client, usage);
  try {
    await client.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: 'API_KEY' }));
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
}

async function usageKeyId(client: APIGatewayClient, usage: UsagePlanMember): Promise<string | undefined> {
  const [name, value] = [usagePlanKeyName(usage), usagePlanKeyValue(usage)];
  try {
    return (await client.send(new CreateApiKeyCommand({ name, value, enabled: true }))).id;
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
  // It is there from an earlier time.
  const { items = [] } = await client.send(new GetApiKeysCommand({ nameQuery: name, limit: 500 }));
  return items.find((key) => key.name === name)?.id;
}
