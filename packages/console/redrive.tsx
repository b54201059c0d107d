import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DeliveryKind } from '../client/administration.ts';
import { Badge, Notice, type Tone } from './design/status.tsx';
import { whenGiven } from './facts.tsx';
import { useLive } from './live.ts';
import { type Loaded, useLast, useLoaded, useTask } from './load.ts';
import { Failure } from './page.tsx';
import { date } from './values.ts';
import { type DeliveryState, STATE_TONES, STATES } from './words.ts';

/** The longest pause between two looks at an open delivery: at most 120 requests an hour. */
const LONGEST_PAUSE_MS = 30_000;

interface RedriveOptions<T> {
  /** Reads the delivery. */
  readonly read: () => Promise<T>;
  /** Redrives it. */
  readonly send: () => Promise<{ readonly redriven: boolean }>;
  /** What the button is called that redrives a failed delivery. */
  readonly action: string;
  /** Says why nothing was redriven. */
  readonly nothing: string;
}

/** The parts of a page with a delivery. */
interface RedriveParts<T> {
  /** The delivery. While it is loaded again, it is the last one. */
  readonly loaded: Loaded<T>;
  readonly delivery: T | undefined;
  readonly buttons: ComponentChildren;
  /** What came of redriving it. */
  readonly notice: ComponentChildren;
}

/** Returns the parts of a page with a delivery, which can be redriven if it failed. While it is open, the page follows it. */
export function useRedrive<T extends { readonly state: DeliveryKind }>(options: RedriveOptions<T>): RedriveParts<T> {
  const { read, send, action, nothing } = options;
  const [visit, setVisit] = useState(0);
  const [answer, setAnswer] = useState<{ readonly redriven: boolean; readonly before: T | undefined }>();
  const { isBusy, error, run } = useTask();
  const found = useLoaded(read, [visit]);
  const delivery = useLive(useLast(found), {
    look: read,
    isUnfinished: (last) => last?.state === 'open',
    longestMs: LONGEST_PAUSE_MS,
  });
  const refresh = () => {
    setAnswer(undefined);
    setVisit(visit + 1);
  };
  const redrive = async () => {
    const { redriven } = await send();
    refresh();
    setAnswer({ redriven, before: delivery });
  };
  // Until the page has read the delivery again, nobody knows what became of it.
  const isOld = delivery === answer?.before;
  const [tone, words] = AFTER_REDRIVE[isOld || !delivery ? 'open' : delivery.state];
  return {
    loaded: delivery && found.state !== 'failed' ? { state: 'ready', value: delivery } : found,
    delivery,
    buttons: (
      <>
        <button type="button" aria-busy={found.state === 'loading'} onClick={refresh}>
          Refresh
        </button>
        {delivery?.state === 'dead' && (
          <button type="button" class="main" disabled={isBusy || isOld} aria-busy={isBusy} onClick={() => run(redrive)}>
            {action}
          </button>
        )}
      </>
    ),
    notice: (
      <>
        {answer && (
          <Notice kind={answer.redriven ? tone : 'warning'} isLive>
            {answer.redriven ? words : nothing}
          </Notice>
        )}
        {error !== undefined && <Failure error={error} />}
      </>
    ),
  };
}

/** What the page says of a delivery that it redrove. */
const AFTER_REDRIVE: Readonly<Record<DeliveryKind, readonly [tone: Exclude<Tone, 'plain'>, words: string]>> = {
  open: ['info', 'Processing…'],
  done: ['ok', 'It succeeded this time.'],
  dead: ['fault', 'It failed again.'],
  dropped: ['warning', 'Segue has erased the message.'],
};

/** The state of a delivery. */
export function State({ of }: { readonly of: DeliveryState }) {
  return <Badge tone={STATE_TONES[of]}>{STATES[of]}</Badge>;
}

/** Returns when a delivery ended as a fact, or nothing if it is not known, or if it was at once. */
export const endOf = (from: string, to: string | undefined) => (date(to) === date(from) ? undefined : whenGiven(to));

/** The other name of a failed delivery, by which the operator knows it. */
interface DeadLetterProps {
  /** The command that changes the mapping. */
  readonly change: string;
}

/** What the operator needs of a failed delivery. */
export function DeadLetter({ change }: DeadLetterProps) {
  return (
    <>
      <p>
        To correct the mapping, use <code>{change} --mapping</code>.
      </p>
      <p>The command line calls a failed delivery a dead letter.</p>
    </>
  );
}
