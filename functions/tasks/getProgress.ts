import { requireCompany } from '#platform';
import { service } from '#service';
import { getProgressTask } from '../../lib/workflow/get-progress.ts';

export const handler = getProgressTask(service, { now: Date.now, requireCompany });
