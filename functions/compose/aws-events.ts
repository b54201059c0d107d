import { eventBridgeClient, putEvents } from '../../lib/aws/event-bridge.ts';
import { queueClient, sendMessages } from '../../lib/aws/fifo-queue.ts';
import type { Events } from '../../lib/background/event-publisher.ts';
import { jobMessage } from '../../lib/background/job-queue.ts';
import { BATCHES_IN_TURN } from '../../lib/events/feed-positions.ts';
import { companyOfEvents } from '../../lib/records/outbox.ts';
import { deadlineAt } from '../../lib/service/deadline.ts';
import { items } from './aws-tables.ts';
import { openMover } from './events.ts';

/** The time for moving the events of one company, in milliseconds. */
const MOVE_MS = 60_000;

/**
 * Returns the functions that move events, that read a recorded event from the table, that publish events to the event
 * bus that `SEGUE_EVENT_BUS` names, and that put jobs on the queue that `SEGUE_JOB_QUEUE` names. Without a bus, no events
 * are published. Without a queue, there are no jobs.
 */
export function events(): Events {
  const bus = process.env['SEGUE_EVENT_BUS'];
  const records = items();
  const move = openMover();
  const jobQueue = process.env['SEGUE_JOB_QUEUE'];
  return {
    move(partition, wanted) {
      const maxBatches = wanted === 'all' ? undefined : BATCHES_IN_TURN;
      return move(companyOfEvents(partition), deadlineAt(Date.now() + MOVE_MS, Date.now), maxBatches);
    },
    read: (key) => records.read(key),
    ...(bus && { publish: publisherTo(bus) }),
    ...(jobQueue && { queueJobs: jobSender(jobQueue) }),
  };
}

function publisherTo(bus: string): NonNullable<Events['publish']> {
  const client = eventBridgeClient();
  return (published) => putEvents(bus, client, published);
}

function jobSender(queueUrl: string): NonNullable<Events['queueJobs']> {
  const client = queueClient({ now: Date.now });
  return (jobs) => sendMessages(queueUrl, client, jobs.map(jobMessage));
}
