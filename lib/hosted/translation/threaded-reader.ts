import { once } from 'node:events';
import { extname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { TextResult } from '../../service/translation-engine.ts';
import { type ContentReader, contentReader, lengthOfTranslated, type SentenceRules } from './content-reader.ts';
import { assembleRequest, type PreparedAnswer, preparedIn, type ReaderRequest } from './reader-messages.ts';

/** The limits of the thread. */
export interface ThreadLimits {
  readonly heapMiB: number;
  /** How long one batch of contents may take, in milliseconds. */
  readonly timeMs: number;
  /** How many threads may die of one batch. Fewer than 12 cannot find one bad content among thousands. */
  readonly deaths: number;
}

/** The largest content with as many pieces as are allowed needs half of the memory, and about a second. */
const LIMITS: ThreadLimits = { heapMiB: 96, timeMs: 20_000, deaths: 12 };
/** How long the thread may take to start, in milliseconds. */
const START_MS = 60_000;
/** The length of the contents of a batch, in UTF-16 code units. A longer content is a batch of its own. */
const BATCH_LENGTH = 65_536;
/** The length up to which a content, with its translations, is not sent to the thread, because that would take longer. */
const SHORT_LENGTH = 512;

/** The weight of the short contents that are remembered: those of a large project. */
const MAX_KNOWN_HERE = 50_331_648;

const TOO_COMPLEX: TextResult = { kind: 'failed', reason: 'too-complex' };

/**
 * Creates a reader that works in a thread of its own, which starts at the first use. If the thread reaches a limit, the
 * content for which it did so fails as `too-complex`, and the next use starts another. The process may end while it works.
 * @param program the file that the thread runs
 */
export function threadedReader(limits: ThreadLimits = LIMITS, program: URL = PROGRAM): ContentReader {
  const here = contentReader(MAX_KNOWN_HERE);
  const ask = askThread(limits, program);

  /** @param readThere returns nothing if the thread has died */
  async function read<T, R>(
    items: readonly T[],
    lengthOf: (item: T) => number,
    readHere: (some: readonly T[]) => Promise<readonly R[]>,
    readThere: (some: readonly T[]) => Promise<readonly R[] | undefined>,
  ): Promise<(R | TextResult)[]> {
    if (items.every((item) => isShort(lengthOf(item)))) return [...(await readHere(items))];
    const found = new Map<T, R>();
    const keep = (some: readonly T[], results: readonly R[]) => {
      for (const [index, item] of some.entries()) {
        const result = results[index];
        if (result !== undefined) found.set(item, result);
      }
    };
    const { short = [], other = [] } = Object.groupBy(items, (item) => (isShort(lengthOf(item)) ? 'short' : 'other'));
    keep(short, await readHere(short));
    for (const batch of batchesOf(other, lengthOf)) {
      const open = [batch];
      for (let deaths = 0, some = open.pop(); some; some = open.pop()) {
        const results = await readThere(some);
        if (results) keep(some, results);
        else if (++deaths > limits.deaths) throw new Error('The thread that reads contents dies again and again');
        // Each half is read alone, to find the content that is the cause. No content fails after a single death.
        else if (some.length > 1) open.push(some.slice(some.length / 2), some.slice(0, some.length / 2));
        else if (deaths === 1) open.push(some);
      }
    }
    return items.map((item) => found.get(item) ?? TOO_COMPLEX);
  }

  return {
    prepare: (contents, rules) =>
      read(
        contents,
        ({ length }) => length,
        (some) => here.prepare(some, rules),
        async (some) => {
          const answer = await ask<PreparedAnswer>({ kind: 'prepare', contents: some, rules: sendable(rules) });
          return answer && preparedIn(answer);
        },
      ),
    assemble: (contents, rules) =>
      read(
        contents,
        lengthOfTranslated,
        (some) => here.assemble(some, rules),
        (some) => ask<readonly TextResult[]>(assembleRequest(some, sendable(rules))),
      ),
  };
}

function isShort(length: number): boolean {
  return length <= SHORT_LENGTH;
}

/** Leaves out the functions of an engine, which cannot be sent to a thread. */
function sendable({ placeholderElement, limits: { textBytes, batchBytes } }: SentenceRules): SentenceRules {
  return { placeholderElement, limits: { textBytes, batchBytes } };
}

function batchesOf<T>(items: readonly T[], lengthOf: (item: T) => number): T[][] {
  const batches: T[][] = [];
  let left = 0;
  for (const item of items) {
    const length = lengthOf(item);
    left -= length;
    if (left >= 0) batches.at(-1)?.push(item);
    else {
      batches.push([item]);
      left = BATCH_LENGTH - length;
    }
  }
  return batches;
}

const PROGRAM = new URL(`./reader-program${extname(import.meta.url)}`, import.meta.url);

/**
 * The options of a process that would take the place of the limits of its threads. The heap of a thread that runs keeps its
 * own.
 */
const HEAP_OPTIONS = ['--max-old-space-size', '--initial-old-space-size', '--max-semi-space-size'];

/**
 * Returns a function that sends requests to a thread, one at a time, so that its death is the fault of one request. It
 * returns nothing if the thread has died, and rejects if no thread can be started.
 */
function askThread({ heapMiB, timeMs }: ThreadLimits, program: URL) {
  let running: Promise<Worker> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function start(): Promise<Worker> {
    for (const option of HEAP_OPTIONS) setFlagsFromString(`${option}=0`);
    const resourceLimits = { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: heapMiB / 4 };
    const worker = new Worker(program, { resourceLimits, env: {}, execArgv: [] });
    worker.unref();
    // An error also ends the thread, and `nextMessage` handles that.
    worker.on('error', () => {});
    await nextMessage(worker, START_MS);
    return worker;
  }

  async function ask<R>(request: ReaderRequest): Promise<R | undefined> {
    running ??= start();
    const worker = await running.catch((cause: unknown) => {
      running = undefined;
      throw new Error('The thread that reads contents does not start', { cause });
    });
    try {
      const answered = nextMessage<R>(worker, timeMs);
      worker.postMessage(request);
      return await answered;
    } catch {
      running = undefined;
      return undefined;
    }
  }

  return <R>(request: ReaderRequest): Promise<R | undefined> => {
    const answer = last.then(() => ask<R>(request));
    last = answer.catch(() => {});
    return answer;
  };
}

/** Waits for the next message of a thread. Rejects if the thread ends before, or does not answer in time. */
async function nextMessage<R>(worker: Worker, timeMs: number): Promise<R> {
  const ended = new AbortController();
  const { signal } = ended;
  const limit = setTimeout(() => void worker.terminate(), timeMs);
  limit.unref();
  const exited = once(worker, 'exit', { signal }).then(() => {
    throw new Error('The thread has ended');
  });
  try {
    const [answer] = await Promise.race([once(worker, 'message', { signal }), exited]);
    return answer;
  } finally {
    clearTimeout(limit);
    ended.abort();
  }
}
