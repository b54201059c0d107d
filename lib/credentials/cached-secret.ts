import { isDeepStrictEqual } from 'node:util';
import { elapsedMs } from '../contract/date.ts';
import { Problem } from '../contract/problem.ts';

/** Reads the text of one secret from its store. */
export type ReadSecret = () => Promise<string>;

/** A secret that was read and checked, cached for a while. */
export interface CachedSecret<T> {
  /**
   * Returns the value. Concurrent callers share one read. If the store fails, the last value is served for an hour, unless
   * the caller needs a fresh one.
   * @throws {Problem} `unavailable` if the secret cannot be read or has the wrong shape; the next call reads again
   */
  read(options?: { readonly mustBeFresh?: boolean }): Promise<T>;
  /**
   * Drops a value that a service rejected: the next call returns the result of a read that starts after this. If another
   * value was cached meanwhile, it stays.
   */
  forget(rejected: T): void;
  /**
   * Reads the secret again, for callers that need something that the cached value lacks, such as a new key. The read
   * starts after this call, and concurrent callers share it. After too many renewals in a short time, it returns what
   * `read` returns.
   * @throws {Problem} `unavailable` if the secret cannot be read; the cached value stays
   */
  renew(): Promise<T>;
}

export interface CacheOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long a value is used before it is read again, in milliseconds; 30 seconds unless given. */
  readonly maxAgeMs?: number;
  /** Called with the age in milliseconds of each value that is served although a read failed. */
  readonly onStale?: (ageMs: number, cause: unknown) => void;
}

interface Entry<T> {
  readonly value: T;
  /** When its read started, in milliseconds since 1970. */
  readonly readAtMs: number;
}

/** How long a value is served while it cannot be read. */
const MAX_STALE_MS = 3_600_000;

/** The pause after a failed read, so that a failing store does not get a read for every request. */
const RETRY_AFTER_MS = 5_000;

/** Renewals allowed within `maxAgeMs`, so that requests with unknown key ids do not each cause a read. */
const MAX_RENEWALS = 10;

/**
 * Caches a secret that contains JSON.
 * @param parse checks the JSON value; it throws if the value has the wrong shape
 */
export function cachedSecret<T>(
  readText: ReadSecret,
  parse: (value: unknown) => T,
  { now, maxAgeMs = 30_000, onStale = () => {} }: CacheOptions,
): CachedSecret<T> {
  let cached: Entry<T> | undefined;
  let reading: Promise<Entry<T>> | undefined;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let renewing: Promise<T> | undefined;
  let renewals = { count: 0, sinceMs: Number.NEGATIVE_INFINITY };

  async function readEntry(): Promise<Entry<T>> {
    const readAtMs = now();
    return { value: parseSecret(await readFrom(readText), parse), readAtMs };
  }

  async function readShared(): Promise<T> {
    reading ??= readEntry();
    const started = reading;
    try {
      const entry = await started;
      if (reading === started) cached = entry;
      return entry.value;
    } finally {
      if (reading === started) reading = undefined;
    }
  }

  /** Waits for the read in progress, which may return an older value, and reads again. */
  async function readNext(): Promise<T> {
    const started = reading;
    await started?.catch(() => {});
    if (reading === started) reading = undefined;
    renewing = undefined;
    return readShared();
  }

  async function read({ mustBeFresh = false } = {}): Promise<T> {
    const before = cached;
    if (!before) return readShared();
    const ageMs = elapsedMs(before.readAtMs, now());
    if (ageMs < maxAgeMs) return before.value;
    const mayBeStale = !mustBeFresh && ageMs < MAX_STALE_MS;
    if (mayBeStale && elapsedMs(failedAtMs, now()) < RETRY_AFTER_MS) return before.value;
    try {
      return await readShared();
    } catch (cause) {
      // If the value was forgotten meanwhile, a service rejected it.
      if (!mayBeStale || cached !== before) throw cause;
      failedAtMs = now();
      onStale(ageMs, cause);
      return before.value;
    }
  }

  return {
    read,
    renew() {
      if (renewing) return renewing;
      if (elapsedMs(renewals.sinceMs, now()) >= maxAgeMs) renewals = { count: 0, sinceMs: now() };
      if (renewals.count === MAX_RENEWALS) return read();
      renewals.count++;
      renewing = readNext();
      return renewing;
    },
    forget(rejected) {
      if (!isDeepStrictEqual(cached?.value, rejected)) return;
      cached = undefined;
      // It started before the rejection, and may return the rejected value.
      reading = undefined;
    },
  };
}

/** The cause of a failed read. It keeps only the error's code, because an SDK's error contains the response. */
class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
  readonly code: string;

  constructor(error: unknown) {
    super('A secret cannot be read');
    this.code = codeOf(error);
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

async function readFrom(readText: ReadSecret): Promise<string> {
  try {
    return await readText();
  } catch (error) {
    throw unavailable('Segue cannot read a secret at the moment.', new SecretUnreadable(error));
  }
}

function parseSecret<T>(text: string, parse: (value: unknown) => T): T {
  try {
    return parse(JSON.parse(text));
  } catch {
    // The errors of JSON.parse and of schemas quote the secret.
    throw unavailable('A secret of Segue has an invalid format.');
  }
}

function unavailable(detail: string, cause?: Error): Problem {
  return new Problem('unavailable', { detail, retryAfterSeconds: 5 }, { cause });
}
