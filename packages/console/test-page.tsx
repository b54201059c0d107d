import { useState } from 'preact/hooks';
import type {
  DestinationReport,
  TestEndReport,
  TestReport,
  TestRequestReport,
  TestSent,
} from '../client/administration.ts';
import { Field } from './design/fields.tsx';
import { Notice } from './design/status.tsx';
import { ForOperators } from './facts.tsx';
import { useLoaded } from './load.ts';
import { Failure, Heading, Show, Trail } from './page.tsx';
import { useAdministration } from './session.ts';
import { count } from './values.ts';
import { REASONS, REFUSALS, wordsFor } from './words.ts';

/** A project and one of its languages, for a test. */
interface Sample {
  readonly project: string;
  readonly language: string;
}

/** Tests a destination with a project: it shows the requests, and sends them only if the user confirms. */
export function TestPage({ name }: { readonly name: string }) {
  const administration = useAdministration();
  const loaded = useLoaded(() => administration.getDestination(name), [name]);
  const above = [
    ['#/destinations', 'Destinations'],
    [`#/destinations/${encodeURIComponent(name)}`, name],
  ] as const;
  return (
    <>
      <Trail above={above} here="Test" />
      <Heading title={`Test ${name}`} />
      <p>See the requests that the destination would send for a project now. Nothing is sent before you confirm.</p>
      <Show loaded={loaded}>{(destination) => <Test destination={destination} />}</Show>
    </>
  );
}

