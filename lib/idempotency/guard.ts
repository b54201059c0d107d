import type { Call } from '../service/port.ts';
import type { Write } from '../storage/port.ts';

/** What must still hold of the caller when its deletion is committed; `undefined` where nothing can have changed. */
export interface Guard {
  /** As its credentials were proved a while ago: asks nobody. `undefined` too where they do not tell. */
  presume(call: Call): Write | undefined;
  /** As it is now. @throws {Problem} where it does not hold any more */
  require(call: Call): Promise<Write | undefined>;
}

/** Nothing has to hold. */
export const NO_GUARD: Guard = { presume: () => undefined, require: async () => undefined };
