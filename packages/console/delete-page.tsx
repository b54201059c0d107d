import { useState } from 'preact/hooks';
import { type DeletionPlan, type Receipt, SegueError, type WhatToDelete } from '../client/index.ts';
import { Notice } from './design/status.tsx';
import { useLoaded } from './load.ts';
import { Failure, Heading, Show, Trail } from './page.tsx';
import { COUNTS, ReceiptFacts } from './receipt.tsx';
import { useClient } from './session.ts';

/** Deletes a project or a task: it shows the plan, asks for a typed confirmation, and shows the receipt. */
export function DeletePage({
  id,
  name,
  what,
  onCancel,
}: {
  readonly id: number;
  /** The name of the project. */
  readonly name: string;
  readonly what: WhatToDelete;
  readonly onCancel: () => void;
}) {
  const client = useClient();
  const [outdated, setOutdated] = useState<DeletionPlan>();
  const [receipt, setReceipt] = useState<Receipt>();
  const loaded = useLoaded(() => client.planDeletion(id, what), [outdated]);
  if (receipt) return <ReceiptPage receipt={receipt} />;
  return (
    <>
      <Trail
        above={[
          ['#/projects', 'Projects'],
          [`#/projects/${id}`, name, onCancel],
        ]}
        here={what === 'project' ? 'Delete' : 'Delete a task'}
      />
      <Heading title={what === 'project' ? `Delete project ${id}` : `Delete a task of project ${id}`}>
        {what === 'project' ? 'Delete' : 'Delete a task of'} “<bdi>{name}</bdi>”
      </Heading>
      <Show loaded={loaded}>
        {(plan) => (
          <Confirmation
            plan={plan}
            outdated={outdated}
            onCancel={onCancel}
            onConfirm={async () => {
              try {
                setReceipt(await finalReceipt(await client.deleteProject(id, what, { plan: plan.plan })));
              } catch (error) {
                if (!(error instanceof SegueError) || error.type !== 'plan-outdated') throw error;
                setOutdated(plan);
              }
            }}
          />
        )}
      </Show>
    </>
  );

  /** Waits for a deletion that continues in the background. */
  async function finalReceipt(first: Receipt): Promise<Receipt> {
    if (first.outcome !== 'pending') return first;
    return (await client.waitFor(first)).receipt ?? first;
  }
}

function Confirmation({
  plan,
  outdated,
  onCancel,
  onConfirm,
}: {
  readonly plan: DeletionPlan;
  readonly outdated: DeletionPlan | undefined;
  readonly onCancel: () => void;
  readonly onConfirm: () => Promise<void>;
}) {
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const expected = plan.taskId ?? plan.customId ?? String(plan.projectId);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    await onConfirm().catch(setError);
    setBusy(false);
  };
  return (
    <form class="form" onSubmit={submit}>
      {outdated && (
        <Notice kind="warning" isLive>
          The project changed after you opened the plan. Nothing was deleted. Check the new plan.
        </Notice>
      )}
      <Notice kind="warning" title="This cannot be undone. It removes, with all translations:">
        <ul>
          {typeof plan.taskId === 'string' && (
            <li>
              Task: <bdi>{plan.taskId}</bdi>
            </li>
          )}
          {COUNTS.map(([name, label]) => (
            <li key={name}>
              {label}: {plan.removes[name] ?? 'unknown'}
              {outdated && outdated.removes[name] !== plan.removes[name] && (
                <strong> (was {outdated.removes[name] ?? 'unknown'})</strong>
              )}
            </li>
          ))}
        </ul>
      </Notice>
      <label>
        <span>
          To confirm, type{' '}
          <code>
            <bdi>{expected}</bdi>
          </code>
        </span>
        <input
          value={typed}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      {error !== undefined && <Failure error={error} />}
      <p class="pager">
        <button type="submit" class="danger" disabled={isBusy || typed !== expected} aria-busy={isBusy}>
          {isBusy ? 'Deleting…' : 'Delete for ever'}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}

function ReceiptPage({ receipt }: { readonly receipt: Receipt }) {
  return (
    <>
      <Heading title="Receipt of the deletion" />
      <ReceiptFacts receipt={receipt} />
      <p>
        <a href="#/projects">All projects</a>
      </p>
    </>
  );
}
