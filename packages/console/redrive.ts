import { useState } from 'preact/hooks';

/** How a page redrives a dead letter, and looks at it again. */
export interface Redriving {
  /** Changes with each look. */
  readonly visit: number;
  /** What the last redrive did. */
  readonly notice: string;
  /** Why the last redrive failed; `undefined` if it did not. */
  readonly error: unknown;
  readonly lookAgain: () => void;
  readonly redrive: () => Promise<void>;
}

/** Returns the state of a page that can redrive a dead letter. @param send redrives it */
export function useRedrive(send: () => Promise<{ readonly redriven: boolean }>): Redriving {
  const [visit, setVisit] = useState(0);
  const [notice, setNotice] = useState('');
  const [error, setError] = useState<unknown>();
  const lookAgain = () => setVisit(visit + 1);
  return {
    visit,
    notice,
    error,
    lookAgain,
    async redrive() {
      setError(undefined);
      try {
        const { redriven } = await send();
        setNotice(redriven ? 'The delivery is open again.' : 'The delivery is no dead letter any more.');
        lookAgain();
      } catch (failure) {
        setError(failure);
      }
    },
  };
}
