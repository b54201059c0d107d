import { utc } from '../contract/date.ts';
import type { DomainEvent } from '../contract/event.ts';
import { retentionMsOf } from '../contract/retentions.ts';
import type { Call } from '../service/port.ts';
import type { Write } from '../storage/port.ts';
import { partitionOf } from './keys.ts';

/** Whether anybody listens, and when it is. */
export interface Recorder {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A name for the record of what happened, which no other process gives; absent where nobody listens. */
  readonly newEventId?: (() => string) | undefined;
}

/** The record of what a commit does, for those who listen; it belongs into the commit's batch. */
export function eventOf(
  { now, newEventId }: Recorder,
  { companyId, requestId }: Pick<Call, 'companyId' | 'requestId'>,
  what: Pick<DomainEvent, 'type' | 'projectId' | 'taskId'>,
): Write[] {
  if (!newEventId) return [];
  const data: DomainEvent = { id: newEventId(), ...what, companyId, requestId, atUtc: utc(now()) };
  const key = { partition: partitionOf(companyId), sort: `event/${data.id}` };
  return [{ kind: 'insert', key, data, expiresAtMs: now() + retentionMsOf('event') }];
}
