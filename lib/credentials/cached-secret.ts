import { isDeepStrictEqual } from 'node:util';
import { elapsedMs } from '../contract/date.ts';
import { Problem } from '../contract/problem.ts';

/** Reads the text of one secret from its store. */
export type ReadSecret = () => Promise<string>;

/** The cache of one secret. It keeps the parsed value of the secret for a while. */
export interface CachedSecret<T> {
  /**
   * Returns the value of the secret. Concurrent callers share one read. If the store fails, it returns the last value
   * for up to an hour, unless `mustBeFresh` is set.
   * @throws {Problem} `unavailable` if the secret cannot be read or has the wrong shape; the next call reads again
   */
  read(options?: { readonly mustBeFresh?: boolean }): Promise<T>;
  /**
   * Removes a value that a service rejected, so that the next `read` reads the secret again. If the cache already has
   * another value, nothing changes.
   */
  forget(rejected: T): void;
  /**
   * Reads the secret again, for callers that need a newer value than the cached one, such as a new key. The read starts
   * after the call, and concurrent callers share it. After too many renewals within `maxAgeMs`, it returns the result
   * of `read`.
   * @throws {Problem} `unavailable` if the secret cannot be read; the cached value stays
   */
  renew(): Promise<T>;
}

export interface CacheOptions {
  /** Returns the current time, in milliseconds since 1970. */
  readonly now: () => number;
  /** How long a cached value is used before the secret is read again, in milliseconds. Default: 30,000. */
  readonly maxAgeMs?: number;
  /**
   * Called if an old value is returned because a read failed: with the age of the value in milliseconds, and the error.
   */
  readonly onStale?: (ageMs: number, cause: unknown) => void;
}

interface Entry<T> {
  readonly value: T;
  /** When the read of the value started, in milliseconds since 1970. */
  readonly readAtMs: number;
}

/** How long an old value is returned if the secret cannot be read, in milliseconds. */
const MAX_STALE_MS = 3_600_000;

/** The pause after a failed read, in milliseconds. Without it, every request would read from the failing store. */
const RETRY_AFTER_MS = 5_000;

/**
 * The maximum number of renewals within `maxAgeMs`. Without it, each request with an unknown key id would cause a read.
 */
const MAX_RENEWALS = 10;

/**
 * Creates the cache of a secret whose text is JSON.
 * @param parse converts the JSON value; it throws if the value has the wrong shape
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
      // If the cache has dropped the value in the meantime, a service rejected it: do not return it.
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
      // A read in progress started before the rejection, and may return the rejected value.
      reading = undefined;
    },
  };
}

/**
 * The error of a failed read. It keeps only the code of the original error, because errors of the AWS SDK contain the
 * response.
 */
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
    throw unavailable('A secret of Segue has an invalid format. The operator of Segue must correct it.');
  }
}

function unavailable(detail: string, cause?: Error): Problem {
  return new Problem('unavailable', { detail, retryAfterSeconds: 5 }, { cause });
}
