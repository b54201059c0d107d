import { service } from '#service';
import { getOperation } from '../../lib/http/operations/get-operation.ts';

export const handler = getOperation(service, { now: Date.now });
