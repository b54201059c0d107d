import { requireCompany } from '#platform';
import { prepareBulkTask } from '../../lib/workflow/bulk/prepare-bulk.ts';
import { manifests } from '../compose/aws-s3.ts';

export const handler = prepareBulkTask(manifests(), { now: Date.now, requireCompany });
