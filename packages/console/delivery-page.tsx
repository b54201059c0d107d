import type { CommandReport, DeliveryReport } from '../client/administration.ts';
import { Badge, Notice, type Tone } from './design/status.tsx';
import { Facts, ForOperators, When, whenGiven } from './facts.tsx';
import { FaultList } from './fault-list.tsx';
import { useLast, useLoaded } from './load.ts';
import { Show } from './page.tsx';
import { DeadLetter, RedrivePage, State, useRedrive } from './redrive.tsx';
import { useAdministration } from './session.ts';
import { count, text } from './values.ts';
import { messageOutcome, titleOf } from './words.ts';

/** One message of a webhook source, and how to process it again. */
export function DeliveryPage({ source, id }: { readonly source: string; readonly id: string }) {
  const administration = useAdministration();
  const redriving = useRedrive(() => administration.redriveDelivery(source, id));
  const loaded = useLoaded(() => administration.getDelivery(source, id), [source, id, redriving.visit]);
  const last = useLast(loaded);
  const title = last ? messageOutcome(last) : 'Message';
  const above = [
    ['#/sources', 'Webhook sources'],
    [`#/sources/${encodeURIComponent(source)}`, source],
  ] as const;
  return (
    <RedrivePage above={above} here="Message" title={title} isDead={last?.state === 'dead'} redriving={redriving}>
      <Show loaded={loaded}>
        {(delivery) => (
          <>
            {delivery.changedSince && <Changed since={delivery.changedSince} />}
            <DeliveryFacts delivery={delivery} />
            <Message delivery={delivery} />
          </>
        )}
      </Show>
    </RedrivePage>
  );
}

/** Warns of what redriving may undo. */
function Changed({ since }: { readonly since: NonNullable<DeliveryReport['changedSince']> }) {
  const { deletedAtUtc, createdAtUtc } = since;
  return (
    <Notice kind="warning" title="The project has changed since">
      {deletedAtUtc !== undefined && (
        <p>
          A project of this message was deleted on <When at={deletedAtUtc} />. To send it again may create it again.
        </p>
      )}
      {createdAtUtc !== undefined && (
        <p>
          A project of this message was created on <When at={createdAtUtc} />. To send it again may delete the project,
          or put an older text in its place.
        </p>
      )}
    </Notice>
  );
}

function DeliveryFacts({ delivery }: { readonly delivery: DeliveryReport }) {
  const { source, id, state, receivedAtUtc, attempts, nextAttemptAtUtc, endedAtUtc, commands } = delivery;
  return (
    <>
      <Problem report={delivery} source={source} />
      <Facts
        of={[
          ['State', <State of={state} />],
          ['Received', <When at={receivedAtUtc} />],
          ['Attempts', attempts],
          ['Next attempt', whenGiven(nextAttemptAtUtc)],
          ['Ended', whenGiven(endedAtUtc)],
          ['Result', delivery.result === undefined ? undefined : text(delivery.result)],
          ['Id', <span class="id">{id}</span>],
        ]}
      />
      {state === 'dead' && <DeadLetter />}
      {commands && commands.length > 1 && (
        <>
          <h2>Commands</h2>
          <ol class="cards" aria-label="Commands">
            {commands.map((command) => (
              <li key={command.command}>
                <span class="split">
                  <span class="name">Command {command.command}</span>
                  <Badge tone={COMMAND_TONES[command.state]}>{COMMAND_STATES[command.state]}</Badge>
                </span>
                {command.result !== undefined && <span class="quiet">{text(command.result)}</span>}
                <Problem report={command} source={source} />
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}

/** The request that brought the message, and its answer. Their content is not shown. */
function Message({ delivery: { request, fetchedBytes } }: { readonly delivery: DeliveryReport }) {
  return (
    <>
      <h2>Request</h2>
      {request === undefined && <p>The message is erased. Segue keeps it only until it has been processed.</p>}
      <Facts
        of={[
          ['Size', request && `${count(request.bytes)} bytes`],
          ['Answer', 'Status 202, with the id of the delivery'],
          ['Fetched entry', fetchedBytes === undefined ? undefined : `${count(fetchedBytes)} bytes`],
        ]}
      />
      {request && (
        <ForOperators>
          <Facts of={[['Headers', request.headers.length === 0 ? 'None' : request.headers.join(', ')]]} />
          <p>Signatures, credentials and the headers of proxies are not stored.</p>
        </ForOperators>
      )}
    </>
  );
}

const COMMAND_STATES: Readonly<Record<CommandReport['state'], string>> = {
  waiting: 'Waits for the commands before it',
  open: 'Open',
  done: 'Done',
  refused: 'Refused',
};
const COMMAND_TONES: Readonly<Record<CommandReport['state'], Tone>> = {
  waiting: 'plain',
  open: 'info',
  done: 'ok',
  refused: 'fault',
};

interface ProblemProps {
  readonly report: Pick<CommandReport, 'problem' | 'detail' | 'errors'>;
  /** The name of the source. */
  readonly source: string;
}

/** Why an attempt failed, with every fault. */
function Problem({ report: { problem, detail, errors = [] }, source }: ProblemProps) {
  if (problem === undefined) return null;
  if (errors.length === 0) {
    return (
      <Notice kind="fault" title={titleOf(problem)}>
        {detail !== undefined && <p>{detail}</p>}
      </Notice>
    );
  }
  return (
    <Notice kind="fault" title={`The message breaks ${errors.length === 1 ? 'a rule' : `${errors.length} rules`}`}>
      <p>
        Correct the message in the system that sends it, or ask the operator to correct the mapping. Then send it again.
      </p>
      <FaultList faults={errors}>
        <p>
          Correct the mapping with <code>segue source change {source} --mapping</code>, and then send the message again.
        </p>
      </FaultList>
    </Notice>
  );
}
