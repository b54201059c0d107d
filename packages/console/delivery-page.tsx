import type { CommandReport, DeliveryFault, DeliveryReport } from '../client/administration.ts';
import { Badge, Notice, type Tone } from './design/status.tsx';
import { Facts } from './facts.tsx';
import { useLoaded } from './load.ts';
import { Failure, Heading, Show } from './page.tsx';
import { useRedrive } from './redrive.ts';
import { useAdministration } from './session.ts';
import { count, date, text } from './values.ts';
import { STATE_TONES, STATES, titleOf } from './words.ts';

/** One delivery of a webhook source, and how to redrive it. */
export function DeliveryPage({ source, id }: { readonly source: string; readonly id: string }) {
  const administration = useAdministration();
  const { visit, notice, error, lookAgain, redrive } = useRedrive(() => administration.redriveDelivery(source, id));
  const loaded = useLoaded(() => administration.getDelivery(source, id), [source, id, visit]);
  return (
    <>
      <Heading title="Delivery" />
      {notice !== '' && (
        <Notice kind="ok" isLive>
          {notice}
        </Notice>
      )}
      {error !== undefined && <Failure error={error} />}
      <Show loaded={loaded}>
        {(delivery) => (
          <>
            <DeliveryFacts delivery={delivery} />
            {delivery.changedSince && <Changed since={delivery.changedSince} />}
            <p class="pager">
              {delivery.state === 'dead' && (
                <button class="main" type="button" onClick={redrive}>
                  Redrive
                </button>
              )}
              <button type="button" onClick={lookAgain}>
                Look again
              </button>
            </p>
            <Message delivery={delivery} />
          </>
        )}
      </Show>
    </>
  );
}

/** Warns of what redriving may undo. */
function Changed({ since }: { readonly since: NonNullable<DeliveryReport['changedSince']> }) {
  const { deletedAtUtc, createdAtUtc } = since;
  return (
    <Notice kind="warning" title="The project has changed since">
      {deletedAtUtc !== undefined && (
        <p>A project of this message was deleted on {date(deletedAtUtc)}. Redriving may create it again.</p>
      )}
      {createdAtUtc !== undefined && (
        <p>
          A project of this message was created on {date(createdAtUtc)}. Redriving may delete it, or put an older text
          in its place.
        </p>
      )}
    </Notice>
  );
}

function DeliveryFacts({ delivery }: { readonly delivery: DeliveryReport }) {
  const { source, id, state, receivedAtUtc, attempts, nextAttemptAtUtc, endedAtUtc, commands } = delivery;
  return (
    <>
      <Facts
        of={[
          ['Id', id],
          ['Source', <a href={`#/sources/${encodeURIComponent(source)}`}>{source}</a>],
          ['State', <Badge tone={STATE_TONES[state]}>{STATES[state]}</Badge>],
          ['Received', date(receivedAtUtc)],
          ['Attempts', attempts],
          ['Next attempt', nextAttemptAtUtc === undefined ? undefined : date(nextAttemptAtUtc)],
          ['Ended', endedAtUtc === undefined ? undefined : date(endedAtUtc)],
          ['Result', delivery.result === undefined ? undefined : text(delivery.result)],
        ]}
      />
      <Problem report={delivery} />
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
                <Problem report={command} />
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
          ['Headers', request && (request.headers.length === 0 ? 'None' : request.headers.join(', '))],
          ['Answer', 'Status 202, with the id of the delivery'],
          ['Fetched entry', fetchedBytes === undefined ? undefined : `${count(fetchedBytes)} bytes`],
        ]}
      />
      <p class="quiet">Signatures, credentials and the headers of proxies are not stored.</p>
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

/** Why an attempt failed, with every fault. */
function Problem({ report }: { readonly report: Pick<CommandReport, 'problem' | 'detail' | 'errors'> }) {
  const { problem, detail, errors } = report;
  if (problem === undefined) return null;
  return (
    <Notice kind="fault" title={titleOf(problem)}>
      {detail !== undefined && <p>{detail}</p>}
      {errors !== undefined && errors.length > 0 && <Faults faults={errors} />}
    </Notice>
  );
}

function Faults({ faults }: { readonly faults: readonly DeliveryFault[] }) {
  return (
    <ul aria-label="Faults">
      {faults.map(({ pointer, code, detail }) => (
        <li key={pointer + code}>
          <code>{pointer === '' ? 'the whole result' : pointer}</code> {detail}
        </li>
      ))}
    </ul>
  );
}
