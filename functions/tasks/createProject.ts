import { readObject, requireCompany } from '#platform';
import { openChanges } from '#service';
import { createProjectTask } from '../../lib/workflow/create-project-task.ts';

const service = await openChanges();

export const handler = createProjectTask(service, { readObject, now: Date.now, requireCompany });
