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

/** A planned fault ends with its call, so a retry has nothing to wait for. */
const NO_PAUSES = { sleep: async () => {}, random: Math.random };

/**
 * DynamoDB in memory, with one table, or with another one for the credentials. Its clients are those of the store, but
 * requests are answered here, without a network and without pauses. It supports only the operations of the store, and
 * can fail in ways that an emulator cannot.
 */
export class DynamoDbStandIn {
  readonly tableName: string;
  readonly credentialsTable: string;
  /** The requested operations, in their order. */
  readonly calls: Operation[] = [];
  readonly client: DynamoDb;
  readonly #table: Table;
  readonly #planned = new Map<Operation, (Fault | undefined)[]>();

  constructor(tableName = 'segue', credentialsTable = tableName) {
    this.tableName = tableName;
    this.credentialsTable = credentialsTable;
    this.#table = new Table(tableName, credentialsTable);
    this.client = this.newClient();
  }

  /** @param onFailure called for each failure of DynamoDB itself */
  newClient(onFailure: (error: Error) => void = () => {}): DynamoDb {
    const client = dynamoDbClient({
      now: heldNow,
      onFailure,
      endpointOf: async () => AWS_ENDPOINT,
      post: async (request) => {
        const { statusCode, body } = await this.respond({ ...request, body: Buffer.from(request.body) });
        return { status: statusCode, body: body.toString() };
      },
    });
    return { ...client, waits: NO_PAUSES };
  }

  /** Returns a client of the SDK, for calls that the store does not make. */
  newSdkClient(): DynamoDBClient {
    const handle = async (request: unknown) => ({ response: await this.respond(request) });
    return new DynamoDBClient({ ...NOWHERE, maxAttempts: 1, requestHandler: { handle } });
  }

  /** Plans the faults of the next calls of an operation, in their order. `undefined` lets a call succeed. */
  plan(operation: Operation, ...faults: readonly (Fault | undefined)[]): void {
    this.#planned.set(operation, [...(this.#planned.get(operation) ?? []), ...faults]);
  }

  /**
   * Answers a request.
   * @throws if the connection breaks
   */
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

/** The region, the endpoint and the credentials of an account that does not exist. */
export const NOWHERE = {
  region: 'eu-central-1',
  endpoint: 'http://127.0.0.1:1',
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
} as const;

/** The same endpoint in the form of Segue's own clients. */
export const AWS_ENDPOINT: AwsEndpoint = {
  region: NOWHERE.region,
  url: new URL(NOWHERE.endpoint),
  credentials: async () => NOWHERE.credentials,
};
