import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

/** Creates a table like the stack's, and waits for it. */
export async function createTable(table: string): Promise<void> {
  // The first answers of the emulator may be slow.
  const client = new DynamoDBClient({ maxAttempts: 5 });
  const command = new CreateTableCommand({
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'partition', AttributeType: 'S' },
      { AttributeName: 'sort', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'partition', KeyType: 'HASH' },
      { AttributeName: 'sort', KeyType: 'RANGE' },
    ],
  });
  await client.send(command).catch((error: unknown) => {
    // An earlier attempt created the table, but its answer came late.
    if (!(error instanceof ResourceInUseException)) throw error;
  });
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: table });
  client.destroy();
}
