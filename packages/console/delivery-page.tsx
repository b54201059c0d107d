import type { ComponentChildren } from 'preact';
import type { CommandReport, DeliveryKind, DeliveryReport } from '../client/administration.ts';
import { Notice } from './design/status.tsx';
import { bytesGiven, Facts, ForOperators, When, whenGiven } from './facts.tsx';
import { FaultPlaces, FaultSentences } from './fault-list.tsx';
import { PageHead, Show, Trail } from './page.tsx';
import { DeadLetter, endOf, State, useRedrive } from './redrive.tsx';
import { useAdministration } from './session.ts';
import { text } from './values.ts';
import { messageTitle } from './words.ts';

/** One message of a webhook source, and how to process it again. */
export function DeliveryPage({ source, id }: { readonly source: string; readonly id: string }) {
  const administration = useAdministration();
  const {
    loaded,
    delivery: last,
    buttons,
    notice,
  } = useRedrive({
    read: () => administration.getDelivery(source, id),
    send: () => administration.redriveDelivery(source, id),
    action: 'Process again',
    nothing: 'Nothing was processed: the message no longer counts as failed, or Segue has erased it.',
  });
  const above = [
    ['#/sources', 'Webhook sources'],
    [`#/sources/${source}`, source],
  ] as const;
  return (
    <>
      <Trail above={above} here="Message" />
      <PageHead title="Message" heading={last && HEADINGS[last.state]}>
        {buttons}
      </PageHead>
      {notice}
      <Show loaded={loaded}>
        {(delivery) => (
          <>
            <Problem report={delivery} title={messageTitle(delivery)}>
              {delivery.state === 'dead' && <Advice of={delivery} />}
            </Problem>
            {delivery.changedSince && <Changed since={delivery.changedSince} />}
            <DeliveryFacts delivery={delivery} />
            {delivery.commands && delivery.commands.length > 1 && <Commands commands={delivery.commands} />}
            <TechnicalDetails delivery={delivery} />
          </>
        )}
      </Show>
    </>
  );
}

/** What became of a message. */
const HEADINGS: Readonly<Record<DeliveryKind, string>> = {
  open: 'Message being processed',
  done: 'Message processed',
  dead: 'Message not processed',
  dropped: 'Message dropped',
};

interface ProblemProps {
  readonly report: Pick<DeliveryReport, 'problem' | 'detail' | 'errors'>;
  readonly title: string;
  /** What to do. */
  readonly children?: ComponentChildren;
}

/** Why an attempt failed, with every fault. */
function Problem({ report: { problem, detail, errors = [] }, title, children }: ProblemProps) {
  if (problem === undefined) return null;
  return (
    <Notice kind="fault" title={title}>
      {errors.length > 0 ? <FaultSentences faults={errors} /> : detail !== undefined && <p>{detail}</p>}
      {children}
    </Notice>
  );
}

/** What to do about a message that the mapping or the rules refused. */
function Advice({ of: { problem, errors } }: { readonly of: DeliveryReport }) {
  if (!errors && problem !== 'mapping-failed') return null;
  return (
    <>
      <p>
        <strong>If the content was wrong:</strong> correct it in the sending system. It then sends a new message, and
        this one can stay failed.
      </p>
      <p>
        <strong>If the mapping was wrong:</strong> ask the operator to correct it, then choose{' '}
        <strong>Process again</strong>.
      </p>
    </>
  );
}

/** Warns of what redriving may undo. */
function Changed({ since }: { readonly since: NonNullable<DeliveryReport['changedSince']> }) {
  const { deletedAtUtc, createdAtUtc } = since;
  return (
    <Notice kind="warning" title="The project has changed since">
      {deletedAtUtc !== undefined && (
        <p>
          It was deleted on <When at={deletedAtUtc} />. <strong>Process again</strong> may create it again.
        </p>
      )}
      {createdAtUtc !== undefined && (
        <p>
          It was created on <When at={createdAtUtc} />. <strong>Process again</strong> may delete it, or put an older
          text in its place.
        </p>
      )}
    </Notice>
  );
}

function DeliveryFacts({ delivery }: { readonly delivery: DeliveryReport }) {
  const { state, receivedAtUtc, attempts, nextAttemptAtUtc, endedAtUtc } = delivery;
  return (
    <Facts
      of={[
        ['State', <State of={state} />],
        ['Received', <When at={receivedAtUtc} />],
        ['Attempts', attempts > 1 ? attempts : undefined],
        ['Next attempt', whenGiven(nextAttemptAtUtc)],
        ['Ended', endOf(receivedAtUtc, endedAtUtc)],
      ]}
    />
  );
}

function Commands({ commands }: { readonly commands: readonly CommandReport[] }) {
  return (
    <>
      <h2>Commands</h2>
      <ol class="cards" aria-label="Commands">
        {commands.map((command) => (
          <li key={command.command}>
            <span class="split">
              <span class="name">Command {command.command}</span>
              <State of={command.state} />
            </span>
            {command.result !== undefined && <span class="quiet">{text(command.result)}</span>}
            <Problem report={command} title={messageTitle({ ...command, state: 'dead' })} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** What the operator needs: the request that brought the message, without its content, and the places of the faults. */
function TechnicalDetails({ delivery }: { readonly delivery: DeliveryReport }) {
  const { source, id, state, request, fetchedBytes, result, errors = [] } = delivery;
  return (
    <ForOperators title="Technical details">
      <Facts
        of={[
          ['Id', <span class="id">{id}</span>],
          ['Result', result === undefined ? undefined : text(result)],
          ['Size', request ? bytesGiven(request.bytes) : 'Erased'],
          ['Headers', request && (request.headers.join(', ') || 'None')],
          ['Fetched entry', bytesGiven(fetchedBytes)],
        ]}
      />
      {errors.length > 0 && <FaultPlaces faults={errors} />}
      {state === 'dead' && <DeadLetter change={`segue source change ${source}`} />}
    </ForOperators>
  );
}
