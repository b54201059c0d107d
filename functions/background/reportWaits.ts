import { waitHandler } from '../../lib/background/wait-handler.ts';
import { openWaitWorker } from '../compose/waits.ts';

export const handler = waitHandler(await openWaitWorker(), { now: Date.now });
