import { sweep } from '#platform';
import { sweeper } from '../../lib/doors/background/sweeper.ts';

export const handler = sweeper(sweep(), { now: Date.now });
