import { requireCompany } from '#platform';
import { service } from '#service';
import { deleteProjectTask } from '../../lib/workflow/delete-project.ts';

export const handler = deleteProjectTask(service, { now: Date.now, requireCompany });
