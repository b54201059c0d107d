import type { LastRequestReport, ResultFailureReport, ResultReport } from '../client/administration.ts';
import { Badge, Notice } from './design/status.tsx';
import { Facts } from './facts.tsx';
import { useLoaded } from './load.ts';
import { Failure, Heading, Show } from './page.tsx';
import { useRedrive } from './redrive.ts';
import { useAdministration } from './session.ts';
import { count, date } from './values.ts';
import { ENDS, EVENTS, NEXT_STEPS, REASONS, STATE_TONES, STATES, wordsFor } from './words.ts';

/** One delivery to a destination, and how to redrive it. */
export function ResultPage({ destination, id }: { readonly destination: string; readonly id: string }) {
  const administration = useAdministration();
  const { visit, notice, error, lookAgain, redrive } = useRedrive(() => administration.redriveResult(destination, id));
  const loaded = useLoaded(() => administration.getResult(destination, id), [destination, id, visit]);
  return (
    <>
      <Heading title="Delivery to a destination" />
      {notice !== '' && (
        <Notice kind="ok" isLive>
          {notice}
        </Notice>
      )}
      {error !== undefined && <Failure error={error} />}
      <Show loaded={loaded}>
        {(delivery) => (
          <>
            <ResultFacts delivery={delivery} />
            {delivery.failure && <Reason failure={delivery.failure} isDead={delivery.state === 'dead'} />}
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
            {delivery.state === 'dead' && (
              <p class="quiet">Redriving sends the translations as they are now, with the mapping as it is now.</p>
            )}
            <h2>Last request</h2>
            {delivery.lastRequest ? <LastRequest request={delivery.lastRequest} /> : <p>No request was sent.</p>}
          </>
        )}
      </Show>
    </>
  );
}

function ResultFacts({ delivery }: { readonly delivery: ResultReport }) {
  const { destination, id, state, type, projectId, languageCode, attempts, end } = delivery;
  const { recordedAtUtc, nextAttemptAtUtc, endedAtUtc } = delivery;
  return (
    <Facts
      of={[
        ['Id', id],
        ['Destination', <a href={`#/destinations/${encodeURIComponent(destination)}`}>{destination}</a>],
        ['State', <Badge tone={STATE_TONES[state]}>{STATES[state]}</Badge>],
        ['Result', end === undefined ? undefined : wordsFor(ENDS, end)],
        ['Event', wordsFor(EVENTS, type)],
        ['Project', <a href={`#/projects/${projectId}`}>Project {projectId}</a>],
        ['Language', languageCode],
        ['Recorded', date(recordedAtUtc)],
        ['Attempts', attempts],
        ['Next attempt', nextAttemptAtUtc === undefined ? undefined : date(nextAttemptAtUtc)],
        ['Ended', endedAtUtc === undefined ? undefined : date(endedAtUtc)],
      ]}
    />
  );
}

/** Why the last attempt failed, and what to do. */
function Reason({ failure, isDead }: { readonly failure: ResultFailureReport; readonly isDead: boolean }) {
  const { reason, status, code, request, detail } = failure;
  const facts = [
    request === undefined ? undefined : `Request ${request}`,
    status === undefined ? undefined : `status ${status}`,
    code,
  ].filter((fact) => fact !== undefined);
  return (
    <Notice kind={isDead ? 'fault' : 'warning'} title={wordsFor(REASONS, reason)}>
      {facts.length > 0 && <p>{facts.join(', ')}</p>}
      {detail !== undefined && <p>{detail}</p>}
      {isDead ? Object.hasOwn(NEXT_STEPS, reason) && <p>{NEXT_STEPS[reason]}</p> : <p>Segue tries again.</p>}
    </Notice>
  );
}

/** The last request and its answer. Nobody keeps their content. */
function LastRequest({ request }: { readonly request: LastRequestReport }) {
  const { method, bytes, headers, status, answerBytes, atUtc } = request;
  return (
    <Facts
      of={[
        ['Request', `${request.request} of ${request.requests}, ${method}`],
        ['Sent', date(atUtc)],
        ['Size', `${count(bytes)} bytes`],
        ['Headers', headers.join(', ')],
        ['Answer', status === undefined ? 'None' : `Status ${status}`],
        ['Size of the answer', answerBytes === undefined ? undefined : `${count(answerBytes)} bytes`],
      ]}
    />
  );
}
