import { ForOperators } from './facts.tsx';
import { faultInWords, type ReportedFault } from './fault-words.ts';

/** How many faults are shown at once. If there are more, a reader asks for the others. */
const SHOWN = 8;

interface FaultsProps {
  readonly faults: readonly ReportedFault[];
}

/** The faults of a request in words. Their places as a program names them are folded away. */
export function FaultList({ faults }: FaultsProps) {
  return (
    <>
      <FaultSentences faults={faults} />
      <ForOperators>
        <FaultPlaces faults={faults} />
      </ForOperators>
    </>
  );
}

/** The faults of a request in words, the first ones at once. */
export function FaultSentences({ faults }: FaultsProps) {
  return (
    <>
      <Sentences faults={faults.slice(0, SHOWN)} />
      {faults.length > SHOWN && (
        <details>
          <summary>{faults.length - SHOWN} more</summary>
          <Sentences faults={faults.slice(SHOWN)} />
        </details>
      )}
    </>
  );
}

/** The faults of a request with their places, as a program names them. */
export function FaultPlaces({ faults }: FaultsProps) {
  return (
    <ul>
      {faults.map(({ pointer, detail }, index) => (
        <li key={index}>
          <code>{pointer === '' ? 'everything' : pointer}</code> {detail}
        </li>
      ))}
    </ul>
  );
}

function Sentences({ faults }: FaultsProps) {
  return (
    <ul aria-label="Faults">
      {faults.map((fault, index) => (
        <li key={index}>{faultInWords(fault)}</li>
      ))}
    </ul>
  );
}
