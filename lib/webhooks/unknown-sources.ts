import { SOURCE_NAME, type SourceDirectory } from './sources.ts';

/** How long a name counts as unknown after no source had it, in milliseconds. A new source works after this time. */
const UNKNOWN_MS = 5_000;
/** The most names that are remembered. */
const MAX_NAMES = 1_000;

/**
 * Remembers for some seconds that a name is unknown, so that messages to it do not read the store each time. Anyone can
 * send such messages, because only the signature of a known source is checked.
 * @param now returns the time, in milliseconds since 1970
 */
export function rememberUnknown(
  { find }: Pick<SourceDirectory, 'find'>,
  now: () => number,
): Pick<SourceDirectory, 'find'> {
  /** When each name was unknown, in milliseconds since 1970; the oldest first. */
  const unknown = new Map<string, number>();
  return {
    async find(name) {
      if (!SOURCE_NAME.test(name)) return undefined;
      const sinceMs = unknown.get(name);
      if (sinceMs !== undefined && Math.abs(now() - sinceMs) < UNKNOWN_MS) return undefined;
      unknown.delete(name);
      const source = await find(name);
      if (source) return source;
      unknown.set(name, now());
      const [oldest] = unknown.keys();
      if (unknown.size > MAX_NAMES && oldest !== undefined) unknown.delete(oldest);
      return undefined;
    },
  };
}
