import { service } from '#service';
import { reconciler } from '../../lib/background/reconciler.ts';

export const handler = reconciler(service.reconcile, { now: Date.now });
