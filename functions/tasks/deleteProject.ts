import { requireCompany } from '#platform';
import { openService } from '#service';
import { deleteProjectTask } from '../../lib/workflow/delete-project-task.ts';

const service = await openService();

export const handler = deleteProjectTask(service, { now: Date.now, requireCompany });
