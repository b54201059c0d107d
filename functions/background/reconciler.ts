import { service } from '#service';
import { reconciler } from '../../lib/background/reconciler.ts';
import { beating } from '../compose/heartbeat.ts';

export const handler = beating(reconciler(service.reconcile, { now: Date.now }));
