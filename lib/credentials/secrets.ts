import { Problem } from '../contract/problem.ts';

/** Reads one secret as it is kept now. Whatever its failures are, they go no further than a `CachedSecret`. */
export interface SecretReader {
  read(): Promise<string>;
}

/** A secret that was read and checked, kept for a while. */
export interface CachedSecret<T> {
  /**
   * The value. Callers at the same time share one reading.
   * @throws {Problem} `unavailable` where it cannot be read or has another shape; the next call reads again
   */
  read(): Promise<T>;
  /** Drops a value that was refused where it was used. A newer one that took its place meanwhile stays. */
  forget(refused: T): void;
}

export interface CacheOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** For how long a value is used, in milliseconds; 30 seconds unless given. */
  readonly maxAgeMs?: number;
}

/**
 * Keeps a secret that holds JSON.
 * @param parse checks the JSON value; it throws where the value has another shape
 */
export function cachedSecret<T>(
  reader: SecretReader,
  parse: (value: unknown) => T,
  { now, maxAgeMs = 30_000 }: CacheOptions,
): CachedSecret<T> {
  let kept: { readonly value: T; readonly askedAtMs: number } | undefined;
  let reading: Promise<T> | undefined;

  async function readAnew(): Promise<T> {
    const askedAtMs = now();
    const value = parseSecret(await readText(reader), parse);
    kept = { value, askedAtMs };
    return value;
  }

  return {
    async read() {
      if (kept && now() - kept.askedAtMs < maxAgeMs) return kept.value;
      reading ??= readAnew().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    forget(refused) {
      if (kept?.value === refused) kept = undefined;
    },
  };
}

/** A secret that is a setting of this machine. */
export function fixedSecret(text: string): SecretReader {
  return { read: async () => text };
}

/** Why a secret could not be read: nothing of the error but its name, since an SDK keeps what it received on it. */
class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
  readonly code: string;

  constructor(error: unknown) {
    super('A secret cannot be read');
    this.code = error instanceof Error ? error.name : typeof error;
  }
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
