import { ledger } from '#platform';
import { service } from '#service';
import { withHeartbeat } from '../../lib/background/heartbeat.ts';
import { reconciler } from '../../lib/background/reconciler.ts';

export const handler = withHeartbeat(reconciler(service.reconcile, { now: Date.now }), ledger, Date.now);
