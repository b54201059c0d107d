/** For `vi.waitFor`: how long work in the background may take on a slow machine. A quick one does not wait for it. */
export const EVENTUALLY = { timeout: 30_000, interval: 50 } as const;
