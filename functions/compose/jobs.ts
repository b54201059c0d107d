import { setTimeout } from 'node:timers/promises';
import { credentials, newEventId, openContentReader, storage } from '#platform';
import { lazy } from '../../lib/contract/lazy.ts';
import { findCompany } from '../../lib/credentials/company-record.ts';
import type { DueWorker } from '../../lib/deliveries/due-worker.ts';
import type { JobRef } from '../../lib/deliveries/jobs.ts';
import {
  type JobWorkerDeps,
  jobWorker,
  logFailedTranslation,
  logJob,
  logTranslated,
} from '../../lib/hosted/work/job-worker.ts';
import { EngineFailure } from '../../lib/service/translation-engine.ts';
import { translation, translationEngine } from './translation.ts';

/**
 * Opens the worker of the hosted service. The first translation loads the engine.
 * @param options `stop` ends the calls of the translation engine when the process stops
 */
export function openJobWorker(options: Pick<JobWorkerDeps, 'stop' | 'lookAgainMs'> = {}): DueWorker<JobRef> {
  return jobWorker({
    storage: storage(),
    now: Date.now,
    sleep: setTimeout,
    newEventId,
    translate,
    charactersPerDay: translation().charactersPerDay,
    charactersPerDayOf: async (companyId) =>
      (await findCompany(credentials(), companyId))?.record.limits?.automaticCharacters,
    onAttempt: logJob(),
    onTranslated: logTranslated(),
    onFailed: logFailedTranslation(),
    ...options,
  });
}

const layer = /* @__PURE__ */ lazy(() => import('../../lib/hosted/translation/translate-segments.ts'));
const reader = /* @__PURE__ */ lazy(openContentReader);

const translate: JobWorkerDeps['translate'] = async (request) => {
  const engine = await translationEngine();
  if (engine) return (await layer()).translateSegments(engine, await reader(), request);
  const results = request.texts.map(() => ({ kind: 'pending' }) as const);
  return { results, usedCharacters: 0, failure: new EngineFailure('no-engine') };
};
