import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DeliveryKind } from '../client/administration.ts';
import { Badge, Notice } from './design/status.tsx';
import { ForOperators } from './facts.tsx';
import { Failure, PageHead, Trail, type TrailProps } from './page.tsx';
import { STATE_TONES, STATES } from './words.ts';

/** How a page sends a failed delivery again, and looks at it. */
export interface Redriving {
  /** Changes with each look. */
  readonly visit: number;
  /** What came of sending it again. */
  readonly notice: string;
  /** Why it could not be sent again; `undefined` if it could. */
  readonly error: unknown;
  readonly lookAgain: () => void;
  readonly redrive: () => Promise<void>;
}

/** Returns the state of a page that can send a failed delivery again. @param send does it */
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
        setNotice(
          redriven
            ? 'It was sent again. Refresh to see the result.'
            : 'It has not failed any more, so nothing was sent.',
        );
        lookAgain();
      } catch (failure) {
        setError(failure);
      }
    },
  };
}

interface RedrivePageProps extends TrailProps {
  readonly title: string;
  /** Whether the delivery failed, so that it can be sent again. */
  readonly isDead: boolean;
  readonly redriving: Redriving;
  readonly children: ComponentChildren;
}

/** The page of a delivery, which can be sent again if it failed. */
export function RedrivePage({ title, isDead, redriving, children, ...trail }: RedrivePageProps) {
  const { notice, error, lookAgain, redrive } = redriving;
  return (
    <>
      <Trail {...trail} />
      <PageHead title={title}>
        {isDead && (
          <button type="button" onClick={redrive}>
            Send again
          </button>
        )}
        <button type="button" onClick={lookAgain}>
          Refresh
        </button>
      </PageHead>
      {notice !== '' && (
        <Notice kind="ok" isLive>
          {notice}
        </Notice>
      )}
      {error !== undefined && <Failure error={error} />}
      {children}
    </>
  );
}

/** The state of a delivery. */
export function State({ of }: { readonly of: DeliveryKind }) {
  return <Badge tone={STATE_TONES[of]}>{STATES[of]}</Badge>;
}

/** The other name of a failed delivery, by which the operator knows it. */
export function DeadLetter() {
  return (
    <ForOperators>
      <p>A failed delivery is also called a dead letter.</p>
    </ForOperators>
  );
}
