import { jobHandler } from '../../lib/background/job-queue.ts';
import { openJobWorker } from '../compose/jobs.ts';

/** The pause before the next look at a project that another run has, in milliseconds. A run can take minutes. */
const LOOK_AGAIN_MS = 30_000;

export const handler = jobHandler(openJobWorker({ lookAgainMs: LOOK_AGAIN_MS }), { now: Date.now });
