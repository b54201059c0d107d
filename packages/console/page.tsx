import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { SegueError } from '../client/index.ts';
import type { Loaded } from './load.ts';
import { QuotaAdvice } from './quota.tsx';

/** The heading of a page. It takes the focus when the page opens, so that a screen reader reads it. */
export function Heading({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
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

/** Shows a loaded value, or why it is missing. */
export function Show<T>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<T>;
  readonly children: (value: T) => ComponentChildren;
}) {
  if (loaded.state === 'loading') return <p role="status">Loading…</p>;
  if (loaded.state === 'failed') return <Failure error={loaded.error} />;
  return <>{children(loaded.value)}</>;
}

/** Shows a failed request, with what its requester needs next. */
export function Failure({ error }: { readonly error: unknown }) {
  if (!(error instanceof SegueError)) {
    return (
      <p role="alert" class="failure">
        {error instanceof TypeError ? error.message : 'The console failed. Reload the page.'}
      </p>
    );
  }
  const { title, errors, operationId, instance, retryAfterSeconds } = error;
  // The detail speaks of headers, which the console sends itself.
  const detail = error.type === 'unauthenticated' ? 'The company id or the key is wrong.' : error.detail;
  return (
    <div role="alert" class="failure">
      <strong>{title}</strong>
      <p>{detail}</p>
      {error.type === 'quota-exceeded' && <QuotaAdvice retryAfterSeconds={retryAfterSeconds} />}
      {errors.length > 0 && (
        <ul>
          {errors.map((fault) => (
            <li key={fault.pointer + fault.code}>
              <code>{fault.pointer}</code> {fault.detail}
            </li>
          ))}
        </ul>
      )}
      {operationId !== undefined && (
        <small>
          <a href={`#/operations/${operationId}`}>Operation {operationId}</a>
        </small>
      )}
      {instance !== undefined && <small>Request {instance}</small>}
    </div>
  );
}
