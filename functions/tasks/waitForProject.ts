import { ledger, requireCompany } from '#platform';
import { openReads } from '#service';
import { waitForProjectTask } from '../../lib/workflow/waits/wait-for-project-task.ts';
import { waitsIn } from '../../lib/workflow/waits/waits.ts';

const service = await openReads();

export const handler = waitForProjectTask(service, {
  now: Date.now,
  requireCompany,
  waits: waitsIn(ledger(), Date.now),
});
