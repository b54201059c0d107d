import { type Deadline, raceDeadline, type Timer } from '../../service/deadline.ts';
import {
  type CharacterBudget,
  characterCount,
  EngineFailure,
  type EngineFailureCode,
  type EngineLimits,
  TEXT_FAILURE_REASONS,
  type TextFormat,
  type TextResult,
  type TranslationBatch,
  type TranslationEngine,
} from '../../service/translation-engine.ts';
import { eachInTurns } from '../../service/turn.ts';

export interface CallOptions {
  readonly deadline: Deadline;
  readonly signal?: AbortSignal | undefined;
  readonly timer: Timer;
  /** Reserves the characters of the call. */
  readonly reserve: CharacterBudget['reserve'];
}

/** The failures with which an engine refuses a call before it translates, so that it charges nothing. */
const FREE: readonly EngineFailureCode[] = ['busy', 'unauthorized', 'quota-exceeded', 'unsupported-pair', 'no-engine'];

/**
 * Calls an engine once, and reserves the characters before. It returns or throws by the deadline, even if the engine does
 * not. The reservation stays unless the engine certainly charges nothing.
 * @throws {EngineFailure} if there is no valid result for each text
 */
export async function callEngine(
  engine: TranslationEngine,
  batch: TranslationBatch,
  { deadline, signal, timer, reserve }: CallOptions,
): Promise<readonly TextResult[]> {
  const limit = { remainingMs: () => Math.min(deadline.remainingMs(), engine.limits.callMs) };
  const requireTime = () => {
    if (signal?.aborted) throw new EngineFailure('aborted');
    if (limit.remainingMs() <= 0) throw new EngineFailure('timed-out');
  };
  requireTime();
  const giveBack = await reserve(characterCount(batch.texts));
  let isSent = false;
  const ended = new AbortController();
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  const abort = () => aborted.reject(new EngineFailure('aborted'));
  signal?.addEventListener('abort', abort);
  try {
    requireTime();
    isSent = true;
    const call = { deadline: limit, signal: ended.signal };
    const work = Promise.race([Promise.resolve().then(() => engine.translate(batch, call)), aborted.promise]);
    const results = await raceDeadline(limit, work, timer, () => new EngineFailure('timed-out'));
    if (!areResults(results, batch.texts.length)) throw new EngineFailure('invalid-answer');
    return results;
  } catch (error) {
    const failure = error instanceof EngineFailure ? error : new EngineFailure('failed');
    if (!isSent || FREE.includes(failure.code)) giveBack();
    throw failure;
  } finally {
    signal?.removeEventListener('abort', abort);
    // A reason of its own: making the default one takes longer than the rest of this function.
    ended.abort(new EngineFailure('aborted'));
  }
}

/**
 * Whether an engine answered with one result for each text. Every answer is checked, because a result for the wrong text
 * would be a wrong translation. A schema would need more time than some engines.
 */
function areResults(value: unknown, count: number): value is readonly TextResult[] {
  return Array.isArray(value) && value.length === count && value.every(isResult);
}

function isResult(value: unknown): value is TextResult {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  if (value.kind === 'translated') return 'text' in value && typeof value.text === 'string';
  return value.kind === 'failed' && 'reason' in value && TEXT_FAILURE_REASONS.some((one) => one === value.reason);
}

/**
 * Divides texts of one format into batches that are within the limits. No text is longer than the limit of a text. Other
 * work has turns in between.
 */
export async function batchesOf<T extends { readonly text: string }>(
  items: readonly T[],
  { texts, batchBytes }: Pick<EngineLimits, 'texts' | 'batchBytes'>,
): Promise<T[][]> {
  const batches: T[][] = [];
  let bytes = 0;
  await eachInTurns(items, (item) => {
    const length = Buffer.byteLength(item.text);
    const last = batches.at(-1);
    if (last && last.length < texts && bytes + length <= batchBytes) {
      last.push(item);
      bytes += length;
    } else {
      batches.push([item]);
      bytes = length;
    }
  });
  return batches;
}

/** Whether a text is longer than an engine accepts. */
export function isTooLong(
  { format, text }: { format: TextFormat; text: string },
  limits: Pick<EngineLimits, 'textBytes' | 'batchBytes'>,
): boolean {
  const bytes = Buffer.byteLength(text);
  return bytes > limits.textBytes[format] || bytes > limits.batchBytes;
}
