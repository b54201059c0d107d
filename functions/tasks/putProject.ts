import { readObject, requireCompany } from '#platform';
import { openChanges } from '#service';
import { putProjectTask } from '../../lib/workflow/put-project-task.ts';

const service = await openChanges();

export const handler = putProjectTask(service, { readObject, now: Date.now, requireCompany });
