import { type Deadline, raceDeadline, type Timer } from '../../service/deadline.ts';
import {
  EngineFailure,
  type EngineLimits,
  TEXT_FAILURE_REASONS,
  type TextFormat,
  type TextResult,
  type TranslationBatch,
  type TranslationEngine,
} from '../../service/translation-engine.ts';

export interface CallOptions {
  readonly deadline: Deadline;
  readonly signal?: AbortSignal | undefined;
  readonly timer: Timer;
}

/**
 * Calls an engine once. It returns or throws by the deadline, even if the engine does not.
 * @throws {EngineFailure} if there is no valid result for each text
 */
export async function callEngine(
  engine: TranslationEngine,
  batch: TranslationBatch,
  { deadline, signal, timer }: CallOptions,
): Promise<readonly TextResult[]> {
  const limit = { remainingMs: () => Math.min(deadline.remainingMs(), engine.limits.callMs) };
  if (signal?.aborted) throw new EngineFailure('aborted');
  if (limit.remainingMs() <= 0) throw new EngineFailure('timed-out');
  const ended = new AbortController();
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {});
  const abort = () => aborted.reject(new EngineFailure('aborted'));
  signal?.addEventListener('abort', abort);
  try {
    const call = { deadline: limit, signal: ended.signal };
    const work = Promise.race([Promise.resolve().then(() => engine.translate(batch, call)), aborted.promise]);
    const results = await raceDeadline(limit, work, timer, () => new EngineFailure('timed-out'));
    if (!areResults(results, batch.texts.length)) throw new EngineFailure('invalid-answer');
    return results;
  } catch (error) {
    throw error instanceof EngineFailure ? error : new EngineFailure('failed');
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

/** Divides texts of one format into batches that are within the limits. No text is longer than the limit of a text. */
export function batchesOf<T extends { readonly text: string }>(
  items: readonly T[],
  { texts, batchBytes }: Pick<EngineLimits, 'texts' | 'batchBytes'>,
): T[][] {
  const batches: T[][] = [];
  let bytes = 0;
  for (const item of items) {
    const length = Buffer.byteLength(item.text);
    const last = batches.at(-1);
    if (last && last.length < texts && bytes + length <= batchBytes) {
      last.push(item);
      bytes += length;
    } else {
      batches.push([item]);
      bytes = length;
    }
  }
  return batches;
}

/** Whether a text is longer than an engine accepts. */
export function isTooLong({ format, text }: { format: TextFormat; text: string }, limits: EngineLimits): boolean {
  const bytes = Buffer.byteLength(text);
  return bytes > limits.textBytes[format] || bytes > limits.batchBytes;
}
