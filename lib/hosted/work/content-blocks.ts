import * as z from 'zod/mini';
import { type ByteText, bytesIn, byteText } from '../../service/byte-text.ts';
import type { Item, Key, Storage, Write } from '../../storage/port.ts';
import { recordOf } from '../../storage/record.ts';
import { lastBegun } from '../last-begun.ts';
import { decodePayload, encodePayload, JsonPayload } from './json-payload.ts';

/**
 * Contents of a chunk by their offsets: each is a JSON string, as answers contain it. A slot without a translation is
 * missing, or has an empty text. Slots that were not read are missing too.
 */
export type ChunkContents = readonly (ByteText | undefined)[];

/**
 * The maximum number of bytes of contents that are read and written together, unless they are of one slot. Four times
 * the texts of the segments of a chunk.
 */
const BLOCK_BYTES = 262_144;
/**
 * The maximum number of blocks that one commit changes, and of small ones beside them that it joins; and the number of bytes
 * of new contents after which it ends. These are 7 removals and up to 21 insertions, which `MAX_OPERATIONS` allows.
 */
export const AT_ONCE = { blocks: 5, beside: 2, bytes: 524_288 };
/** The length of contents below which a block is small. */
const SMALL_BYTES = BLOCK_BYTES / 4;

/**
 * The schema of the blocks of a chunk, in the order of the slots: each has the number of its slots, its own number, and
 * the length of its contents in bytes. The number 0 stands for slots without contents, which need no item.
 */
export const Blocks = z.array(z.tuple([z.int(), z.int(), z.int()]));
export type Blocks = z.infer<typeof Blocks>;

/** The schema of the data of a block. Its payload has its lines. A block never changes. */
const BlockData = recordOf(() => ({ payload: JsonPayload }));
type BlockData = z.infer<typeof BlockData>;

/** Returns the prefix of the sort keys of all blocks of a project, from that of its chunks. */
export function blockPrefix(chunks: string): string {
  return `block/${chunks}`;
}

function blockKey({ partition, sort }: Key, number: number): Key {
  return { partition, sort: `${blockPrefix(sort)}/${number}` };
}

/** A block of a chunk, with the offset of its first slot. */
export interface Block {
  readonly from: number;
  readonly to: number;
  readonly number: number;
  readonly length: number;
}

/** Returns the blocks with their places. */
export function placed(blocks: Blocks): Block[] {
  let to = 0;
  return blocks.map(([slots, number, length]) => {
    const from = to;
    to += slots;
    return { from, to, number, length };
  });
}

/** Returns the block of a slot. */
export function blockAt(blocks: readonly Block[], offset: number): Block | undefined {
  const block = blocks[lastBegun(blocks, beginOf, offset)];
  return block && offset < block.to ? block : undefined;
}

const beginOf = ({ from }: Block) => from;

/** Reads the lines of a block; `undefined` if the chunk has changed since it was read. @param chunk the key of its chunk */
export async function readBlock(
  storage: Pick<Storage, 'readWithPayload'>,
  chunk: Key,
  { number }: Block,
): Promise<{ readonly lines: ChunkContents; readonly item?: Item } | undefined> {
  if (number === 0) return { lines: [] };
  const whole = await storage.readWithPayload(blockKey(chunk, number));
  if (!whole) return undefined;
  return { lines: linesIn(decodePayload(BlockData.parse(whole.item.data).payload, whole.bytes)), item: whole.item };
}

/** Returns the lines of a payload. JSON writes no line break inside a string. */
export function linesIn(bytes: Uint8Array): ChunkContents {
  const lines: (ByteText | undefined)[] = [];
  let offset = 0;
  for (const line of byteText(bytes).split('\n').slice(0, -1)) {
    if (line.startsWith('"')) lines[offset++] = line;
    else offset += line === '' ? 1 : Number(line);
  }
  return lines;
}

/**
 * Encodes lines as a payload: a line for each content, and one with the number of slots for those without contents in a
 * row, because few slots of a large project may be translated.
 */
export function encodeLines(lines: ChunkContents) {
  const written: ByteText[] = [];
  let empty = 0;
  for (let offset = 0; offset < lines.length; offset++) {
    const line = lines[offset];
    if (!line) {
      empty++;
      continue;
    }
    if (empty > 0) written.push(`${empty}`);
    written.push(line);
    empty = 0;
  }
  return encodePayload(bytesIn(`${written.join('\n')}\n`));
}

