/** The longest time between two looks at a project, in milliseconds. */
export const LONGEST_PAUSE_MS = 300_000;

/** The shortest times between two looks at a project, in milliseconds. An upstream service is asked less often. */
export const WAIT_PAUSES_MS = { hosted: 60_000, upstream: LONGEST_PAUSE_MS } as const;
