import { requireCompany } from '#platform';
import { service } from '#service';
import { deleteProjectTask } from '../../lib/doors/workflow/delete-project.ts';

export const handler = deleteProjectTask(service, { now: Date.now, requireCompany });
