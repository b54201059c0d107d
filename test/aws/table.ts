import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

/** Makes a table as the stack has it, and waits until it is there. */
export async function createTable(table: string): Promise<void> {
  // The emulator's first answers may take longer than the store waits for any.
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
    // It was made by an attempt before, whose answer came too late.
    if (!(error instanceof ResourceInUseException)) throw error;
  });
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1 }, { TableName: table });
  client.destroy();
}
