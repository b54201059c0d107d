import { contentLost, storeUnavailable } from '../../contract/failures.ts';
import { Problem } from '../../contract/problem.ts';
import {
  type Batch,
  type ByteRange,
  type Commit,
  firstVersionOf,
  INSIDE,
  type Item,
  type ItemWithPayload,
  isInside,
  type Key,
  type Storage,
  type Write,
} from '../port.ts';
import type { Attributes, DynamoDb, Keys, TransactionPart } from './client.ts';
import { attributesOf, changeOf, dynamoDbItems, itemOf, readAttributes, type Tables } from './items.ts';
import type { Objects } from './objects.ts';
import {
  bytesOf,
  deletePayload,
  IN_TABLE,
  MAX_IN_TABLE_BYTES,
  payloadKey,
  putPayload,
  storedPayload,
} from './payload.ts';
import { attempts, commitTransaction, retryRead } from './retries.ts';
import { droppedMarker, isLate, pendingMarker, removeMarker, secondLook } from './sweep-markers.ts';

/** The dependencies of the store on AWS. */
export interface DynamoDbOptions {
  readonly table: string;
  /** The table of credentials, whose items a commit may check. By default, `table` has them. */
  readonly credentialsTable?: string | undefined;
  readonly client: DynamoDb;
  /** The bucket for payloads that are too large for the table. */
  readonly objects: Objects;
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** Makes a globally unique id, such as a UUID. */
  readonly newId: () => string;
}

/** An object that was written to the bucket for a batch. No item refers to the object before the batch is committed. */
interface WrittenObject {
  readonly object: string;
  /** The key of the item that the object was written for. */
  readonly key: Key;
  /** When the marker of the object was added, in milliseconds since 1970. */
  readonly markedAtMs: number;
}

/** The maximum number of attempts at a read. Other requests do not change an item so often while it is read. */
const MAX_READS = 8;

/**
 * Makes the store on AWS: a DynamoDB table, and a bucket for payloads that are too large for the table. A commit is one
 * transaction of the table. A small payload is inside its item, a larger one is a record of the table. An even larger one is
 * written to the bucket before the transaction, under a new name.
 */
