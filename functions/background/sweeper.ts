import { sweeper } from '../../lib/background/sweeper.ts';
import { sweep } from '../compose/aws-s3.ts';

export const handler = sweeper(sweep(), { now: Date.now });
