import { sweeper } from '../../lib/background/sweep-handler.ts';
import { sweep } from '../compose/aws-s3.ts';
import { beating } from '../compose/heartbeat.ts';

export const handler = beating(sweeper(sweep(), { now: Date.now }));
