import type { ComponentChildren } from 'preact';
import { ForOperators } from './facts.tsx';
import { faultInWords, type ReportedFault } from './fault-words.ts';

/** How many faults are shown at once. If there are more, a reader asks for the others. */
const SHOWN = 8;

interface FaultListProps {
  readonly faults: readonly ReportedFault[];
  /** What the operator can do. */
  readonly children?: ComponentChildren;
}

/** The faults of a request in words, the first ones at once. Their places as a program names them are folded away. */
export function FaultList({ faults, children }: FaultListProps) {
  return (
    <>
      <Sentences faults={faults.slice(0, SHOWN)} />
      {faults.length > SHOWN && (
        <details>
          <summary>{faults.length - SHOWN} more</summary>
          <Sentences faults={faults.slice(SHOWN)} />
        </details>
      )}
      <ForOperators>
        <ul>
          {faults.map(({ pointer, detail }, index) => (
            <li key={index}>
              <code>{pointer === '' ? 'everything' : pointer}</code> {detail}
            </li>
          ))}
        </ul>
        {children}
      </ForOperators>
    </>
  );
}

function Sentences({ faults }: { readonly faults: readonly ReportedFault[] }) {
  return (
    <ul aria-label="Faults">
      {faults.map((fault, index) => (
        <li key={index}>{faultInWords(fault)}</li>
      ))}
    </ul>
  );
}
