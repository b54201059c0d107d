import { readObject, requireCompany } from '#platform';
import { openService } from '#service';
import { createProjectTask } from '../../lib/workflow/create-project-task.ts';

const service = await openService();

export const handler = createProjectTask(service, { readObject, now: Date.now, requireCompany });
