import { sweep } from '#platform';
import { sweeper } from '../../lib/background/sweeper.ts';

export const handler = sweeper(sweep(), { now: Date.now });
