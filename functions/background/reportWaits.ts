import { ledger, requireCompany } from '#platform';
import { openReads, waitPauseMs } from '#service';
import { stepFunctionsTokens } from '../../lib/aws/step-functions.ts';
import { logLook, waitHandler } from '../../lib/background/wait-handler.ts';
import { waitWorker } from '../../lib/workflow/waits/wait-worker.ts';

const worker = waitWorker({
  store: ledger(),
  service: await openReads(),
  tokens: stepFunctionsTokens({ now: Date.now }),
  requireCompany,
  now: Date.now,
  pauseMs: waitPauseMs,
  onAttempt: logLook(),
});

export const handler = waitHandler(worker, { now: Date.now });
