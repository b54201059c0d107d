import { service } from '#service';
import { deleteProjectByCustomId } from '../../lib/http/operations/delete-project.ts';

export const handler = deleteProjectByCustomId(service, { now: Date.now });
