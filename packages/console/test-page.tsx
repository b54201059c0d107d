import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type {
  DestinationReport,
  TestEndReport,
  TestReport,
  TestRequestReport,
  TestSent,
} from '../client/administration.ts';
import type { Project, ProjectHead } from '../client/index.ts';
import { useQuery } from './address.ts';
import { closeDialog, Dialog } from './design/dialog.tsx';
import { Field } from './design/fields.tsx';
import { Notice } from './design/status.tsx';
import { Facts, ForOperators } from './facts.tsx';
import { LanguageOptions, targetCodesOf } from './languages.tsx';
import { useLoaded, useTask } from './load.ts';
import { nameOf } from './names.ts';
import { Failure, Heading, Show, Trail } from './page.tsx';
import { AND } from './partner-words.ts';
import { useSearch } from './project-search.ts';
import { counted } from './quote.tsx';
import { useAdministration, useClient } from './session.ts';
import { count, languageName } from './values.ts';
import { reasonOf, refusalOf } from './words.ts';

/** How many projects the page shows. */
const MAX_SHOWN = 20;

/** Tests a destination with a project: it shows the requests, and sends them only if the user confirms. */
export function TestPage({ name }: { readonly name: string }) {
  const administration = useAdministration();
  const client = useClient();
  const { project: id, language } = useQuery();
  const loaded = useLoaded(async () => {
    if (!id) return undefined;
    const project = await client.getProject(Number(id));
    return { destination: await administration.getDestination(name), project };
  }, [id]);
  const page = `#/destinations/${name}`;
  const above = [
    ['#/destinations', 'Destinations'],
    [page, name],
  ] as const;
  return (
    <>
      <Trail above={above} here="Test" />
      <Heading title={`Test ${name}`} />
      <p>See the requests that the destination would send for a project now. Nothing is sent before you confirm.</p>
      <Show loaded={loaded}>
        {(found) => (found ? <Test {...found} wanted={language} /> : <ProjectSearch page={`${page}/test`} />)}
      </Show>
    </>
  );
}

/** Asks for the project: one of the newest ones, or of those that a search finds. */
function ProjectSearch({ page }: { readonly page: string }) {
  const client = useClient();
  const [search, setSearch] = useState('');
  const newest = useLoaded(() => client.listProjects({ limit: MAX_SHOWN }), []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    setSearch(String(new FormData(event.currentTarget).get('search')).trim());
  };
  return (
    <>
      <form class="filters" onSubmit={submit}>
        <label>
          Name or custom id of a project
          <input type="search" name="search" autocomplete="off" dir="auto" />
        </label>
        <button type="submit">Search</button>
      </form>
      {search === '' ? (
        <Show loaded={newest}>{({ projects }) => <Projects projects={projects} page={page} />}</Show>
      ) : (
        <Found key={search} search={search} page={page} />
      )}
    </>
  );
}

interface FoundProps {
  readonly search: string;
  /** The page of the test. */
  readonly page: string;
}

/** Searches at once. */
function Found({ search, page }: FoundProps) {
  const { state, start } = useSearch(useClient(), {}, search);
  useEffect(() => void start(), []);
  if (!state) return null;
  return (
    <>
      <p role="status">
        {state.isRunning ? 'Searching' : 'Searched'} in {counted(state.searched, 'project')}.
      </p>
      {state.error !== undefined && <Failure error={state.error} />}
      <Projects projects={state.found} page={page} />
    </>
  );
}

function Projects({ projects, page }: { readonly projects: readonly ProjectHead[]; readonly page: string }) {
  return (
    <ul class="cards" aria-label="Projects">
      {projects.slice(0, MAX_SHOWN).map((project) => (
        <li key={project.id}>
          <span>
            <a class="name opens-row" href={`${page}?project=${project.id}`}>
              <bdi>{nameOf(project)}</bdi>
            </a>
          </span>
          {project.customId && <bdi class="quiet">{project.customId}</bdi>}
        </li>
      ))}
    </ul>
  );
}

interface TestProps {
  readonly destination: DestinationReport;
  readonly project: Project;
  /** The code of the language to begin with. */
  readonly wanted: string | undefined;
}

