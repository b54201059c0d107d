import type { Receipt } from '../client/index.ts';
import { When } from './facts.tsx';
import { text } from './values.ts';

/** What a deletion removes, and how several and one of it are called. */
export const COUNTS = [
  ['targetLanguages', 'Target languages', 'target language'],
  ['segments', 'Segments', 'segment'],
  ['tasks', 'Tasks', 'task'],
] as const;

const OUTCOMES: Readonly<Record<Receipt['outcome'], string>> = {
  deleted: 'Deleted',
  archived: 'Archived by the upstream service',
  pending: 'The deletion has not finished',
};

/** What a deletion removed, when, and for whom. */
export function ReceiptFacts({ receipt }: { readonly receipt: Receipt }) {
  return (
    <dl class="facts">
      <dt>Outcome</dt>
      <dd>{OUTCOMES[receipt.outcome]}</dd>
      <dt>Project</dt>
      <dd>
        <bdi>{receipt.customId ?? `Project ${receipt.projectId}`}</bdi>{' '}
        <span class="quiet id">{receipt.projectId}</span>
      </dd>
      {receipt.taskId !== null && (
        <>
          <dt>Task</dt>
          <dd>
            <bdi>{receipt.taskId}</bdi>
          </dd>
        </>
      )}
      <dt>Deleted</dt>
      <dd>
        <When at={receipt.deletedAtUtc} />
      </dd>
      {COUNTS.map(([name, label]) => (
        <>
          <dt>{label}</dt>
          <dd>{receipt.removed[name] ?? 'Unknown'}</dd>
        </>
      ))}
      <dt>Requested by</dt>
      <dd>
        {receipt.requestedBy.kind} {text(receipt.requestedBy.id)}
      </dd>
      {receipt.operationId !== undefined && (
        <>
          <dt>Operation</dt>
          <dd>
            <a href={`#/operations/${receipt.operationId}`}>{receipt.operationId}</a>
          </dd>
        </>
      )}
    </dl>
  );
}
