import type { ComponentChildren } from 'preact';
import { count, date, utc } from './values.ts';

/** The facts of a thing, each with its name. A fact that is `undefined` is left out. */
export function Facts({ of }: { readonly of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}

interface WhenProps {
  readonly at: unknown;
  /** How it is written. Default: as a date with its time. */
  readonly as?: (at: unknown) => string;
}

/** A moment in the zone of the reader. A pointer that rests on it shows it in UTC. */
export function When({ at, as = date }: WhenProps) {
  if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) return <>{date(at)}</>;
  return (
    <time dateTime={at} title={utc(at)}>
      {as(at)}
    </time>
  );
}

/** Returns a moment as a fact, or nothing if there is none. */
export const whenGiven = (at: string | undefined) => (at === undefined ? undefined : <When at={at} />);

/** Returns a size as a fact, or nothing if it is not known. */
export const bytesGiven = (bytes: number | undefined) => (bytes === undefined ? undefined : `${count(bytes)} bytes`);

interface ForOperatorsProps {
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** What only the operator of Segue needs, such as a command. It is folded away. */
export function ForOperators({ title = 'For operators', children }: ForOperatorsProps) {
  return (
    <details class="operators">
      <summary>{title}</summary>
      {children}
    </details>
  );
}
