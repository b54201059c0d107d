import { useState } from 'preact/hooks';
import type { Operation } from '../client/index.ts';
import { Field } from './design/fields.tsx';
import { Badge, Notice, type Tone } from './design/status.tsx';
import { Facts, ForOperators, When } from './facts.tsx';
import { useLast, useLoaded } from './load.ts';
import { nameOf, rememberNames, useProjectNames } from './names.ts';
import { rememberOperation, seenOperations } from './operations-seen.ts';
import { Heading, PageHead, Show, Trail } from './page.tsx';
import { ReceiptFacts } from './receipt.tsx';
import { useClient } from './session.ts';
import { count, text } from './values.ts';

/** Asks for the id of an operation, and lists those that the session has seen. */
export function OperationsPage() {
  const seen = seenOperations(useClient());
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const id = String(new FormData(event.currentTarget).get('id')).trim();
    location.hash = `#/operations/${encodeURIComponent(id)}`;
  };
  return (
    <div class="narrow">
      <Heading title="Operations" />
      <p>An operation is a creation, a change or a deletion. Its page says whether it took effect.</p>
      {seen.length > 0 && (
        <>
          <h2>Seen since you signed in</h2>
          <ul class="cards" aria-label="Seen operations">
            {seen.map(({ id, outcome }) => (
              <li key={id}>
                <a class="name" href={`#/operations/${id}`}>
                  {outcome}
                </a>
                <span class="quiet id">{id}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>Find an operation</h2>
      <form class="form" onSubmit={submit}>
        <Field label="Operation id" hint="Errors and receipts name it.">
          {(input) => <input {...input} name="id" required autocomplete="off" spellcheck={false} />}
        </Field>
        <button class="main" type="submit">
          Find
        </button>
      </form>
    </div>
  );
}

const STATUS: Readonly<Record<Operation['status'], string>> = {
  running: 'The result is not known yet',
  done: 'Done',
  failed: 'Failed',
};
const STATUS_TONES: Readonly<Record<Operation['status'], Tone>> = {
  running: 'info',
  done: 'ok',
  failed: 'fault',
};

/** One operation: whether it took effect, and what came of it. */
export function OperationPage({ id }: { readonly id: string }) {
  const client = useClient();
  const [visit, setVisit] = useState(0);
  const loaded = useLoaded(async () => {
    const operation = await client.getOperation(id);
    if (operation.project) rememberNames(client, [operation.project]);
    rememberOperation(client, { id, outcome: outcomeOf(operation) });
    return operation;
  }, [id, visit]);
  const last = useLast(loaded);
  return (
    <div class="narrow">
      <Trail above={[['#/operations', 'Operations']]} here="Operation" />
      <PageHead title={last ? outcomeOf(last) : 'Operation'}>
        {last?.project && (
          <a class="button main" href={`#/projects/${last.project.id}`}>
            Open the project
          </a>
        )}
        {last?.status === 'running' && (
          <button type="button" onClick={() => setVisit(visit + 1)}>
            Refresh
          </button>
        )}
      </PageHead>
      <Show loaded={loaded}>{(operation) => <Details operation={operation} />}</Show>
    </div>
  );
}

function Details({ operation }: { readonly operation: Operation }) {
  const { operationId, status, project, receipt, problem } = operation;
  const deletedTaskOf = receipt?.taskId === null ? undefined : receipt?.projectId;
  const projectName = useProjectNames(deletedTaskOf === undefined ? [] : [deletedTaskOf]);
  return (
    <>
      {problem !== undefined && <OperationProblem problem={problem} />}
      <Facts
        of={[
          ['State', <Badge tone={STATUS_TONES[status]}>{STATUS[status]}</Badge>],
          ['Project created', project && <When at={project['creationDateUtc']} />],
        ]}
      />
      {receipt && <ReceiptFacts receipt={receipt} />}
      {deletedTaskOf !== undefined && (
        <p>
          <a href={`#/projects/${deletedTaskOf}`}>
            <bdi>{projectName(deletedTaskOf) ?? `Project ${deletedTaskOf}`}</bdi>
          </a>
        </p>
      )}
      {!project && deletedTaskOf === undefined && <a href="#/projects">All projects</a>}
      <ForOperators title="Technical details">
        <Facts of={[['Id', <span class="id">{operationId}</span>]]} />
      </ForOperators>
    </>
  );
}

/** Says what an operation did. */
function outcomeOf({ status, outcome, project, receipt, translations, language }: Operation): string {
  if (status === 'failed') return 'Failed operation';
  if (receipt) return receipt.taskId === null ? 'Deletion of a project' : 'Deletion of a task';
  if (outcome === 'outdated') return 'Update that came too late';
  if (translations) return `${count(translations.length)} translations written`;
  if (language) return 'Change of a target language';
  if (project) return `“${nameOf(project)}” was saved`;
  return status === 'running' ? 'Operation at work' : 'Operation';
}

/** The title and the detail of a problem. */
function OperationProblem({ problem }: { readonly problem: unknown }) {
  if (typeof problem !== 'object' || problem === null) return <Notice kind="fault">{text(problem)}</Notice>;
  const fields = new Map<string, unknown>(Object.entries(problem));
  return (
    <Notice kind="fault" title={text(fields.get('title'))}>
      <p>{text(fields.get('detail'))}</p>
    </Notice>
  );
}
