import type { ItemStore } from '../storage/port.ts';
import type { CompanyRate } from './company-rate.ts';
import type { KeyDirectory } from './keys.ts';
import type { SigningKeys } from './signing-keys.ts';

/** What proving who somebody is stands on. */
export interface Authentication {
  readonly keys: KeyDirectory;
  /** Where families of tokens are kept. */
  readonly store: ItemStore;
  /**
   * The keys as they were a moment ago, or as they are now where one is named that was not among them.
   * @throws {Problem} `unavailable` where they cannot be read now
   */
  readonly signingKeys: (id?: string) => Promise<SigningKeys>;
  /** Counts sign-ins and refreshes against a company's rate; absent if there is none. */
  readonly rate?: CompanyRate | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A text that no other process gives, such as a UUID. */
  readonly newId: () => string;
}
