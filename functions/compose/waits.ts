import { ledger, requireCompany } from '#platform';
import { openReads, waitPauseMs } from '#service';
import { stepFunctionsTokens } from '../../lib/aws/step-functions.ts';
import { logLook } from '../../lib/background/wait-handler.ts';
import { waitWorker } from '../../lib/workflow/waits/wait-worker.ts';

/** Opens the worker that looks at the projects for which workflows wait. */
export async function openWaitWorker() {
  return waitWorker({
    store: ledger(),
    service: await openReads(),
    tokens: stepFunctionsTokens({ now: Date.now }),
    requireCompany,
    now: Date.now,
    pauseMs: waitPauseMs,
    onAttempt: logLook(),
  });
}
