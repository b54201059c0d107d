import { LIMITS } from '../contract/limits.ts';
import { isTooLong } from '../contract/text.ts';
import { hashOf } from '../idempotency/project-item.ts';

/** Whose project it is, and how the caller and Segue tell it from others. */
export interface Named {
  readonly companyId: string;
  /** Whether the company has an account of its own: then its custom ids are nobody else's either. */
  readonly isOwnAccount: boolean;
  /** The caller's; `undefined` where it gave none. */
  readonly customId: string | undefined;
  readonly operationId: string;
}

/** How custom ids at the service begin, unless the operator has another word. */
export const DEFAULT_MARK = 'segue';
/** A mark is short, and has no dot: with a dot the company begins. */
export const MARK = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * The custom id that a project has at the service: always one, so that it can be found again after an answer that was
 * lost, and never one that two companies of one account could both have. Company and mark have no dot, and the letter
 * after them says what follows: the caller's custom id, its hash where that would be too long, or the operation.
 */
export function nameAtService(mark: string, { companyId, isOwnAccount, customId, operationId }: Named): string {
  const place = `${mark}.${companyId}`;
  if (customId === undefined) return `${place}.g.${operationId}`;
  if (isOwnAccount) return customId;
  const name = `${place}.n.${customId}`;
  return isTooLong(name, LIMITS.customIdCharacters) ? `${place}.h.${hashOf(customId)}` : name;
}

/** Whose project it is by its mark; `undefined` where it has none. */
export function companyInName(mark: string, name: string): string | undefined {
  return new RegExp(`^${mark}\\.([A-Za-z0-9_-]{1,64})\\.[ngh]\\.`).exec(name)?.[1];
}
