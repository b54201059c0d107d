import * as z from 'zod/mini';
import type { Item, Key } from '../port.ts';
import { unavailable } from './failures.ts';
import type { Attributes } from './wire.ts';

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
