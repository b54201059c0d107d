import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { SegueError } from '../client/index.ts';
import { Empty, Notice } from './design/status.tsx';
import { FaultList } from './fault-list.tsx';
import type { Loaded } from './load.ts';
import { QuotaAdvice } from './quota.tsx';
import { SessionEnd } from './session.ts';
import { nextStepOf } from './words.ts';

interface HeadingProps {
  /** The title of the window. */
  readonly title: string;
  /** What stands above the heading, such as the place of a project. */
  readonly children?: ComponentChildren;
}

/** The heading of a page. It takes the focus when the page opens, so that a screen reader reads it. */
export function Heading({ title, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the browser paints: later, the heading would take the focus from a field that the user has chosen meanwhile.
  useLayoutEffect(() => {
    document.title = `${title} · Segue console`;
    heading.current?.focus();
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  );
}

/** The heading of a page, with its buttons and links at the end. */
export function PageHead({ title, heading, children }: HeadingProps & { readonly heading?: ComponentChildren }) {
  return (
    <div class="page-head">
      <Heading title={title}>{heading}</Heading>
      <div class="toolbar">{children}</div>
    </div>
  );
}

export interface TrailProps {
  /** The pages above this one, the outermost first, with what else happens when the user goes there. */
  readonly above: readonly (readonly [fragment: string, name: string, onGo?: () => void])[];
  /** What this page is. */
  readonly here: string;
}

/** Where a page is: the pages above it, each with a link. It stands above the heading. */
export function Trail({ above, here }: TrailProps) {
  return (
    <nav class="trail" aria-label="Place of this page">
      <ol>
        {above.map(([fragment, name, onGo]) => (
          <li key={fragment}>
            <a href={fragment} onClick={onGo}>
              <bdi>{name}</bdi>
            </a>
          </li>
        ))}
        <li aria-current="page">
          <bdi>{here}</bdi>
        </li>
      </ol>
    </nav>
  );
}

interface ShowProps<T> {
  readonly loaded: Loaded<T>;
  /** The heading of a page that has none without the value. */
  readonly title?: string;
  readonly children: (value: T) => ComponentChildren;
}

/** Shows a loaded value, or why it is missing. */
export function Show<T>({ loaded, title, children }: ShowProps<T>) {
  if (loaded.state === 'loading') {
    return (
      <p role="status" class="loading">
        Loading…
      </p>
    );
  }
  if (loaded.state === 'ready') return <>{children(loaded.value)}</>;
  const { error } = loaded;
  if (title !== undefined && isMissing(error)) return <Missing error={error} />;
  return (
    <>
      {title !== undefined && <Heading title={title} />}
      <Failure error={error} />
    </>
  );
}

/** Whether a project is not there, or no more. */
function isMissing(error: unknown): error is SegueError {
  return error instanceof SegueError && error.type.startsWith('project-');
}

/** The page of a project that is not there. It is no failure of Segue. */
function Missing({ error }: { readonly error: SegueError }) {
  return (
    <>
      <Heading title={error.title} />
      <Empty title={error.detail}>
        <p>{nextStepOf(error)}</p>
        {ALL_PROJECTS}
      </Empty>
    </>
  );
}

const ALL_PROJECTS = (
  <a class="button main" href="#/projects">
    All projects
  </a>
);

interface FailureProps {
  readonly error: unknown;
}

/** Shows a failed request, with what its requester needs next. A refused key ends the session. */
export function Failure({ error }: FailureProps) {
  const endSession = useContext(SessionEnd);
  useEffect(() => {
    if (error instanceof SegueError && error.type === 'unauthenticated') endSession();
  }, [error, endSession]);
  if (!(error instanceof SegueError)) {
    const text = error instanceof TypeError ? error.message : 'The console failed. Reload the page.';
    return (
      <Notice kind="fault" isLive>
        {text}
      </Notice>
    );
  }
  const { title, type, errors, operationId, instance, retryAfterSeconds } = error;
  // The detail speaks of headers, which the console sends itself.
  const detail = type === 'unauthenticated' ? 'The company id or the key is wrong.' : error.detail;
  const next = nextStepOf(error);
  return (
    <Notice kind="fault" title={title} isLive>
      <p>{detail}</p>
      {type === 'quota-exceeded' && <QuotaAdvice retryAfterSeconds={retryAfterSeconds} />}
      {errors.length > 0 && <FaultList faults={errors} />}
      {next !== undefined && <p>{next}</p>}
      {isMissing(error) && <p>{ALL_PROJECTS}</p>}
      {operationId !== undefined && (
        <small>
          <a href={`#/operations/${operationId}`}>Operation {operationId}</a>
        </small>
      )}
      {instance !== undefined && <small>Request {instance}</small>}
    </Notice>
  );
}
