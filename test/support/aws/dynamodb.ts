import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { AwsEndpoint } from '../../../lib/aws/aws-endpoint.ts';
import { type DynamoDb, dynamoDbClient } from '../../../lib/storage/dynamodb/client.ts';
import { heldNow } from '../../lib/support.ts';
import type { Fault } from './faults.ts';
import { Table } from './table.ts';
import { jsonRequest, jsonResponse, Refusal } from './wire.ts';

const OPERATIONS = ['GetItem', 'BatchGetItem', 'Query', 'TransactWriteItems', 'PutItem', 'Scan'] as const;
export type Operation = (typeof OPERATIONS)[number];
const Request = jsonRequest('DynamoDB_20120810.', OPERATIONS);

/**
 * DynamoDB in memory, with one table: clients as the store has them, whose requests are answered here and not over a network.
 * It does what the store asks of DynamoDB and no more, and can be made to fail as an emulator never does.
 */
export class DynamoDbStandIn {
  readonly tableName: string;
  /** The operations that were asked for, in their order. */
  readonly calls: Operation[] = [];
  readonly client: DynamoDb;
  readonly #table: Table;
  readonly #planned = new Map<Operation, (Fault | undefined)[]>();

  constructor(tableName = 'segue') {
    this.tableName = tableName;
    this.#table = new Table(tableName);
    this.client = this.newClient();
  }

  newClient(): DynamoDb {
    return dynamoDbClient({
      now: heldNow,
      endpointOf: async () => AWS_ENDPOINT,
      post: async (request) => {
        const { statusCode, body } = await this.respond({ ...request, body: Buffer.from(request.body) });
        return { status: statusCode, body: body.toString() };
      },
    });
  }

  /** The SDK's own client, for what the store does not ask. */
  newSdkClient(): DynamoDBClient {
    const handle = async (request: unknown) => ({ response: await this.respond(request) });
    return new DynamoDBClient({ ...NOWHERE, maxAttempts: 1, requestHandler: { handle } });
  }

  /** What the next calls of an operation come to, in their order; `undefined` is what they should come to. */
  plan(operation: Operation, ...faults: readonly (Fault | undefined)[]): void {
    this.#planned.set(operation, [...(this.#planned.get(operation) ?? []), ...faults]);
  }

  /** @throws where the connection breaks */
  async respond(request: unknown) {
    const {
      headers: { 'x-amz-target': operation },
      body,
    } = Request.parse(request);
    this.calls.push(operation);
    const answer = (asked: unknown): unknown => this.#table.operations[operation](asked);
    const fault = this.#planned.get(operation)?.shift();
    const asked: unknown = JSON.parse(new TextDecoder().decode(body));
    try {
      return jsonResponse(200, await (fault ? fault(asked, answer) : answer(asked)));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { name, message, status, reasons } = error;
      return jsonResponse(status, {
        __type: `com.amazonaws.dynamodb.v20120810#${name}`,
        message,
        CancellationReasons: reasons,
      });
    }
  }
}

/** An account and a place that exist nowhere. */
export const NOWHERE = {
  region: 'eu-central-1',
  endpoint: 'http://127.0.0.1:1',
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
} as const;

/** The same, as clients of Segue's own take it. */
export const AWS_ENDPOINT: AwsEndpoint = {
  region: NOWHERE.region,
  url: new URL(NOWHERE.endpoint),
  credentials: async () => NOWHERE.credentials,
};