/** Asks for the language, shows the requests, and sends them once the user confirms. */
function Test({ destination, project, wanted }: TestProps) {
  const administration = useAdministration();
  const codes = targetCodesOf(project);
  const [language, setLanguage] = useState(codes.find((code) => code === wanted || codes.length === 1) ?? '');
  const [test, setTest] = useState<TestReport>();
  const [sent, setSent] = useState<TestSent>();
  const { isBusy, error, run } = useTask();
  const show = (event: SubmitEvent) => {
    event.preventDefault();
    setTest(undefined);
    setSent(undefined);
    void run(async () => setTest(await administration.showTest(destination.name, String(project.id), language)));
  };
  const send = async (shown: string) => {
    const answer = await administration.sendTest(destination.name, String(project.id), language, shown);
    setSent(answer);
    setTest(answer.test);
  };
  return (
    <>
      <form class="form" onSubmit={show}>
        <p>
          Project: <bdi class="name">{nameOf(project)}</bdi>{' '}
          <a href={`#/destinations/${destination.name}/test`}>Choose another</a>
        </p>
        <Field label="Target language">
          {(input) => (
            <select
              {...input}
              required
              value={language}
              onChange={({ currentTarget }) => {
                setLanguage(currentTarget.value);
                setTest(undefined);
              }}
            >
              <option value="">Choose a language</option>
              <LanguageOptions codes={codes} />
            </select>
          )}
        </Field>
        <button class={test ? '' : 'main'} type="submit" disabled={isBusy} aria-busy={isBusy && !test}>
          Show the requests
        </button>
      </form>
      {test && <Requests test={test} sent={sent} hasFailed={error !== undefined} destination={destination} />}
      {error !== undefined && <Failure error={error} />}
      {test?.test !== undefined && !sent?.sent && (
        <SendButton requests={test.requests} isBusy={isBusy} onConfirm={() => run(() => send(test.test ?? ''))}>
          <p>
            Segue sends the translations of <bdi class="name">{nameOf(project)}</bdi> into {languageName(language)}
            {destination.secretHeader !== undefined && ', and signs in with the stored secret'}. This cannot be undone.
          </p>
        </SendButton>
      )}
    </>
  );
}

interface SendButtonProps {
  readonly requests: readonly TestRequestReport[];
  readonly isBusy: boolean;
  readonly onConfirm: () => Promise<void>;
  /** What the requests do. */
  readonly children: ComponentChildren;
}

/** Asks for a confirmation before content leaves Segue. */
function SendButton({ requests, isBusy, onConfirm, children }: SendButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const words = `Send to ${AND.format(new Set(requests.map(({ url }) => new URL(url).host)))}`;
  return (
    <>
      <button class="main" type="button" disabled={isBusy} aria-busy={isBusy} onClick={() => setOpen(true)}>
        {words}
      </button>
      {isOpen && (
        <Dialog
          title={`${words}?`}
          onClose={() => setOpen(false)}
          actions={
            <>
              <button type="button" onClick={closeDialog}>
                Cancel
              </button>
              <button
                type="button"
                class="main"
                onClick={(event) => {
                  closeDialog(event);
                  void onConfirm();
                }}
              >
                Send once
              </button>
            </>
          }
        >
          {children}
        </Dialog>
      )}
    </>
  );
}

interface RequestsProps {
  readonly test: TestReport;
  /** What came of sending them; `undefined` before. */
  readonly sent: TestSent | undefined;
  /** Whether nobody knows what came of it. */
  readonly hasFailed: boolean;
  readonly destination: DestinationReport;
}

/** The requests of a test, and what became of them; or why there are none. */
function Requests({ test: { requests, faults, refusal }, sent, hasFailed, destination }: RequestsProps) {
  return (
    <section aria-label="Requests">
      {sent?.sent === false && refusal === undefined && (
        <Notice kind="warning" isLive>
          The requests have changed since you saw them. Nothing was sent. Check what would be sent now.
        </Notice>
      )}
      {refusal !== undefined && (
        <Notice kind="fault" isLive>
          {sent && 'Nothing was sent. '}
          {refusalOf(refusal)}
        </Notice>
      )}
      {faults.length > 0 && <Faults faults={faults} />}
      {refusal === undefined && faults.length === 0 && (
        <p role="status">
          {requests.length === 0
            ? 'The mapping makes no requests for this project.'
            : `${counted(requests.length, 'request')}. ${stateOf(sent, hasFailed)}`}
        </p>
      )}
      <ol class="cards" aria-label="Requests">
        {requests.map((request, index) => (
          <li key={index}>
            <ShownRequest request={request} secretHeader={destination.secretHeader} />
            {sent?.sent && <End end={sent.ends[index]} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Says what is known of the requests. */
function stateOf(sent: TestSent | undefined, hasFailed: boolean): string {
  if (sent?.sent) return 'The results are below.';
  if (hasFailed) return 'Some may have been sent. Sending them again uses the same idempotency keys.';
  return 'Nothing was sent yet.';
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

/** A body that is shown at once has at most as many bytes. */
const SMALL_BYTES = 1_000;

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
      <details open={bytes <= SMALL_BYTES}>
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
      <ForOperators title="Headers">
        <Facts
          of={[
            ...headers.map(({ name, value }) => [name, <code>{value}</code>] as const),
            ...(secretHeader === undefined
              ? []
              : [[secretHeader.toLowerCase(), 'The secret, which is not shown'] as const]),
          ]}
        />
      </ForOperators>
    </>
  );
}

/** What became of a request that was to be sent. */
function End({ end }: { readonly end: TestEndReport | undefined }) {
  if (!end) return <span>Not sent: a request before it failed, or the time was over.</span>;
  const { status, answerBytes, reason = 'no-answer', code } = end;
  const size = answerBytes === undefined ? '' : `, ${count(answerBytes)} bytes`;
  if (status !== undefined && status >= 200 && status < 300) {
    return (
      <span>
        Sent. Answer: status {status}
        {size}
      </span>
    );
  }
  return (
    <span class="failed">
      {reasonOf({ reason: status === undefined ? reason : 'status', status, code })}
      {size}
    </span>
  );
}
