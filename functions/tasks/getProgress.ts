import { requireCompany } from '#platform';
import { openService } from '#service';
import { getProgressTask } from '../../lib/workflow/get-progress-task.ts';

const service = await openService();

export const handler = getProgressTask(service, { now: Date.now, requireCompany });
