import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** A client of Amazon DynamoDB: one a process, its region, credentials and endpoint from the SDK's own settings unless given. */
export function dynamoDbClient(settings: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({
    // Repeated by whoever calls: the SDK would keep to itself what became of the first attempt.
    maxAttempts: 1,
    // The SDK by itself would wait for ever.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
    ...settings,
  });
}
