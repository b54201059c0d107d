import { utc } from '../contract/date.ts';
import { fieldsOf } from '../contract/pointer.ts';
import { CustomIdRecord } from '../records/custom-id-record.ts';
import { hashedCustomIdKey, hashOf } from '../records/keys.ts';
import { deletionTime } from '../records/tombstones.ts';
import { type Command, projectIn } from '../service/command.ts';
import type { ItemReader } from '../storage/port.ts';
import type { DeadState } from './delivery-records.ts';

/** What happened to the projects of a message after it was received. Running the message now may undo it. */
export interface ChangedSince {
  /** When a project with a custom id of the message was deleted; of several, the latest. */
  readonly deletedAtUtc?: string;
  /** When a project with a custom id of the message was created; of several, the latest. */
  readonly createdAtUtc?: string;
}

/** How many custom ids of a message are kept. Each takes two reads when dead letters are listed. */
const MAX_CUSTOM_IDS = 20;

/** The commands of a delivery, by whether an attempt has done them. */
interface DeliveryCommands {
  readonly open: readonly Command[];
  readonly done: readonly Command[];
}

/**
 * Returns the hashes of the first custom ids that commands name, for the state of a delivery; `undefined` if there are
 * none. A project that the delivery itself has changed does not count, because nobody else changed it.
 */
export function customIdHashes({ open, done }: DeliveryCommands): string[] | undefined {
  const own = new Set(done.map(customIdOf));
  // A command with a revision changes no project that is newer than its message.
  const ids = open
    .filter((command) => !hasRevision(command))
    .map(customIdOf)
    .filter((id) => !own.has(id));
  const hashes = new Set(ids.flatMap((id) => (typeof id === 'string' && id !== '' ? [hashOf(id)] : [])));
  return hashes.size > 0 ? [...hashes].slice(0, MAX_CUSTOM_IDS) : undefined;
}

function hasRevision(command: Command): boolean {
  if ('create' in command) return false;
  return ('put' in command ? command.revision : command.delete.revision) !== undefined;
}

function customIdOf(command: Command): unknown {
  return 'delete' in command ? command.delete.customId : fieldsOf(projectIn(command))?.['customId'];
}

/**
 * Finds out what happened to the projects of a dead letter after its message was received.
 * @returns `undefined` if nothing is known to have happened, also if the mapping failed, so that the ids are not known
 */
export async function changedSince(
  store: ItemReader,
  { companyId, receivedAtMs, customIds = [] }: DeadState,
  now: () => number,
): Promise<ChangedSince | undefined> {
  const received = utc(receivedAtMs);
  const latest = (times: readonly (string | undefined)[]) =>
    times
      .filter((time) => time !== undefined && time > received)
      .toSorted()
      .at(-1);
  const times = await Promise.all(
    customIds.map(async (hash) => ({
      deleted: await deletionTime({ storage: store, now }, companyId, { customIdHash: hash }),
      created: await creationTime(store, companyId, hash),
    })),
  );
  const deletedAtUtc = latest(times.map(({ deleted }) => deleted));
  const createdAtUtc = latest(times.map(({ created }) => created));
  if (deletedAtUtc === undefined && createdAtUtc === undefined) return undefined;
  return { ...(deletedAtUtc !== undefined && { deletedAtUtc }), ...(createdAtUtc !== undefined && { createdAtUtc }) };
}

/** Returns when the project with a custom id was created; `undefined` if there is none. */
async function creationTime(store: ItemReader, companyId: string, customIdHash: string): Promise<string | undefined> {
  const record = CustomIdRecord.safeParse((await store.read(hashedCustomIdKey(companyId, customIdHash)))?.data);
  return record.success ? utc(record.data.createdAtMs) : undefined;
}