/** The lines of a chunk after a change. Few lines are stored with the chunk itself, and more in blocks. */
export interface ChangedLines {
  readonly lines?: ChunkContents;
  readonly blocks?: Blocks;
  /** The writes of blocks. */
  readonly writes: readonly Write[];
  /** Where the changes end: those of later slots need another commit. */
  readonly end: number;
}

/**
 * Changes lines of a chunk. Reads and writes only the blocks that have them, and joins small ones beside them.
 * @param chunk its key; its blocks; and the lines of a chunk that has only one block, which is the chunk itself
 * @param changes the new lines by their offsets, in ascending order
 * @param firstNumber a number that no block of the chunk has had, nor any above it
 * @returns `undefined` if the chunk has changed since it was read
 */
export async function changeLines(
  storage: Pick<Storage, 'readWithPayload'>,
  chunk: { readonly key: Key; readonly blocks: readonly Block[]; readonly lines?: ChunkContents },
  changes: ReadonlyMap<number, ByteText>,
  firstNumber: number,
): Promise<ChangedLines | undefined> {
  const { key, blocks } = chunk;
  const { opened, end } = openedBy(blocks, changes);
  const writes: Write[] = [];
  const after: Blocks = [];
  let number = firstNumber;
  let joined: (ByteText | undefined)[] = [];

  /** Divides the joined lines into blocks. */
  async function close(): Promise<void> {
    for (const lines of divide(joined)) {
      if (lines.every((line) => !line)) {
        after.push([lines.length, 0, 0]);
        continue;
      }
      const { payload, bytes } = await encodeLines(lines);
      after.push([lines.length, number, payload.length]);
      writes.push({ kind: 'insert', key: blockKey(key, number), data: { payload } satisfies BlockData, bytes });
      number++;
    }
    joined = [];
  }

  for (const block of blocks) {
    if (!opened.has(block)) {
      await close();
      after.push([block.to - block.from, block.number, block.length]);
      continue;
    }
    const read = chunk.lines ? { lines: chunk.lines } : await readBlock(storage, key, block);
    if (!read) return undefined;
    const first = joined.length;
    joined = joined.concat(read.lines);
    joined.length = first + block.to - block.from;
    for (const [offset, line] of changes) {
      if (offset >= block.from && offset < Math.min(block.to, end)) joined[first + offset - block.from] = line;
    }
    if (!read.item) continue;
    const { version, payload: drops } = read.item;
    writes.push({ kind: 'remove', key: blockKey(key, block.number), version, drops });
  }
  const isWhole = after.length === 0 && joined.reduce((sum, line = '') => sum + line.length + 1, 0) <= BLOCK_BYTES;
  if (isWhole) return { lines: joined, writes, end };
  await close();
  return { blocks: after, writes, end };
}

/** Selects the blocks that a change opens: those of its slots, and small ones beside them. */
function openedBy(
  blocks: readonly Block[],
  changes: ReadonlyMap<number, ByteText>,
): { readonly opened: ReadonlySet<Block>; readonly end: number } {
  const changed = new Set<Block>();
  let [bytes, end] = [0, Number.POSITIVE_INFINITY];
  for (const [offset, { length }] of changes) {
    const block = blockAt(blocks, offset);
    const isFull = bytes > AT_ONCE.bytes || (changed.size === AT_ONCE.blocks && block && !changed.has(block));
    if (isFull) {
      end = offset;
      break;
    }
    if (block) changed.add(block);
    bytes += length;
  }
  const opened = new Set(changed);
  for (const [index, block] of blocks.entries()) {
    if (opened.size === changed.size + AT_ONCE.beside) break;
    const beside = [blocks[index - 1], blocks[index + 1]];
    if (block.length < SMALL_BYTES && beside.some((each) => each && changed.has(each))) opened.add(block);
  }
  return { opened, end };
}

/** Divides lines so that each part has at most `BLOCK_BYTES`, or is one line. */
function* divide(lines: ChunkContents): Generator<ChunkContents, void> {
  let [from, bytes] = [0, 0];
  for (const [index, { length } = ''] of lines.entries()) {
    if (index > from && bytes + length + 1 > BLOCK_BYTES) {
      yield lines.slice(from, index);
      [from, bytes] = [index, 0];
    }
    bytes += length + 1;
  }
  if (from < lines.length) yield lines.slice(from);
}
