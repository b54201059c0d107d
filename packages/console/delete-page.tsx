import { useState } from 'preact/hooks';
import { type DeletionPlan, type Receipt, SegueError, type WhatToDelete } from '../client/index.ts';
import { Notice } from './design/status.tsx';
import { forgetDrafts } from './drafts.ts';
import { useLoaded } from './load.ts';
import { Failure, Heading, Show, Trail } from './page.tsx';
import { counted } from './quote.tsx';
import { COUNTS, ReceiptFacts } from './receipt.tsx';
import { useClient } from './session.ts';
import { isTypable } from './values.ts';

/** Deletes a project or a task: it shows the plan, asks for a typed confirmation, and shows the receipt. */
export function DeletePage({
  id,
  name,
  what,
  onCancel,
  onDeleted,
}: {
  readonly id: number;
  /** The name of the project. */
  readonly name: string;
  readonly what: WhatToDelete;
  readonly onCancel: () => void;
  /** The user returns to the project of a deleted task. */
  readonly onDeleted: () => void;
}) {
  const client = useClient();
  const [outdated, setOutdated] = useState<DeletionPlan>();
  const [receipt, setReceipt] = useState<Receipt>();
  const loaded = useLoaded(() => client.planDeletion(id, what), [outdated]);
  if (receipt) return <ReceiptPage receipt={receipt} name={name} onDeleted={onDeleted} />;
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
            name={name}
            outdated={outdated}
            onCancel={onCancel}
            onConfirm={async () => {
              try {
                setReceipt(await finalReceipt(await client.deleteProject(id, what, { plan: plan.plan })));
                if (what === 'project') forgetDrafts(id);
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
  name,
  outdated,
  onCancel,
  onConfirm,
}: {
  readonly plan: DeletionPlan;
  readonly name: string;
  readonly outdated: DeletionPlan | undefined;
  readonly onCancel: () => void;
  readonly onConfirm: () => Promise<void>;
}) {
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [thing, expected] = confirmationOf(plan, name);
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
      <Notice kind="fault" title="This cannot be undone. It removes, with all translations:">
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
        <span>To confirm, type {thing}</span>
        <strong>
          <bdi>{expected}</bdi>
        </strong>
        <input
          value={typed}
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      {error !== undefined && <Failure error={error} />}
      <p class="pager">
        <button type="submit" class="danger" disabled={isBusy || !isSameText(typed, expected)} aria-busy={isBusy}>
          {isBusy ? 'Deleting…' : 'Delete for ever'}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}

/** Returns what a user types to confirm a deletion, and how it is called: the name, or an id if nobody can type the name. */
function confirmationOf(
  { taskId, customId, projectId }: DeletionPlan,
  name: string,
): readonly [thing: string, text: string] {
  const names =
    taskId === null
      ? ([
          ['the name of the project', name],
          ['the custom id of the project', customId ?? ''],
        ] as const)
      : ([['the id of the task', taskId]] as const);
  return names.find(([, text]) => isTypable(text)) ?? ['the number of the project', String(projectId)];
}

/** Whether two texts look the same. A keyboard may write an accent as a character of its own, and a space at the end. */
function isSameText(typed: string, expected: string): boolean {
  return typed.trim().normalize() === expected.normalize();
}

const OUTCOMES: Readonly<Record<Receipt['outcome'], readonly [heading: string, sentence: string]>> = {
  deleted: ['was deleted', 'This is gone for ever, with all translations: '],
  archived: ['was archived', 'The service that does the work keeps it in an archive: '],
  pending: ['is being deleted', 'The operation below says when this is gone: '],
};

interface ReceiptProps {
  readonly receipt: Receipt;
  /** The name of the project. */
  readonly name: string;
  readonly onDeleted: () => void;
}

/** Says what was deleted, what that means, and where to go next. */
function ReceiptPage({ receipt, name, onDeleted }: ReceiptProps) {
  const { taskId, projectId, removed, outcome } = receipt;
  const [heading, sentence] = OUTCOMES[outcome];
  const counts = COUNTS.flatMap(([part, , one]) => (removed[part] ? [counted(removed[part], one)] : []));
  return (
    <>
      <Heading title={`${taskId === null ? 'Project' : 'Task of project'} ${projectId} ${heading}`}>
        {taskId !== null && (
          <>
            The task “<bdi>{taskId}</bdi>” of{' '}
          </>
        )}
        “<bdi>{name}</bdi>” {heading}
      </Heading>
      {counts.length > 0 && (
        <p>
          {sentence}
          {counts.join(', ')}.
        </p>
      )}
      <p class="toolbar">
        {taskId === null ? (
          <a class="button main" href="#/projects">
            All projects
          </a>
        ) : (
          <a class="button main" href={`#/projects/${projectId}`} onClick={onDeleted}>
            Open the project
          </a>
        )}
        <a class="button" href="#/create">
          Create a project
        </a>
      </p>
      <h2>Receipt</h2>
      <ReceiptFacts receipt={receipt} />
    </>
  );
}
