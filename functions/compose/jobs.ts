import { setTimeout } from 'node:timers/promises';
import { newEventId, storage } from '#platform';
import type { DueWorker } from '../../lib/background/due-worker.ts';
import { pseudoEngine } from '../../lib/hosted/translation/engines/pseudo.ts';
import { translateSegments } from '../../lib/hosted/translation/translate-segments.ts';
import { jobWorker, logFailedJob } from '../../lib/hosted/work/job-worker.ts';
import type { JobRef } from '../../lib/hosted/work/jobs.ts';

/**
 * Opens the worker of the hosted service.
 * @param stop ends the calls of the translation engine when the process stops
 */
export function openJobWorker(stop?: AbortSignal): DueWorker<JobRef> {
  return jobWorker({
    storage: storage(),
    now: Date.now,
    sleep: setTimeout,
    newEventId,
    translate: (request) => translateSegments(pseudoEngine, request),
    onFailure: logFailedJob(),
    stop,
  });
}