function Test({ destination }: { readonly destination: DestinationReport }) {
  const administration = useAdministration();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [shown, setShown] = useState<Sample & { readonly test: TestReport }>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = new FormData(event.currentTarget);
    const sample = { project: String(fields.get('project')).trim(), language: String(fields.get('language')).trim() };
    setBusy(true);
    setError(undefined);
    setShown(undefined);
    try {
      setShown({ ...sample, test: await administration.showTest(destination.name, sample.project, sample.language) });
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return (
    <>
      <form class="form" onSubmit={submit}>
        <Field label="Project id or custom id">
          {(input) => <input {...input} name="project" required autocomplete="off" spellcheck={false} />}
        </Field>
        <Field label="Target language" hint="Its code, for example de-DE.">
          {(input) => <input {...input} name="language" required autocomplete="off" spellcheck={false} />}
        </Field>
        <button type="submit" disabled={isBusy} aria-busy={isBusy}>
          {isBusy ? 'Reading…' : 'Show the requests'}
        </button>
      </form>
      {error !== undefined && <Failure error={error} />}
      {shown && <Shown destination={destination} sample={shown} first={shown.test} />}
    </>
  );
}

interface ShownProps {
  readonly destination: DestinationReport;
  readonly sample: Sample;
  readonly first: TestReport;
}

/** The requests of a test, and the button that sends them. */
function Shown({ destination, sample, first }: ShownProps) {
  const administration = useAdministration();
  const [test, setTest] = useState(first);
  const [sent, setSent] = useState<TestSent>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { requests, faults, refusal } = test;
  const send = async (shown: string) => {
    setBusy(true);
    setError(undefined);
    try {
      const answer = await administration.sendTest(destination.name, sample.project, sample.language, shown);
      setSent(answer);
      setTest(answer.test);
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return (
    <section aria-label="Requests">
      {sent?.sent === false && refusal === undefined && (
        <Notice kind="warning" isLive>
          The translations or the destination changed after you saw the requests. Nothing was sent. Check what would be
          sent now.
        </Notice>
      )}
      {refusal !== undefined && (
        <Notice kind="fault" isLive>
          {sent && 'Nothing was sent. '}
          {wordsFor(REFUSALS, refusal)}
        </Notice>
      )}
      {faults.length > 0 && <Faults faults={faults} />}
      {refusal === undefined && faults.length === 0 && (
        <p role="status">
          {requests.length === 0
            ? 'The mapping makes no requests for this project. The operator can change the mapping.'
            : `${counted(requests.length)}. ${stateOf(sent, error)}`}
        </p>
      )}
      {requests.length > 0 && (
        <ol class="cards" aria-label="Requests">
          {requests.map((request, index) => (
            <li key={index}>
              <ShownRequest request={request} secretHeader={destination.secretHeader} />
              {sent?.sent && <End end={sent.ends[index]} />}
            </li>
          ))}
        </ol>
      )}
      {error !== undefined && <Failure error={error} />}
      {test.test !== undefined && !sent?.sent && (
        <Confirmation
          key={test.test}
          hasSecret={destination.secretHeader !== undefined}
          hosts={hostsOf(requests)}
          isBusy={isBusy}
          onConfirm={() => send(test.test ?? '')}
        />
      )}
    </section>
  );
}

/** Says what is known of the requests. */
function stateOf(sent: TestSent | undefined, error: unknown): string {
  if (sent?.sent) return 'The results are below.';
  if (error === undefined) return 'Nothing was sent yet.';
  return 'Some may have been sent. Sending them again uses the same idempotency keys.';
}

const counted = (requests: number) => `${count(requests)} ${requests === 1 ? 'request' : 'requests'}`;

/** The hosts of requests. */
function hostsOf(requests: readonly TestRequestReport[]): readonly string[] {
  return [...new Set(requests.map(({ url }) => new URL(url).host))];
}

interface ConfirmationProps {
  readonly hasSecret: boolean;
  readonly hosts: readonly string[];
  readonly isBusy: boolean;
  readonly onConfirm: () => Promise<void>;
}

/** Asks for a confirmation before content leaves Segue. */
function Confirmation({ hasSecret, hosts, isBusy, onConfirm }: ConfirmationProps) {
  const [isChecked, setChecked] = useState(false);
  return (
    <>
      <p>
        <label class="check">
          <input
            type="checkbox"
            checked={isChecked}
            onChange={({ currentTarget }) => setChecked(currentTarget.checked)}
          />
          Send these translations to {hosts.join(', ')}
          {hasSecret && ', with the secret'}
        </label>
      </p>
      <button class="main" type="button" disabled={!isChecked || isBusy} aria-busy={isBusy} onClick={onConfirm}>
        {isBusy ? 'Sending…' : 'Send once'}
      </button>
    </>
  );
}

function Faults({ faults }: Pick<TestReport, 'faults'>) {
  return (
    <Notice kind="fault" title="The mapping makes no valid requests" isLive>
      <ul aria-label="Faults">
        {faults.map(({ request, detail }, index) => (
          <li key={index}>
            {request !== undefined && `Request ${request}: `}
            {detail}
          </li>
        ))}
      </ul>
      <ForOperators>
        <p>
          Correct the mapping with <code>segue destination change --mapping</code>, and show the requests again.
        </p>
      </ForOperators>
    </Notice>
  );
}

interface ShownRequestProps {
  readonly request: TestRequestReport;
  readonly secretHeader: string | undefined;
}

function ShownRequest({ request, secretHeader }: ShownRequestProps) {
  const { method, url, headers, bytes, body } = request;
  const isCut = body !== undefined && new TextEncoder().encode(body).length < bytes;
  return (
    <>
      <span class="name">
        {method} {url}
      </span>
      <ul class="headers" aria-label="Headers">
        {headers.map(({ name, value }) => (
          <li key={name}>
            <code>
              {name}: {value}
            </code>
          </li>
        ))}
        {secretHeader !== undefined && (
          <li>
            <code>{secretHeader.toLowerCase()}</code>: the secret, which is not shown
          </li>
        )}
      </ul>
      <details>
        <summary>Body, {count(bytes)} bytes</summary>
        {body === undefined ? (
          <p>No body.</p>
        ) : (
          <pre class="excerpt">
            {body}
            {isCut && '…'}
          </pre>
        )}
      </details>
    </>
  );
}

/** What became of a request that was to be sent. */
function End({ end }: { readonly end: TestEndReport | undefined }) {
  if (!end) return <span>Not sent: a request before it failed, or the time was over.</span>;
  const { status, answerBytes, reason, code } = end;
  if (status === undefined) {
    return (
      <span class="failed">
        {wordsFor(REASONS, reason ?? 'no-answer')}
        {code !== undefined && ` (${code})`}
      </span>
    );
  }
  const size = answerBytes === undefined ? '' : `, ${count(answerBytes)} bytes`;
  return status >= 200 && status < 300 ? (
    <span>
      Sent. Answer: status {status}
      {size}
    </span>
  ) : (
    <span class="failed">
      {wordsFor(REASONS, 'status')}: status {status}
      {size}
    </span>
  );
}
