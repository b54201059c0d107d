import { resultHandler } from '../../lib/destinations/result-sender.ts';
import { openResultSender } from '../compose/destinations.ts';

export const handler = resultHandler(await openResultSender(), { now: Date.now });
