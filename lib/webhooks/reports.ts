import type { CommandReport, DeliveryReport, SourceReport } from '../contract/administration.ts';
import { utc } from '../contract/date.ts';
import type { ChangedSince } from './changed-projects.ts';
import type { CommandRecord, DeliveryRef, DeliveryState } from './delivery-records.ts';
import type { ListedSource, SourceFetch } from './sources.ts';

/** Returns the fields of a source that an operator may see. The id and the names of the stored secrets are left out. */
export function reportSource({ sourceId: _, secretsAt: __, fetch, ...shown }: ListedSource): SourceReport {
  return { ...shown, ...(fetch && { fetch: reportFetch(fetch) }) };
}

function reportFetch({ secretsAt, ...shown }: SourceFetch): NonNullable<SourceReport['fetch']> {
  return { ...shown, hasSecret: secretsAt !== undefined };
}

/**
 * Returns the fields of a delivery that hold no content: ids, times, and the result or the last failure.
 * @param changedSince what happened to the projects of a dead letter since its message was received
 */
export function reportDelivery(
  { source, id }: DeliveryRef,
  state: DeliveryState,
  changedSince?: ChangedSince,
): DeliveryReport {
  const { kind, companyId, receivedAtMs, attempts } = state;
  const common = { source, id, state: kind, companyId, receivedAtUtc: utc(receivedAtMs), attempts };
  if (kind === 'done') return { ...common, endedAtUtc: utc(state.endedAtMs), result: state.result };
  if (kind === 'dropped') return { ...common, endedAtUtc: utc(state.endedAtMs) };
  const time = kind === 'open' ? { nextAttemptAtUtc: utc(state.dueMs) } : { endedAtUtc: utc(state.endedAtMs) };
  const { failure, commands } = state;
  const changed = changedSince && { changedSince };
  return { ...common, ...time, ...failure, ...changed, ...(commands && { commands: numberCommands(commands) }) };
}

/** Returns the state of each command of a message. Its position, from 1, stands in place of its id. */
export function numberCommands(commands: readonly CommandRecord[]): CommandReport[] {
  return commands.map(({ id: _, ...command }, index) => ({ command: index + 1, ...command }));
}
