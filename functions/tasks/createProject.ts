import { readObject, requireCompany } from '#platform';
import { service } from '#service';
import { createProjectTask } from '../../lib/workflow/create-project.ts';

export const handler = createProjectTask(service, { readObject, now: Date.now, requireCompany });
