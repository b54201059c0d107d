import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import * as z from 'zod/mini';

/** Units that were taken, by DynamoDB's own rules. */
export interface Meter {
  writeUnits: number;
  readUnits: number;
}

/** A DynamoDB table on a free port of this machine that takes every change, and measures what is sent to it. */
export interface MeteredTable extends AsyncDisposable {
  readonly url: string;
  /** What was taken since it was last asked. */
  taken(): Meter;
  /** The sort keys that a partition has now. */
  sortsIn(partition: string): string[];
}

const Value = z.strictObject({ S: z.optional(z.string()), N: z.optional(z.string()), B: z.optional(z.string()) });
const Stored = z.record(z.string(), Value);
type Stored = z.infer<typeof Stored>;
const Keyed = z.object({ Key: Stored });
const Change = z.object({
  Put: z.optional(z.object({ Item: Stored })),
  Update: z.optional(z.object({ Key: Stored, ExpressionAttributeValues: Stored })),
  Delete: z.optional(Keyed),
  ConditionCheck: z.optional(Keyed),
});
const Transaction = z.object({ TransactItems: z.array(Change) });
const Query = z.object({ ExpressionAttributeValues: Stored, Limit: z.optional(z.int()) });
const Keys = z.object({ RequestItems: z.record(z.string(), z.object({ Keys: z.array(Stored) })) });

/** Values of an expression that are no attribute of the item. */
const OTHER_VALUES = [':zero', ':one', ':version'];

export async function openMeteredTable(): Promise<MeteredTable> {
  const items = new Map<string, Stored>();
  let meter: Meter = { writeUnits: 0, readUnits: 0 };
  const nameOf = ({ partition, sort }: Stored) => `${partition?.S} ${sort?.S}`;

  function change({ Put, Update, Delete, ConditionCheck }: z.infer<typeof Change>): void {
    const key = Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key ?? {};
    const before = items.get(nameOf(key));
    const after = Put?.Item ?? (Update && updated(before, Update)) ?? (ConditionCheck && before);
    meter.writeUnits += 2 * units(Math.max(sizeOf(before), sizeOf(after)), 1_024);
    if (after) items.set(nameOf(key), after);
    else items.delete(nameOf(key));
  }

  function read(key: Stored): Stored | undefined {
    const item = items.get(nameOf(key));
    meter.readUnits += units(sizeOf(item), 4_096);
    return item;
  }

  const answers: Readonly<Record<string, (body: unknown) => unknown>> = {
    TransactWriteItems(body) {
      Transaction.parse(body).TransactItems.forEach(change);
      return {};
    },
    GetItem: (body) => ({ Item: read(Keyed.parse(body).Key) }),
    Query(body) {
      const { ExpressionAttributeValues: values, Limit } = Query.parse(body);
      const all = [...items.values()].filter((item) => isIn(values, item)).sort(lastFirst);
      const page = all.slice(0, Limit);
      meter.readUnits += units(
        page.reduce((sum, item) => sum + sizeOf(item), 0),
        4_096,
      );
      const last = page.length < all.length ? page.at(-1) : undefined;
      return { Items: page, LastEvaluatedKey: last && { partition: last['partition'], sort: last['sort'] } };
    },
    BatchGetItem(body) {
      const tables = Object.entries(Keys.parse(body).RequestItems);
      return {
        Responses: Object.fromEntries(tables.map(([name, { Keys }]) => [name, Keys.flatMap((key) => read(key) ?? [])])),
      };
    },
  };

  const server = createServer(async (request, response) => {
    const action = String(request.headers['x-amz-target']).replace(/^.*\./, '');
    const answer = answers[action]?.(await json(request));
    response.writeHead(answer ? 200 : 400, { 'Content-Type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(answer ?? { __type: 'UnknownOperationException' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    taken() {
      const taken = meter;
      meter = { writeUnits: 0, readUnits: 0 };
      return taken;
    },
    sortsIn: (partition) =>
      [...items.values()].flatMap((item) => (item['partition']?.S === partition ? [item['sort']?.S ?? ''] : [])),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Whether an item is in the range of a query. */
function isIn(values: Stored, { partition, sort }: Stored): boolean {
  const name = sort?.S ?? '';
  const before = values[':before']?.S ?? name;
  return partition?.S === values[':partition']?.S && name.startsWith(values[':prefix']?.S ?? '') && name <= before;
}

function lastFirst({ sort: one }: Stored, { sort: other }: Stored): number {
  return (one?.S ?? '') < (other?.S ?? '') ? 1 : -1;
}

/** What an update leaves: the store sends every attribute of an item with each, and counts the version up. */
function updated(
  before: Stored | undefined,
  { Key, ExpressionAttributeValues }: NonNullable<z.infer<typeof Change>['Update']>,
): Stored {
  const sent = Object.entries(ExpressionAttributeValues).filter(([name]) => !OTHER_VALUES.includes(name));
  const version = { N: String(Number(before?.['version']?.N ?? 0) + 1) };
  return { ...Key, version, ...Object.fromEntries(sent.map(([name, value]) => [name.slice(1), value])) };
}

/** An item's bytes: the names of its attributes in UTF-8, and their values. */
function sizeOf(item: Stored | undefined): number {
  return Object.entries(item ?? {}).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOfValue(value),
    0,
  );
}

function sizeOfValue({ S, N, B }: z.infer<typeof Value>): number {
  if (B !== undefined) return Buffer.byteLength(B, 'base64');
  // Two digits a byte, and one byte more.
  return N === undefined ? Buffer.byteLength(S ?? '') : Math.ceil(N.length / 2) + 1;
}

/** An item that is not there takes one unit too. */
function units(bytes: number, size: number): number {
  return Math.max(1, Math.ceil(bytes / size));
}
