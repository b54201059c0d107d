import { isDeepStrictEqual } from 'node:util';
import { CREDENTIALS } from '../../../lib/storage/port.ts';
import { compareBytes, keysAskedFor, meets, passes, requireAllUsed, updated } from './expressions.ts';
import { BatchGet, Get, InTable, type Operation, Put, Query, Scan, Transaction } from './requests.ts';
import { type Attributes, invalid, Key, Refusal, sizeOf } from './wire.ts';

const MAX_ITEM_BYTES = 409_600;
const MAX_OPERATIONS = 100;
const MAX_TRANSACTION_BYTES = 4 * 1_024 * 1_024;
const MAX_PAGE_BYTES = 1_024 * 1_024;
const MAX_KEY_BYTES = { partition: 2_048, sort: 1_024 } as const;

/** The item at a key, and the item before the last change. A read that is not consistent may get the earlier one. */
interface Cell {
  readonly now: Attributes | undefined;
  readonly before: Attributes | undefined;
}

/** The change of an item by an operation; no write if the operation only checks it, or its condition fails. */
interface Change {
  readonly key: Key;
  readonly Code: 'None' | 'ConditionalCheckFailed' | 'ValidationError';
  readonly becomes?: { readonly item: Attributes | undefined };
}

/**
 * The items of a table, with DynamoDB's rules and limits. Requests and answers are DynamoDB's JSON, parsed. The
 * credentials may be in a table of their own: a request that looks for an item in the wrong table is refused.
 */
export class Table {
  readonly #name: string;
  readonly #credentials: string;
  readonly #partitions = new Map<string, Map<string, Cell>>();
  /** The results of completed transactions, by their tokens. */
  readonly #made = new Map<string, unknown>();

  constructor(name: string, credentials = name) {
    this.#name = name;
    this.#credentials = credentials;
  }

