/** The timeout of a test that does much work, in milliseconds: it takes seconds, and minutes on a machine that is busy. */
export const MUCH_WORK_MS = 300_000;
