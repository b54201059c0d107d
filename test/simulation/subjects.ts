import { Problem } from '../../lib/contract/problem.ts';
import { hostedService } from '../../lib/hosted/service.ts';
import type { SegueProcess, Subject } from './world.ts';

/** The hosted service on a store of its own, which is right without anything behind it. */
export const HOSTED: Subject = {
  isItself: true,
  make: ({ storage, now, random }): SegueProcess => ({
    ...hostedService({ storage, now, random }),
    operation: async () => {
      throw new Problem('operation-not-found', { detail: 'x' });
    },
    reconcile: async () => undefined,
  }),
};
