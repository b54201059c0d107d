/** The timeout of a test that does much work, in milliseconds. It takes seconds, and minutes on a busy machine. */
export const MUCH_WORK_MS = 300_000;
