import { isTooLong } from '../contract/fields.ts';
import { LIMITS } from '../contract/limits.ts';
import { hashOf } from '../records/keys.ts';

/** The default prefix of Segue's custom ids at the upstream service. */
export const DEFAULT_CUSTOM_ID_PREFIX = 'segue';

/** The caller's custom id of a project, and the values that make it unique among companies. */
export interface CallerCustomId {
  readonly companyId: string;
  /** Whether the company has its own upstream account, in which its custom ids stay unchanged. */
  readonly isOwnAccount: boolean;
  /** The custom id that the caller gave; `undefined` if there is none. */
  readonly customId: string | undefined;
  readonly operationId: string;
}

/**
 * Returns the custom id of a project at the upstream service. Segue gives every project a custom id there, so that it
 * can find the project after a lost response. In a company's own account, the caller's custom id stays unchanged. Every
 * other custom id begins with the prefix and the company id, which contain no dots. So companies that share an account
 * never get the same custom id. The next letter tells what follows: `n` the caller's custom id; `h` its hash, if the
 * custom id would be too long; `g` the operation id, if the caller gave no custom id.
 */
export function upstreamCustomId(
  prefix: string,
  { companyId, isOwnAccount, customId, operationId }: CallerCustomId,
): string {
  const start = `${prefix}.${companyId}`;
  if (customId === undefined) return `${start}.g.${operationId}`;
  if (isOwnAccount) return customId;
  const name = `${start}.n.${customId}`;
  return isTooLong(name, LIMITS.customIdCharacters) ? `${start}.h.${hashOf(customId)}` : name;
}

/** Returns the company id in a custom id that Segue created, or `undefined` for any other custom id. */
export function companyOfUpstreamId(prefix: string, name: string): string | undefined {
  return new RegExp(`^${prefix}\\.([A-Za-z0-9_-]{1,64})\\.[ngh]\\.`).exec(name)?.[1];
}
