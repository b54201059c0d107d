import type { DestinationReport, ResultReport } from '../contract/administration.ts';
import { utc } from '../contract/date.ts';
import { type ResultRef, type ResultState, resultIdOf } from './deliveries.ts';
import type { Destination } from './destinations.ts';

/** Returns the fields of a destination that an operator may see. The id and the name of the stored secret are left out. */
export function reportDestination({ destinationId: _, secretsAt: __, ...shown }: Destination): DestinationReport {
  return shown;
}

/** Returns the fields of a delivery to a destination: ids, times, sizes, and the last failure. They hold no content. */
export function reportResult(ref: ResultRef, state: ResultState): ResultReport {
  const { event, last, companyId, attempts } = state;
  const { projectId, languageCode } = event.data;
  const time = state.kind === 'open' ? { nextAttemptAtUtc: utc(state.dueMs) } : { endedAtUtc: utc(state.endedAtMs) };
  return {
    destination: state.name,
    id: resultIdOf(ref),
    state: state.kind,
    companyId,
    eventId: event.id,
    type: event.type,
    projectId,
    ...(languageCode !== undefined && { languageCode }),
    recordedAtUtc: event.timestamp,
    attempts,
    ...time,
    ...(state.kind === 'done' ? { end: state.end } : state.failure && { failure: state.failure }),
    ...(last && { lastRequest: last }),
  };
}
