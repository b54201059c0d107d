/** A slot that one holder has at a time. Those who wait get it in their order. */
export interface LargeSlot {
  /** Waits for the slot. @returns the function that frees it; a second call does nothing */
  take(): Promise<() => void>;
}

/** Creates a slot for large inputs. Several of them at once would need more memory than a process has. */
export function largeSlot(): LargeSlot {
  let last = Promise.resolve();
  return {
    async take() {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      await before;
      return resolve;
    },
  };
}
