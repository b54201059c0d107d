import { sweeper } from '../../lib/background/sweeper.ts';
import { sweep } from '../compose/aws-s3.ts';
import { beating } from '../compose/heartbeat.ts';

export const handler = beating(sweeper(sweep(), { now: Date.now }));
