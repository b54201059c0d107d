import { sweeper } from '../../lib/background/sweeper.ts';
import { sweep } from '../compose/aws-sdk.ts';

export const handler = sweeper(sweep(), { now: Date.now });
