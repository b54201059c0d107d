import { useState } from 'preact/hooks';
import type { Operation } from '../client/index.ts';
import { Field } from './design/fields.tsx';
import { Badge, type Tone } from './design/status.tsx';
import { useLoaded } from './load.ts';
import { Heading, Show } from './page.tsx';
import { ReceiptFacts } from './receipt.tsx';
import { useClient } from './session.ts';
import { text } from './values.ts';

/** Asks for the id of an operation. */
export function OperationsPage() {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const id = String(new FormData(event.currentTarget).get('id')).trim();
    location.hash = `#/operations/${encodeURIComponent(id)}`;
  };
  return (
    <form class="form" onSubmit={submit}>
      <Heading title="Operations" />
      <p>
        An answer, an error or a receipt names its operation. Use the id to see what became of a creation or deletion.
      </p>
      <Field label="Operation id" hint="For example from the answer to a request with Prefer: respond-async.">
        {(input) => <input {...input} name="id" required autocomplete="off" spellcheck={false} />}
      </Field>
      <button class="main" type="submit">
        Show
      </button>
    </form>
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
  const loaded = useLoaded(() => client.getOperation(id), [id, visit]);
  return (
    <>
      <Heading title="Operation" />
      <Show loaded={loaded}>
        {({ operationId, status, project, receipt, problem }) => (
          <>
            <dl class="facts">
              <dt>Id</dt>
              <dd>{operationId}</dd>
              <dt>Status</dt>
              <dd>
                <Badge tone={STATUS_TONES[status]}>{STATUS[status]}</Badge>
              </dd>
              {project && (
                <>
                  <dt>Project</dt>
                  <dd>
                    <a href={`#/projects/${project.id}`}>{text(project['name'])}</a>
                  </dd>
                </>
              )}
              {problem !== undefined && (
                <>
                  <dt>Problem</dt>
                  <dd>{problemText(problem)}</dd>
                </>
              )}
            </dl>
            {receipt && <ReceiptFacts receipt={receipt} />}
            {status === 'running' && (
              <button type="button" onClick={() => setVisit(visit + 1)}>
                Ask again
              </button>
            )}
          </>
        )}
      </Show>
    </>
  );
}

/** Returns the title and the detail of a problem. */
function problemText(problem: unknown): string {
  if (typeof problem !== 'object' || problem === null) return text(problem);
  const fields = new Map<string, unknown>(Object.entries(problem));
  return `${text(fields.get('title'))}. ${text(fields.get('detail'))}`;
}