export function dynamoDbStorage(options: DynamoDbOptions): Storage {
  const { table, credentialsTable = table, client, objects, now, newId } = options;
  const tables: Tables = { main: table, credentials: credentialsTable };
  const items = dynamoDbItems(tables, client);

  /** Writes a payload to the bucket, if it is too large for the table. */
  async function putObject({ key }: Write, bytes: Uint8Array): Promise<WrittenObject | undefined> {
    if (bytes.length <= MAX_IN_TABLE_BYTES) return undefined;
    const object = `${key.partition}/${newId()}`;
    const markedAtMs = now();
    const marked = await items.commit({ writes: [pendingMarker(object, key, markedAtMs)] });
    if (!marked.ok) throw new RangeError('newId returned an id that exists already');
    if (isLate(markedAtMs, now())) throw tooLate();
    await objects.put(object, bytes);
    return { object, key, markedAtMs };
  }

  /** Makes the parts of a transaction for one write: for its item, its new payload, and its dropped payload. */
  async function operationsOf(write: Write, written: WrittenObject[]): Promise<TransactionPart[]> {
    const bytes = 'bytes' in write ? write.bytes : undefined;
    const drops = 'drops' in write ? write.drops : undefined;
    const dropsRecord = drops !== undefined && drops !== INSIDE;
    const dropped = dropsRecord && drops !== IN_TABLE ? [changeOf(table, droppedMarker(drops, write.key, now()))] : [];
    if (!bytes || isInside(bytes)) {
      return [changeOf(tables, write, bytes), ...(dropsRecord ? [deletePayload(table, write.key)] : []), ...dropped];
    }
    const put = await putObject(write, bytes);
    if (put) written.push(put);
    const object = put?.object;
    const version = 'version' in write ? write.version + 1 : firstVersionOf(write);
    return [
      changeOf(table, write, object ?? IN_TABLE),
      putPayload(table, write.key, { version, bytes, ...(object && { object }) }),
      ...(object ? [changeOf(table, removeMarker(object))] : []),
      ...dropped,
    ];
  }

  /**
   * Adds second looks for objects that may have been written after the sweep of their markers. An error is ignored: the
   * sweeper has added a second look too.
   */
  async function markLate(written: readonly WrittenObject[]): Promise<void> {
    const late = written.filter(({ markedAtMs }) => isLate(markedAtMs, now()));
    if (late.length === 0) return;
    const looks = late.map(({ object, key }) => secondLook(object, key, now()));
    await items.commit({ writes: looks }).catch(() => {});
  }

  async function commit(batch: Batch): Promise<Commit> {
    const written: WrittenObject[] = [];
    try {
      const outcome = await commitWith(batch, written);
      if (!outcome.ok) await markLate(written);
      return outcome;
    } catch (error) {
      await markLate(written);
      throw error;
    }
  }

  /**
   * Commits a batch.
   * @param written receives every object that this function writes to the bucket, even if it throws
   */
  async function commitWith({ writes, deadline }: Batch, written: WrittenObject[]): Promise<Commit> {
    const operations: TransactionPart[] = [];
    /** For each write, the index of its first operation. That operation has the condition of the write. */
    const starts: number[] = [];
    for (const write of writes) {
      starts.push(operations.length);
      operations.push(...(await operationsOf(write, written)));
    }
    const outcome = await commitTransaction(client, operations, deadline);
    if (outcome.ok) return outcome;
    const refused = starts.indexOf(outcome.refused);
    if (refused !== -1) return { ok: false, refused };
    // The refused operation is the removal of a marker: a sweeper has started to process it, because this attempt was
    // frozen for long.
    throw tooLate();
  }

  /**
   * Reads an item and the record of its payload in one call. Both are from one commit only if their versions are equal.
   */
  async function readBoth(key: Key) {
    const found: Attributes[] = [];
    let wanted: Keys = { Keys: [key, payloadKey(key)].map(attributesOf), ConsistentRead: true };
    const reads = attempts(client, MAX_READS);
    for (;;) {
      const batch = { RequestItems: { [table]: wanted } };
      const answer = await retryRead(client, () => client.call('BatchGetItem', batch));
      found.push(...(answer.Responses?.[table] ?? []));
      const left = answer.UnprocessedKeys?.[table];
      if (!left?.Keys.length) {
        const at = ({ partition }: Key) => found.find((entry) => entry['partition']?.S === partition);
        return { item: at(key), payload: at(payloadKey(key)) };
      }
      wanted = left;
      if (!(await reads.pause())) throw storeUnavailable(new Error('DynamoDB did not read all requested keys'));
    }
  }

  async function readWithPayload(key: Key): Promise<ItemWithPayload | undefined> {
    const reads = attempts(client, MAX_READS);
    /** The version of the item whose object did not exist at the last read. */
    let lost: number | undefined;
    for (;;) {
      const both = await readBoth(key);
      const item = both.item && itemOf(both.item);
      if (item?.payload === undefined) return undefined;
      if (item.bytes) return { item, bytes: item.bytes };
      const payload = both.payload && storedPayload(both.payload);
      const isWhole = payload?.version.N === String(item.version);
      const bytes = isWhole ? await bytesOf(payload, objects) : undefined;
      if (bytes) return { item, bytes };
      // An object is removed only after its item has changed.
      if (isWhole && item.version === lost) throw contentLost();
      lost = isWhole ? item.version : undefined;
      if (!(await reads.pause())) throw new RangeError('The records of an item contradict each other');
    }
  }

  async function readPayloadRange(item: Item, range: ByteRange): Promise<Uint8Array | undefined> {
    const { payload, version } = item;
    if (payload === undefined) return undefined;
    if (item.bytes) return item.bytes.subarray(range.from, range.to);
    if (payload !== IN_TABLE) {
      // An object keeps its bytes for a while after its item has changed. So read the item again.
      const [bytes, current] = await Promise.all([objects.get(payload, range), items.read(item)]);
      if (current?.version !== version) return undefined;
      // The object may have been removed after that read. It is removed only after its item has changed.
      if (!bytes && (await items.read(item))?.version === version) throw contentLost();
      return bytes;
    }
    const stored = await readAttributes(table, client, payloadKey(item));
    const record = stored && storedPayload(stored);
    if (record?.version.N !== String(version)) return undefined;
    return (await bytesOf(record, objects))?.subarray(range.from, range.to);
  }

  return { read: items.read, list: items.list, readWithPayload, readPayloadRange, commit };
}

function tooLate(): Problem {
  return new Problem('unavailable', {
    detail: 'Segue’s change to its database took too long. Nothing was stored. Send the request again.',
    retryAfterSeconds: 1,
  });
}
