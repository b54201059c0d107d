import { crc32 } from '../contract/crc32.ts';

/** The number of partitions of a list. DynamoDB limits the writes of each partition to 1,000 units a second. */
const SHARDS = 16;

/** The partitions of a list to which many requests write. Each entry is in one of them. */
export interface Shards {
  readonly partitions: readonly string[];
  /** Returns the partition of an entry. @param id the id of the entry */
  partitionOf(id: string): string;
}

/** Divides a list into partitions. @param name the beginning of their names */
export function shardsOf(name: string): Shards {
  const partition = (shard: number) => `${name}/${String(shard)}`;
  return {
    partitions: Array.from({ length: SHARDS }, (_, shard) => partition(shard)),
    partitionOf: (id) => partition(crc32(id) % SHARDS),
  };
}
