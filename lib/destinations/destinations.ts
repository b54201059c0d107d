import * as z from 'zod/mini';
import { EVENT_TYPES, type EventType } from '../contract/event.ts';
import type { Item, ItemReader, Key } from '../storage/port.ts';
import { recordOf } from '../storage/record.ts';

/** Matches the name of a destination. */
export const DESTINATION_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** The most destinations of a company. Whoever moves an event reads all of them with the record of the feed. */
export const MAX_DESTINATIONS = 10;

/** The stored form of a destination, without its name, its mapping and its secret. */
export const DestinationRecord = recordOf(() => ({
  /** A random id. It differs from the id of any later destination with the same name. */
  destinationId: z.string(),
  /** The company whose translations go to the destination. */
  companyId: z.string(),
  /** The types of the events after which results are sent. */
  on: z.readonly(z.array(z.string())),
  /** The hosts to which requests may go, as `host` or `host:port`. */
  hosts: z.readonly(z.array(z.string())),
  /** The header with the secret. Absent if there is no secret. */
  secretHeader: z.optional(z.string()),
  /** The name under which the secret is stored. When the secret changes, it gets a new name. */
  secretsAt: z.optional(z.string()),
  createdAtUtc: z.string(),
  rotatedAtUtc: z.optional(z.string()),
}));
export type DestinationRecord = z.infer<typeof DestinationRecord>;

/** The stored form of the expressions. They are not in the destination's record, because they can be 100 times larger. */
export const DestinationMapping = recordOf(() => ({
  /** A JSONata expression. Its result is the requests for an event, if any. */
  mapping: z.string(),
  /**
   * A JSONata expression with the input of the mapping. Its result is the URL of the page that Segue reads before each run
   * of the mapping, an array of URLs, or nothing.
   */
  fetch: z.optional(z.string()),
}));

/** The stored form of a name in the list of destinations. */
export const DestinationListed = recordOf(() => ({ companyId: z.string() }));

/** A destination without its mapping. Its name is unique in a gateway. */
export type NamedDestination = Readonly<DestinationRecord> & { readonly name: string };
/** A place outside to which translations go after events. */
export type Destination = NamedDestination & Readonly<z.infer<typeof DestinationMapping>>;

/** Returns the storage key of a destination's record. */
export function destinationKey(name: string): Key {
  return { partition: `destination/${name}`, sort: 'destination' };
}

/** Returns the storage key of a destination's mapping. A later destination with the same name has another one. */
export function destinationMappingKey(name: string, { destinationId }: Pick<DestinationRecord, 'destinationId'>): Key {
  return { partition: `destination/${name}`, sort: `mapping/${destinationId}` };
}

/** The partition of the names of all destinations. The commands that list destinations read it. */
export const DESTINATION_NAMES = 'destinations';

/** Returns the storage key of a name in the list of destinations. */
export function destinationNameKey(name: string): Key {
  return { partition: DESTINATION_NAMES, sort: name };
}

/** Reads the item of a destination's record; `undefined` if no destination has this name, or the name is invalid. */
export async function readDestinationRecord(store: ItemReader, name: string): Promise<Item | undefined> {
  return DESTINATION_NAME.test(name) ? store.read(destinationKey(name)) : undefined;
}

/**
 * Reads a destination with its mapping; `undefined` if no destination has this name.
 * @throws if the mapping of the destination is missing
 */
export async function readDestination(store: ItemReader, name: string): Promise<Destination | undefined> {
  for (let destinationId: string | undefined; ; ) {
    const item = await readDestinationRecord(store, name);
    if (!item) return undefined;
    const destination = { name, ...DestinationRecord.parse(item.data) };
    const stored = await store.read(destinationMappingKey(name, destination));
    if (stored) return { ...destination, ...DestinationMapping.parse(stored.data) };
    // The destination was removed between the two reads, and another one may have its name.
    if (destination.destinationId === destinationId)
      throw new RangeError('The store has lost the mapping of a destination');
    destinationId = destination.destinationId;
  }
}

/** Whether a text is a type of events. */
export function isEventType(text: string): text is EventType {
  return EVENT_TYPES.some((type) => type === text);
}

/** The name of the folder for the secrets of destinations, in the data folder. On AWS, Secrets Manager has them. */
export const DESTINATION_SECRETS_FOLDER = 'destination-secrets';
