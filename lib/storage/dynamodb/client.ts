import { type JsonClientOptions, type JsonService, jsonClient } from '../../aws/json-client.ts';
import { ANSWERS, type Answers, type Operation, type Requests } from './wire.ts';

const DYNAMODB: JsonService = {
  host: 'dynamodb',
  setting: 'AWS_ENDPOINT_URL_DYNAMODB',
  protocol: '1.0',
  target: 'DynamoDB_20120810',
  answerMs: 2_000,
};

/** Amazon DynamoDB, as far as the store uses it. */
export interface DynamoDb {
  /**
   * Makes a call, once.
   * @throws {AwsRefusal} where DynamoDB answered that it failed; else whatever kept its answer away
   */
  call<Name extends Operation>(operation: Name, request: Requests[Name]): Promise<Answers[Name]>;
}

/** A client of Amazon DynamoDB: one a process, its region, credentials and endpoint from the environment unless given. */
export function dynamoDbClient(options: JsonClientOptions): DynamoDb {
  const send = jsonClient(DYNAMODB, options);
  return { call: async (operation, request) => ANSWERS[operation].parse(await send(operation, request)) };
}
