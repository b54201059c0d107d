import { requireCompany } from '#platform';
import { openChanges } from '#service';
import { deleteProjectTask } from '../../lib/workflow/delete-project-task.ts';

const service = await openChanges();

export const handler = deleteProjectTask(service, { now: Date.now, requireCompany });
