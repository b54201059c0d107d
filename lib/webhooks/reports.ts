import type { CommandReport, DeliveryReport, MessageReport, SourceReport } from '../contract/administration.ts';
import { utc } from '../contract/date.ts';
import { loadScheme } from '../signatures/load-scheme.ts';
import type { ChangedSince } from './changed-projects.ts';
import type { CommandRecord, Delivery, DeliveryRef, DeliveryState } from './delivery-records.ts';
import { identityOf } from './identify.ts';
import type { ListedSource, SourceFetch } from './sources.ts';

/** Returns the fields of a source as `reportSource`, with what makes two of its messages the same one. */
export async function reportWithIdentity(source: ListedSource): Promise<SourceReport> {
  const { identifiedBy } = await loadScheme(source.scheme);
  return { ...reportSource(source), identity: identityOf({ ...source, identifiedBy }) };
}

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
  const { failure, commands, fetched } = state;
  const stored = fetched?.isWhole ? { fetchedBytes: fetched.length } : {};
  const changed = changedSince && { changedSince };
  return {
    ...common,
    ...time,
    ...stored,
    ...failure,
    ...changed,
    ...(commands && { commands: numberCommands(commands) }),
  };
}

/** Returns what may be shown of a message: the names of its headers, and the size of its body. */
export function reportMessage({ headers, body }: Pick<Delivery, 'headers' | 'body'>): MessageReport {
  return { headers: Object.keys(headers), bytes: body.length };
}

/** Returns the state of each command of a message. Its position, from 1, stands in place of its id. */
export function numberCommands(commands: readonly CommandRecord[]): CommandReport[] {
  return commands.map(({ id: _, ...command }, index) => ({ command: index + 1, ...command }));
}
