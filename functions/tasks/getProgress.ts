import { requireCompany } from '#platform';
import { openReads } from '#service';
import { getProgressTask } from '../../lib/workflow/get-progress-task.ts';

const service = await openReads();

export const handler = getProgressTask(service, { now: Date.now, requireCompany });
