import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

/** Makes a table as the stack has it, and waits until it is there. */
export async function createTable(table: string, client: DynamoDBClient): Promise<void> {
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
    // The emulator's first answer may come so late that the client has asked again.
    if (!(error instanceof ResourceInUseException)) throw error;
  });
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: table });
}
