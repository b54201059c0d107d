import { requireCompany } from '#platform';
import { openService } from '#service';
import { bulkLineTask } from '../../lib/workflow/bulk/run-line.ts';
import { manifests } from '../compose/aws-s3.ts';

const service = await openService();

export const handler = bulkLineTask(service, manifests().open, { now: Date.now, requireCompany });
