import * as z from 'zod/mini';
import type { ServiceName } from '../../../infra/functions/catalogue.ts';
import { routeOf } from '../../../lib/contract/routes.ts';
import { createApiKey } from '../../../lib/credentials/api-key.ts';
import { companiesIn } from '../../../lib/credentials/companies.ts';
import { dynamoDbItems } from '../../../lib/storage/dynamodb/items.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import { type EventOptions, eventOf, readAnswer } from '../../lib/http/fixture.ts';
import type { JsonObject } from '../../support/projects.ts';
import type { Aws } from './aws.ts';
import type { Behind } from './behind.ts';
import type { Deployed } from './deployed.ts';

type Operation = Parameters<typeof eventOf>[0];
const Answer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  isBase64Encoded: z.boolean(),
});

export interface Stack {
  readonly functions: Deployed;
  readonly aws: Aws;
  /** What an upstream stack is in front of. */
  readonly behind: Behind;
  readonly service: ServiceName;
}

/** What is particular to one request. */
interface AskOptions extends EventOptions {
  /** How much time the function has, in milliseconds. */
  readonly remainingMs?: number;
}

/** A stack with one company, as its callers use it. */
export interface Doors extends Stack {
  readonly table: ListedStore;
  /** The company's credentials. */
  readonly basic: string;
  /** What an authorizer says of the company that does not say which version of its key it saw. */
  readonly principal: Readonly<Record<string, string>>;
  /** Calls an operation. @returns its JSON @throws where the answer has another status */
  ask(name: Operation, status: number, options?: AskOptions): Promise<unknown>;
  /** Creates a project. @returns its id */
  create(fields: JsonObject, headers?: EventOptions['headers']): Promise<number>;
}

export async function doorsOf(stack: Stack): Promise<Doors> {
  const { client, tableName } = stack.aws.dynamoDb;
  const table = dynamoDbItems(tableName, client);
  const key = createApiKey();
  await companiesIn(table, Date.now).add('acme', key);
  const principal = { companyId: 'acme', keyId: key.keyId, scopes: 'create read delete' };
  const authorizer = { ...principal, keyVersion: '1' };

  async function ask(name: Operation, status: number, { remainingMs, ...options }: AskOptions = {}): Promise<unknown> {
    const answer = await stack.functions.call(
      routeOf(name).function,
      eventOf(name, { authorizer, ...options }),
      remainingMs,
    );
    const read = readAnswer(Answer.parse(answer));
    if (read.status !== status) throw new Error(`${name} answered ${read.status}, not ${status}: ${read.text}`);
    return read.json;
  }

  return {
    ...stack,
    table,
    basic: `Basic ${Buffer.from(`acme:${key.apiKey}`).toString('base64')}`,
    principal,
    ask,
    create: async (fields, headers = {}) =>
      z.object({ id: z.number() }).parse(await ask('createProject', 201, { ...json(fields), headers })).id,
  };
}

/** The header by which a request happens once. */
export const once = (value: string) => ({ 'Idempotency-Key': value });
/** A body of JSON. */
export const json = (body: unknown) => ({ body: JSON.stringify(body) });
