import type { ComponentChildren } from 'preact';
import type { DeliveryKind } from '../client/administration.ts';
import { When } from './facts.tsx';
import { counted } from './quote.tsx';
import { State } from './redrive.tsx';
import { date } from './values.ts';

interface DeliveryRowProps {
  /** The page of the delivery. */
  readonly href: string;
  readonly title: ComponentChildren;
  readonly delivery: {
    readonly state: DeliveryKind;
    readonly attempts: number;
    readonly nextAttemptAtUtc?: string | undefined;
  };
  /** When Segue received what it delivers. */
  readonly at: string;
  /** What else matters less. */
  readonly fact?: string | undefined;
  /** What else matters. */
  readonly children?: ComponentChildren;
}

/** A delivery in the list of its source or destination. */
export function DeliveryRow({ href, title, delivery, at, fact, children }: DeliveryRowProps) {
  const { state, attempts, nextAttemptAtUtc: next } = delivery;
  const all = [<When at={at} />, fact, counted(attempts, 'attempt'), next && `Next attempt ${date(next)}`];
  const facts = all.filter(Boolean);
  return (
    <li>
      <span class="split">
        <a class="name opens-row" href={href}>
          {title}
        </a>
        <State of={state} />
      </span>
      {children}
      <span class="quiet">
        {facts.map((known, index) => (
          <>
            {index > 0 && ' · '}
            <span class="whole">{known}</span>
          </>
        ))}
      </span>
    </li>
  );
}
