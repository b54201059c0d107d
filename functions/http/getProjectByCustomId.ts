import { service } from '#service';
import { getProjectByCustomId } from '../../lib/http/operations/get-project.ts';

export const handler = getProjectByCustomId(service, { now: Date.now });
