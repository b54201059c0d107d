/** Options of `vi.waitFor` for background work on a slow machine. A fast machine does not wait that long. */
export const EVENTUALLY = { timeout: 30_000, interval: 50 } as const;
