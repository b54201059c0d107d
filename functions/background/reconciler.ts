import { openReconciler } from '#service';
import { reconciler } from '../../lib/background/reconciler.ts';
import { beating } from '../compose/heartbeat.ts';

export const handler = beating(reconciler(await openReconciler(), { now: Date.now }));
