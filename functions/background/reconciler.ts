import { openService } from '#service';
import { reconciler } from '../../lib/background/reconciler.ts';
import { beating } from '../compose/heartbeat.ts';

const service = await openService();

export const handler = beating(reconciler(service.reconcile, { now: Date.now }));
