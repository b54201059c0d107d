import { withHeartbeat } from '../../lib/background/heartbeat.ts';
import { sweeper } from '../../lib/background/sweeper.ts';
import { items } from '../compose/aws.ts';
import { sweep } from '../compose/aws-s3.ts';

export const handler = withHeartbeat(sweeper(sweep(), { now: Date.now }), items, Date.now);
