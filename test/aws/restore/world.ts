import { randomBytes, randomUUID } from 'node:crypto';
import { BatchWriteItemCommand, DeleteTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { JsonClient } from '../../../lib/aws/json-client.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { dynamoDbClient } from '../../../lib/storage/dynamodb/client.ts';
import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import { listObjects, objectsIn, s3Client } from '../../../lib/storage/dynamodb/objects.ts';
import { dynamoDbStorage } from '../../../lib/storage/dynamodb/storage.ts';
import { sweep } from '../../../lib/storage/dynamodb/sweeper.ts';
import { tableClient } from '../../../lib/storage/dynamodb/table-settings.ts';
import { type Restored, type RestoreRequest, restore } from '../../../packages/cli/restore/restore.ts';
import { Api } from '../../contract/api.ts';
import { type StartedGateway, startGateway } from '../../support/gateway.ts';
import { type JsonObject, segment, smallProject } from '../../support/projects.ts';
import { type AwsStore, createStore, settingsOf } from '../store.ts';
import { createTable } from '../table.ts';

const client = dynamoDbClient({ now: Date.now });
const sdk = new DynamoDBClient();
const s3 = s3Client();

/** Returns a project whose content is in the bucket, because compression makes it hardly smaller. */
export function largeProject(fields: JsonObject = {}): JsonObject {
  const text = () => segment({ content: randomBytes(60_000).toString('base64') });
  return smallProject({ segments: [text(), { ...text(), taskId: 'task' }], ...fields });
}

/** The stores of a stack. On one machine, Segue has its own companies in the main table. */
export interface StackStore extends AwsStore {
  readonly credentialsTable: string;
}

/** Creates the tables and the bucket of a stack. */
export async function createStackStore(): Promise<StackStore> {
  const credentialsTable = `segue-credentials-${randomUUID()}`;
  await createTable(credentialsTable);
  const store = { ...(await createStore()), credentialsTable };
  await companiesOf(store).register('sandbox');
  return store;
}

/** The Segue of a stack, as it runs on its tables and its bucket. */
export class RunningSegue {
  readonly gateway: StartedGateway;
  readonly api: Api;

  private constructor(gateway: StartedGateway) {
    this.gateway = gateway;
    this.api = new Api({ ...gateway, name: 'Segue', writesTranslations: true, assignsMembers: true });
  }

  /** @param companyId the company whose key the gateway has */
  static async on(store: StackStore, companyId = 'sandbox'): Promise<RunningSegue> {
    const env = { ...settingsOf(store), SEGUE_COMPANY_ID: companyId };
    return new RunningSegue(await startGateway({ args: ['--store', 'dynamodb'], env }));
  }

  stop(): Promise<unknown> {
    return this.gateway.stop();
  }
}

/** Makes new tables with the items of the others, as point-in-time recovery does: without their settings. */
export async function restoredCopy(store: StackStore): Promise<StackStore> {
  const [table, credentialsTable] = [await copyOf(store.table), await copyOf(store.credentialsTable)];
  return { ...store, table, credentialsTable };
}

async function copyOf(table: string): Promise<string> {
  const restored = `segue-restored-${randomUUID()}`;
  await createTable(restored);
  for (const item of await itemsOf(table)) {
    await sdk.send(new BatchWriteItemCommand({ RequestItems: { [restored]: [{ PutRequest: { Item: item } }] } }));
  }
  return restored;
}

/** Deletes both tables of a stack. */
export async function loseTables({ table, credentialsTable }: StackStore): Promise<void> {
  for (const TableName of [table, credentialsTable]) await sdk.send(new DeleteTableCommand({ TableName }));
}

/** Returns all items of a table. */
export async function itemsOf(table: string) {
  const { Items = [], LastEvaluatedKey } = await sdk.send(new ScanCommand({ TableName: table, ConsistentRead: true }));
  if (LastEvaluatedKey) throw new Error('The table has more items than a scan returns');
  return Items;
}

/** Runs the sweeper, as its stream and its schedule do. */
export async function sweepAll({ table, bucket }: AwsStore): Promise<void> {
  await sweep({ table, client, objects: objectsIn(bucket, s3), now: Date.now }, () => true);
}

/** Returns the names of the objects in a bucket. */
export async function objectNames({ bucket }: AwsStore): Promise<string[]> {
  return Array.fromAsync(listObjects(bucket, s3), ({ name }) => name);
}

export const companiesOf = ({ credentialsTable }: StackStore) =>
  companiesIn(dynamoDbItems(credentialsTable, client), Date.now);
export const itemsIn = ({ table }: AwsStore) => dynamoDbItems(table, client);

/** The emulator has no point-in-time recovery. So its state is kept here, by table. */
const recovery = new Map<string, number>();
const settings = tableClient({ now: Date.now });

const call: JsonClient = async (operation, request) => {
  const table = 'TableName' in request ? String(request.TableName) : '';
  if (operation === 'UpdateContinuousBackups') {
    const { PointInTimeRecoverySpecification: wanted } = Object(request);
    recovery.set(table, wanted.RecoveryPeriodInDays);
  }
  if (!operation.endsWith('ContinuousBackups')) return settings(operation, request);
  const days = recovery.get(table);
  const state = { PointInTimeRecoveryStatus: days ? 'ENABLED' : 'DISABLED', RecoveryPeriodInDays: days };
  return { ContinuousBackupsDescription: { PointInTimeRecoveryDescription: state } };
};

/** Runs a restore for a stack that uses a store now. @param inMs how much later than now, in milliseconds */
export function restoreFor(store: StackStore, request: Partial<RestoreRequest>, inMs = 0): Promise<Restored> {
  const now = () => Date.now() + inMs;
  const storageIn = (table: string) =>
    dynamoDbStorage({ table, client, objects: objectsIn(store.bucket, s3), now, newId: randomUUID });
  return restore(
    {
      call,
      tables: store,
      storeIn: (table) => dynamoDbItems(table, client),
      hosted: { storageIn, objects: () => listObjects(store.bucket, s3) },
      addToUsagePlan: async () => [],
      now,
      sleep: async () => {},
      newEventId: randomUUID,
    },
    { isComplete: false, isDryRun: false, say: () => {}, ...request },
  );
}
