import { jsonTexts } from '../../service/byte-text.ts';
import type { Storage, Write } from '../../storage/port.ts';
import { MAX_OPERATIONS, operationsOf } from '../../storage/transaction-size.ts';
import {
  blocksOf,
  type ChunkData,
  firstVersion,
  readLines,
  type SlotChange,
  type TranslationChunk,
} from './chunk-item.ts';
import { AT_ONCE, type ChangedLines, changeLines, encodeLines } from './content-blocks.ts';
import { packStatuses, withStatuses } from './status-text.ts';

/** The writes of a change of a chunk. */
export interface ChunkChange {
  readonly writes: readonly Write[];
  /** The changes that the writes make. The others need another commit. */
  readonly changes: readonly SlotChange[];
}

/**
 * Makes the writes that change slots of a chunk.
 * @param wanted in ascending order of the offsets
 * @param edition that of the layout, if the chunk has its changes after these
 * @returns `undefined` if the chunk has changed since it was read
 */
export async function changeChunk(
  storage: Pick<Storage, 'readWithPayload' | 'readPayloadRange'>,
  chunk: TranslationChunk,
  wanted: readonly SlotChange[],
  edition: number,
): Promise<ChunkChange | undefined> {
  const { key, item, data } = chunk;
  const some = mostAtOnce(wanted);
  const changed = some.filter(({ content }) => content !== null);
  const texts = jsonTexts(changed.map(({ content }) => content ?? ''));
  const lines = new Map(
    changed.map(({ offset, content }, index) => [offset, content === undefined ? '' : (texts[index] ?? '')]),
  );
  const own = data.blocks ? undefined : await readLines(storage, chunk);
  if (!data.blocks && !own) return undefined;
  const present = {
    key,
    blocks: blocksOf(chunk),
    ...(own && { lines: own }),
  };
  const after: ChangedLines | undefined =
    lines.size === 0
      ? { ...(own ? { lines: own } : { blocks: data.blocks ?? [] }), writes: [], end: Number.POSITIVE_INFINITY }
      : await changeLines(storage, present, lines, ((item?.version ?? 0) + 1) * MAX_NUMBERS);
  if (!after) return undefined;
  const changes = some.filter(({ offset }) => offset < after.end);
  const offsets = new Set(changes.map(({ offset }) => offset));
  const isKept = ([offset]: [string, unknown]) => !offsets.has(Number(offset));
  const versions = Object.fromEntries(Object.entries(data.versions).filter(isKept));
  const problems = Object.fromEntries(Object.entries(data.problems).filter(isKept));
  const allLost = Object.fromEntries(Object.entries(data.lost ?? {}).filter(isKept));
  const outdated = Object.fromEntries(Object.entries(data.outdated ?? {}).filter(isKept));
  for (const { offset, status, version, problem, lost, isOutdated } of changes) {
    if (version !== firstVersion(status)) versions[offset] = version;
    if (isOutdated) outdated[offset] = true;
    if (problem !== undefined) problems[offset] = problem;
    if (lost !== undefined) allLost[offset] = lost;
  }
  const statuses = packStatuses(withStatuses(data.statuses, changes));
  const { payload, bytes } = await encodeLines(after.lines ?? []);
  const { blocks: _, outdated: __, edition: before = 0, ...others } = data;
  const { blocks } = after;
  const applied = changes.length === wanted.length ? edition : before;
  const written = {
    key,
    data: {
      ...others,
      statuses,
      versions,
      problems,
      ...(data.lost || Object.keys(allLost).length > 0 ? { lost: allLost } : undefined),
      payload,
      ...(blocks && { blocks }),
      ...(Object.keys(outdated).length > 0 && { outdated }),
      ...(applied > 0 && { edition: applied }),
    } satisfies ChunkData,
    bytes,
  };
  const write: Write = item
    ? { kind: 'replace', version: item.version, drops: item.payload, ...written }
    : { kind: 'insert', ...written };
  return { writes: [write, ...after.writes], changes };
}

/** Returns the first changes, as many as one commit can have at most, so that the others are not encoded in vain. */
function mostAtOnce(wanted: readonly SlotChange[]): readonly SlotChange[] {
  let length = 0;
  const end = wanted.findIndex(({ content }) => {
    const isFull = length > AT_ONCE.bytes;
    length += content?.length ?? 0;
    return isFull;
  });
  return end === -1 ? wanted : wanted.slice(0, end);
}

/** More than the blocks that one change can write: it makes the numbers of blocks unique by the version of the chunk. */
const MAX_NUMBERS = 10_000;

/** How many operations a commit leaves for what is beside the chunks: the work record, and an event. */
const OTHERS = 2;

/** Whether one commit can store the writes of several chunks. */
export function fitsInCommit(writes: readonly Write[]): boolean {
  return operationsOf(writes) + OTHERS <= MAX_OPERATIONS;
}

/** Changes chunks, several in one commit. */
export interface ChunkChanger {
  /**
   * Changes a chunk, in several commits if it has many long contents. The last changes are stored by `commit` only.
   * @param read reads the chunk as it stands
   * @param wantedIn selects the changes that the chunk does not have yet, in ascending order of the offsets
   * @returns `false` if the project or the chunk has changed since it was read
   */
  change(
    read: () => Promise<TranslationChunk> | TranslationChunk,
    wantedIn: (chunk: TranslationChunk) => readonly SlotChange[],
  ): Promise<boolean>;
  /** Stores the changes that wait. @returns `false` if the project or a chunk has changed since it was read */
  commit(): Promise<boolean>;
}

/**
 * @param held the condition of each commit
 * @param edition that of the layout, whose changes a chunk has after its change
 */
export function chunkChanger(storage: Storage, held: Write, edition: number): ChunkChanger {
  const waiting: Write[] = [];

  async function commit(): Promise<boolean> {
    const writes = waiting.splice(0);
    return writes.length === 0 || (await storage.commit({ writes: [held, ...writes] })).ok;
  }

  return {
    commit,
    async change(read, wantedIn) {
      for (;;) {
        const chunk = await read();
        const wanted = wantedIn(chunk);
        if (wanted.length === 0) return true;
        const change = await changeChunk(storage, chunk, wanted, edition);
        if (!change) return false;
        const { writes, changes } = change;
        if (!fitsInCommit([...waiting, ...writes]) && !(await commit())) return false;
        waiting.push(...writes);
        if (changes.length === wanted.length) return true;
        if (!(await commit())) return false;
      }
    },
  };
}