  readonly operations = {
    GetItem: (request: unknown) => {
      const { TableName, Key: key, ConsistentRead } = { ...InTable.parse(request), ...Get.parse(request) };
      this.#requireTable(TableName, key.partition.S);
      requireKey(key);
      return { Item: this.#read(key, ConsistentRead) };
    },

    BatchGetItem: (request: unknown) => {
      const { RequestItems } = BatchGet.parse(request);
      const answers = Object.entries(RequestItems).map(([name, { Keys, ConsistentRead }]) => {
        for (const { partition } of Keys) this.#requireTable(name, partition.S);
        Keys.forEach(requireKey);
        requireDistinct(Keys);
        // DynamoDB returns items in any order.
        return [
          name,
          Keys.toReversed()
            .map((key) => this.#read(key, ConsistentRead))
            .filter((item) => item !== undefined),
        ];
      });
      return { Responses: Object.fromEntries(answers), UnprocessedKeys: {} };
    },

    PutItem: (request: unknown) => {
      const { TableName, Item } = Put.parse(request);
      requireSize(Item);
      requireKey(keyIn(Item));
      this.#requireTable(TableName, keyIn(Item).partition.S);
      this.#write(keyIn(Item), Item);
      return {};
    },

    Query: (request: unknown) => {
      const query = Query.parse(request);
      this.#requireTable(InTable.parse(request).TableName, keysAskedFor(query).partition);
      return this.#query(query);
    },

    Scan: (request: unknown) => {
      if (InTable.parse(request).TableName !== this.#name) throw new Refusal('ResourceNotFoundException');
      const scan = Scan.parse(request);
      requireAllUsed(scan);
      const cells = [...this.#partitions.values()].flatMap((partition) => [...partition.values()]);
      return { Items: cells.map(({ now }) => now).filter((item) => item && passes(item, scan)) };
    },

    TransactWriteItems: (request: unknown) => this.#transact(Transaction.parse(request)),
  };

  #query({ ConsistentRead, ScanIndexForward, Limit = Infinity, ExclusiveStartKey, ...expressions }: Query) {
    requireAllUsed(expressions);
    const { partition, has } = keysAskedFor(expressions);
    const direction = ScanIndexForward ? 1 : -1;
    const start = ExclusiveStartKey?.sort.S;
    const sorts = [...(this.#partitions.get(partition)?.keys() ?? [])]
      .filter((sort) => has(sort) && (start === undefined || direction * compareBytes(sort, start) > 0))
      .sort((one, other) => direction * compareBytes(one, other));
    const items: Attributes[] = [];
    let bytes = 0;
    for (const sort of sorts) {
      const key = { partition: { S: partition }, sort: { S: sort } };
      const item = this.#read(key, ConsistentRead);
      if (!item) continue;
      items.push(item);
      bytes += sizeOf(item);
      // DynamoDB does not check whether more items follow, so the next page may be empty.
      if (items.length === Limit || bytes > MAX_PAGE_BYTES) return { Items: items, LastEvaluatedKey: key };
    }
    return { Items: items };
  }

  #transact({ TransactItems, ClientRequestToken: token }: Transaction) {
    const made = this.#made.get(token);
    if (made !== undefined) {
      if (isDeepStrictEqual(made, TransactItems)) return {};
      throw new Refusal('IdempotentParameterMismatchException');
    }
    if (TransactItems.length === 0 || TransactItems.length > MAX_OPERATIONS) throw invalid();
    const changes = TransactItems.map((operation) => this.#change(operation));
    requireDistinct(changes.map(({ key }) => key));
    const bytes = changes.reduce((sum, { becomes }) => sum + sizeOf(becomes?.item ?? {}), 0);
    if (bytes > MAX_TRANSACTION_BYTES) throw invalid();
    if (changes.some(({ Code }) => Code !== 'None')) {
      throw new Refusal('TransactionCanceledException', { reasons: changes.map(({ Code }) => ({ Code })) });
    }
    for (const { key, becomes } of changes) if (becomes) this.#write(key, becomes.item);
    this.#made.set(token, TransactItems);
    return {};
  }

  /** Returns the change that an operation of a transaction makes to its item, or why the operation is refused. */
  #change(operation: Operation): Change {
    if ('Put' in operation) {
      const { TableName, Item: item } = operation.Put;
      requireSize(item);
      const key = keyIn(item);
      this.#requireTable(TableName, key.partition.S);
      return isTooLong(key) ? { key, Code: 'ValidationError' } : { key, Code: 'None', becomes: { item } };
    }
    const [kind, at] = Object.entries(operation)[0] ?? [];
    if (!at) throw invalid();
    const { Key: key } = at;
    this.#requireTable(at.TableName, key.partition.S);
    requireFilled(key);
    requireAllUsed(at);
    if (isTooLong(key)) return { key, Code: 'ValidationError' };
    const present = this.#read(key, true);
    if (!meets(present, at)) return { key, Code: 'ConditionalCheckFailed' };
    if (kind === 'ConditionCheck') return { key, Code: 'None' };
    if (kind === 'Delete') return { key, Code: 'None', becomes: { item: undefined } };
    const item = updated(present ?? key, at);
    requireSize(item);
    return { key, Code: 'None', becomes: { item } };
  }

  #read({ partition, sort }: Key, isConsistent: boolean): Attributes | undefined {
    const cell = this.#partitions.get(partition.S)?.get(sort.S);
    return isConsistent ? cell?.now : cell?.before;
  }

  #write({ partition, sort }: Key, item: Attributes | undefined): void {
    const items = this.#partitions.get(partition.S) ?? new Map<string, Cell>();
    items.set(sort.S, { now: item, before: items.get(sort.S)?.now });
    this.#partitions.set(partition.S, items);
  }

  #requireTable(name: string, partition: string): void {
    const expected = partition.startsWith(CREDENTIALS) ? this.#credentials : this.#name;
    if (name !== expected) throw new Refusal('ResourceNotFoundException');
  }
}

function keyIn(item: Attributes): Key {
  const { partition, sort } = item;
  const key = Key.safeParse({ partition, sort });
  if (!key.success) throw invalid();
  requireFilled(key.data);
  return key.data;
}

function requireFilled({ partition, sort }: Key): void {
  if (partition.S === '' || sort.S === '') throw invalid();
}

function isTooLong({ partition, sort }: Key): boolean {
  const { partition: most, sort: maxOfSort } = MAX_KEY_BYTES;
  return Buffer.byteLength(partition.S) > most || Buffer.byteLength(sort.S) > maxOfSort;
}

function requireKey(key: Key): void {
  requireFilled(key);
  if (isTooLong(key)) throw invalid();
}

function requireDistinct(keys: readonly Key[]): void {
  const names = keys.map(({ partition, sort }) => JSON.stringify([partition.S, sort.S]));
  if (new Set(names).size !== names.length) throw invalid();
}

function requireSize(item: Attributes): void {
  if (sizeOf(item) > MAX_ITEM_BYTES) throw invalid();
}
