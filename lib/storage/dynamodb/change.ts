import { firstVersionOf, type Write } from '../port.ts';
import { attributesOf } from './item.ts';
import type { Attributes, TransactionPart } from './wire.ts';

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
