import { isDeepStrictEqual } from 'node:util';
import { elapsedMs } from '../contract/elapsed.ts';
import { Problem } from '../contract/problem.ts';

/** Reads one secret as it is kept now. Whatever its failures are, they go no further than a `CachedSecret`. */
export interface SecretReader {
  read(): Promise<string>;
}

/** A secret that was read and checked, kept for a while. */
export interface CachedSecret<T> {
  /**
   * The value. Callers at the same time share one reading. While it cannot be read, the last value serves for an hour,
   * but not where it must be fresh.
   * @throws {Problem} `unavailable` where it cannot be read or has another shape; the next call reads again
   */
  read(options?: { readonly mustBeFresh?: boolean }): Promise<T>;
  /**
   * Drops a value that was refused where it was used: the next call gives what a reading gives that began after this.
   * Another value that took its place meanwhile stays.
   */
  forget(refused: T): void;
  /**
   * The value as a reading gives it that begins from now on, for whoever misses something in the one that is kept.
   * Callers at the same time share one reading. Where there were many of late, it is what `read` gives.
   * @throws {Problem} as `read` does where it cannot be read; the one that is kept stays
   */
  renew(): Promise<T>;
}

export interface CacheOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** For how long a value is used, in milliseconds; 30 seconds unless given. */
  readonly maxAgeMs?: number;
  /** For how long it is used while it cannot be read, in milliseconds; an hour unless given. */
  readonly maxStaleMs?: number;
  /** Told how old the value is that serves in place of one that cannot be read, in milliseconds. */
  readonly onStale?: (ageMs: number, cause: unknown) => void;
}

/** What was read, and when the reading began. */
interface Kept<T> {
  readonly value: T;
  readonly askedAtMs: number;
}

/** How long after a reading that failed nobody reads again: a service in trouble is not asked at every request. */
const RETRY_AFTER_MS = 5_000;

/** How often a value is renewed in the time for which it is used: whoever sends what nobody knows does not make us ask each time. */
const MOST_RENEWALS = 10;

/**
 * Keeps a secret that holds JSON.
 * @param parse checks the JSON value; it throws where the value has another shape
 */
export function cachedSecret<T>(
  reader: SecretReader,
  parse: (value: unknown) => T,
  { now, maxAgeMs = 30_000, maxStaleMs = 3_600_000, onStale = () => {} }: CacheOptions,
): CachedSecret<T> {
  let kept: Kept<T> | undefined;
  let reading: Promise<Kept<T>> | undefined;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let renewing: Promise<T> | undefined;
  let renewals = { count: 0, sinceMs: Number.NEGATIVE_INFINITY };

  async function readAnew(): Promise<Kept<T>> {
    const askedAtMs = now();
    return { value: parseSecret(await readText(reader), parse), askedAtMs };
  }

  async function readOnce(): Promise<T> {
    reading ??= readAnew();
    const begun = reading;
    try {
      const read = await begun;
      if (reading === begun) kept = read;
      return read.value;
    } finally {
      if (reading === begun) reading = undefined;
    }
  }

  /** After the reading that is under way, which may give what was before. */
  async function readNext(): Promise<T> {
    const begun = reading;
    await begun?.catch(() => {});
    if (reading === begun) reading = undefined;
    renewing = undefined;
    return readOnce();
  }

  async function read({ mustBeFresh = false } = {}): Promise<T> {
    const before = kept;
    if (!before) return readOnce();
    const ageMs = elapsedMs(before.askedAtMs, now());
    if (ageMs < maxAgeMs) return before.value;
    const mayBeStale = !mustBeFresh && ageMs < maxStaleMs;
    if (mayBeStale && elapsedMs(triedAtMs, now()) < RETRY_AFTER_MS) return before.value;
    try {
      return await readOnce();
    } catch (cause) {
      // Dropped meanwhile: somebody was refused with it.
      if (!mayBeStale || kept !== before) throw cause;
      triedAtMs = now();
      onStale(ageMs, cause);
      return before.value;
    }
  }

  return {
    read,
    renew() {
      if (renewing) return renewing;
      if (elapsedMs(renewals.sinceMs, now()) >= maxAgeMs) renewals = { count: 0, sinceMs: now() };
      if (renewals.count === MOST_RENEWALS) return read();
      renewals.count++;
      renewing = readNext();
      return renewing;
    },
    forget(refused) {
      if (!isDeepStrictEqual(kept?.value, refused)) return;
      kept = undefined;
      // It began before the refusal, and may give what was refused.
      reading = undefined;
    },
  };
}

/** A secret that is a setting of this machine. */
export function fixedSecret(text: string): SecretReader {
  return { read: async () => text };
}

/** Why a secret could not be read: nothing of the error but its code, since an SDK keeps what it received on it. */
class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
  readonly code: string;

  constructor(error: unknown) {
    super('A secret cannot be read');
    this.code = codeOf(error);
  }
}

/** A service's name of what went wrong, or Node's code of it, or the error's own name. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

async function readText(reader: SecretReader): Promise<string> {
  try {
    return await reader.read();
  } catch (error) {
    throw unavailable('A secret cannot be read now.', new SecretUnreadable(error));
  }
}

function parseSecret<T>(text: string, parse: (value: unknown) => T): T {
  try {
    return parse(JSON.parse(text));
  } catch {
    // The messages of JSON.parse and of schemas quote what they read.
    throw unavailable('A secret does not have the shape it should have.');
  }
}

function unavailable(detail: string, cause?: Error): Problem {
  return new Problem('unavailable', { detail, retryAfterSeconds: 5 }, { cause });
}
