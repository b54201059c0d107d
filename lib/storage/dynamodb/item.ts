import * as z from 'zod/mini';
import { firstVersionOf, type Item, type Key, type Write } from '../port.ts';
import type { Attributes, TransactionPart } from './client.ts';
import { unavailable } from './failures.ts';

const Count = z.object({ N: z.string().check(z.regex(/^[1-9]\d{0,15}$/)) });
const Text = z.object({ S: z.string() });

/** An item as the table has it: `data` is JSON in one attribute, so that no number or empty value changes on the way. */
const StoredItem = z.object({
  partition: Text,
  sort: Text,
  version: Count,
  data: Text,
  expiresAtMs: z.optional(Count),
  payload: z.optional(Text),
});

/** @throws {Problem} `unavailable` where the table holds something else */
export function itemOf(stored: unknown): Item {
  try {
    const { partition, sort, version, data, expiresAtMs, payload } = StoredItem.parse(stored);
    return {
      partition: partition.S,
      sort: sort.S,
      version: Number(version.N),
      data: JSON.parse(data.S),
      ...(expiresAtMs && { expiresAtMs: Number(expiresAtMs.N) }),
      ...(payload && { payload: payload.S }),
    };
  } catch (cause) {
    throw unavailable(cause);
  }
}

/** A key as the table has it. */
export function attributesOf({ partition, sort }: Key): Attributes {
  return { partition: { S: partition }, sort: { S: sort } };
}

/** Names in place of the attributes' own, some of which are words of DynamoDB's expressions. */
const NAMES = {
  '#version': 'version',
  '#data': 'data',
  '#expiresAtMs': 'expiresAtMs',
  '#expiresAt': 'expiresAt',
  '#payload': 'payload',
};
const IS_VERSION = '#version = :version';
const CONDITIONS = { insert: 'attribute_not_exists(#version)', replace: IS_VERSION, put: undefined } as const;

/**
 * One write as an operation of a transaction.
 * @param payload the name of the payload that the item is to have
 */
export function changeOf(table: string, write: Write, payload?: string): TransactionPart {
  const target = { TableName: table, Key: attributesOf(write.key) };
  const version: Attributes = 'version' in write ? { ':version': { N: String(write.version) } } : {};
  if (write.kind === 'check' || write.kind === 'remove') {
    const condition = {
      ...target,
      ConditionExpression: IS_VERSION,
      ExpressionAttributeNames: { '#version': NAMES['#version'] },
      ExpressionAttributeValues: version,
    };
    return write.kind === 'check' ? { ConditionCheck: condition } : { Delete: condition };
  }
  const { sets, removes, values } = contentOf(write.expiresAtMs, payload);
  return {
    Update: {
      ...target,
      UpdateExpression: `SET ${[ONE_MORE, '#data = :data', ...sets].join()}${removes.length > 0 ? ` REMOVE ${removes.join()}` : ''}`,
      ConditionExpression: CONDITIONS[write.kind],
      ExpressionAttributeNames: NAMES,
      ExpressionAttributeValues: {
        ':before': { N: String(firstVersionOf(write) - 1) },
        ':one': { N: '1' },
        ':data': { S: JSON.stringify(write.data) },
        ...values,
        ...version,
      },
    },
  };
}

const ONE_MORE = '#version = if_not_exists(#version, :before) + :one';

/** The attributes that an item may have or not. A table's time to live is in seconds, so an expiry is there twice. */
function contentOf(expiresAtMs: number | undefined, payload: string | undefined) {
  const optional = {
    expiresAtMs: expiresAtMs === undefined ? undefined : { N: String(expiresAtMs) },
    expiresAt: expiresAtMs === undefined ? undefined : { N: String(Math.ceil(expiresAtMs / 1_000)) },
    payload: payload === undefined ? undefined : { S: payload },
  };
  const present = Object.entries(optional).flatMap(([name, value]) => (value ? [{ name, value }] : []));
  return {
    sets: present.map(({ name }) => `#${name} = :${name}`),
    removes: Object.entries(optional).flatMap(([name, value]) => (value ? [] : [`#${name}`])),
    values: Object.fromEntries(present.map(({ name, value }) => [`:${name}`, value])),
  };
}
