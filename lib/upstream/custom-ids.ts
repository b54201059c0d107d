import { isTooLong } from '../contract/fields.ts';
import { LIMITS } from '../contract/limits.ts';
import { hashOf } from '../idempotency/project-item.ts';

/** How custom ids at the upstream service start by default. */
export const DEFAULT_CUSTOM_ID_PREFIX = 'segue';
/** A prefix is short and has no dot, because the company id follows after a dot. */
export const CUSTOM_ID_PREFIX = /^[A-Za-z0-9_-]{1,32}$/;

/** The custom id that a caller gave a project, and what makes it unique among companies. */
export interface CallerCustomId {
  readonly companyId: string;
  /** Whether the company has an upstream account of its own: then its custom ids are unique there. */
  readonly isOwnAccount: boolean;
  /** `undefined` if the caller gave none. */
  readonly customId: string | undefined;
  readonly operationId: string;
}

/**
 * The custom id of a project at the upstream service. Every project has one, so that it can be found after a lost
 * response, and two companies of one account never share one. Prefix and company id have no dots. The letter after them
 * tells what follows: `n` the caller's custom id, `h` its hash if it would be too long, `g` the operation id.
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

/** The company of a custom id that Segue made; `undefined` for any other custom id. */
export function companyOfUpstreamId(prefix: string, name: string): string | undefined {
  return new RegExp(`^${prefix}\\.([A-Za-z0-9_-]{1,64})\\.[ngh]\\.`).exec(name)?.[1];
}
