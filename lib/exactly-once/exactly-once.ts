import { Problem } from '../contract/problem.ts';
import type { ItemStore, Key, Write } from '../storage/port.ts';
import { type Meaning, readRecord } from './record.ts';

/** How long a key is kept: longer than anybody retries. */
export const KEPT_MS = 7 * 86_400_000;

/** A request that must happen once, however often it is sent. */
export interface Once {
  readonly storage: ItemStore;
  /** Where its record is; see `recordKey`. */
  readonly key: Key;
  readonly meaning: Meaning;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long this attempt may work, in milliseconds. */
  readonly leaseMs: number;
}

/**
 * Makes the write that records the result. It belongs into the batch that has the effect, so that both happen or
 * neither: a later attempt has changed the record, and then the whole batch is refused.
 */
export type Settle = (result: unknown) => Write;

/** Thrown by work whose batch was refused because its claim is another attempt's by now. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** What became of a request: done now, or before by another attempt. */
export type Outcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'before'; readonly meaning: Meaning; readonly result: unknown };

/**
 * Does work once under a key. The key is claimed, the work's effect and its result are committed together, and whoever
 * comes later gets the result. Work that fails leaves the key free, unless it was committed after all and only the
 * answer was lost, or another attempt has done it: then the result is given.
 * @param work gets what makes the write that records its result, and the write that is refused where another attempt has
 *   taken over: for a batch that must be this attempt's and is no result
 * @throws {Problem} `request-in-progress` while another attempt is at work; whatever the work throws
 */
export async function once<T>(request: Once, work: (settle: Settle, held: Write) => Promise<T>): Promise<Outcome<T>> {
  const { storage, key, meaning, now, leaseMs } = request;
  for (;;) {
    const item = await storage.read(key);
    const kept = item && readRecord(item);
    const isLive = item !== undefined && (item.expiresAtMs ?? 0) > now();
    if (kept && isLive && kept.record.result !== undefined) {
      const { operation, fingerprint, result } = kept.record;
      return { kind: 'before', meaning: { operation, fingerprint }, result };
    }
    if (kept && isLive && kept.record.leaseEndsAtMs > now()) throw inProgress(kept.record.leaseEndsAtMs - now());
    const version = await claim();
    if (version === undefined) continue;
    try {
      const settle: Settle = (result) => write(version, { ...claimed(), result });
      return { kind: 'done', value: await work(settle, { kind: 'check', key, version }) };
    } catch (error) {
      if (!(error instanceof Overtaken) && (await release(version))) throw error;
    }

    /** @returns the version of the claim; `undefined` where somebody else was faster */
    async function claim(): Promise<number | undefined> {
      const commit = await storage.commit({ writes: [write(kept?.version, claimed())] });
      return commit.ok ? (kept?.version ?? 0) + 1 : undefined;
    }
  }

  function claimed() {
    return { ...meaning, leaseEndsAtMs: now() + leaseMs };
  }

  function write(version: number | undefined, data: unknown): Write {
    const content = { key, data, expiresAtMs: now() + KEPT_MS };
    return version === undefined ? { kind: 'insert', ...content } : { kind: 'replace', version, ...content };
  }

  /**
   * Ends a claim whose work failed. The record stays: were it removed, the next attempt would have the number of this
   * one, and what is still on its way of this one would pass for it.
   * @returns `false` where the claim is not this attempt's any more: then the work was committed and its answer lost,
   *   or it failed because another attempt has done it, and the record says which
   */
  async function release(version: number): Promise<boolean> {
    try {
      return (await storage.commit({ writes: [write(version, { ...meaning, leaseEndsAtMs: 0 })] })).ok;
    } catch {
      // The claim ends by itself, and what the work failed with is what the caller must know.
      return true;
    }
  }
}

/** Work mostly ends long before it has to: who waits asks again soon. */
const MOST_RETRY_SECONDS = 2;

function inProgress(leftMs: number): Problem {
  return new Problem('request-in-progress', {
    detail: 'Another request with this key is being worked on.',
    retryAfterSeconds: Math.min(MOST_RETRY_SECONDS, Math.max(1, Math.ceil(leftMs / 1_000))),
  });
}

/** Whether two requests under one key mean the same. */
export function isSame(one: Meaning, other: Meaning): boolean {
  return one.operation === other.operation && one.fingerprint === other.fingerprint;
}
