import type { LastRequestReport, ResultFailureReport, ResultReport } from '../client/administration.ts';
import { Notice } from './design/status.tsx';
import { Facts, ForOperators, When, whenGiven } from './facts.tsx';
import { LanguageName } from './languages.tsx';
import { useLast, useLoaded } from './load.ts';
import { useProjectNames } from './names.ts';
import { Show } from './page.tsx';
import { DeadLetter, RedrivePage, State, useRedrive } from './redrive.tsx';
import { useAdministration } from './session.ts';
import { count } from './values.ts';
import { ENDS, EVENTS, NEXT_COMMANDS, NEXT_STEPS, REASONS, RESULT_OUTCOMES, wordsFor } from './words.ts';

/** One delivery to a destination, and how to send it again. */
export function ResultPage({ destination, id }: { readonly destination: string; readonly id: string }) {
  const administration = useAdministration();
  const redriving = useRedrive(() => administration.redriveResult(destination, id));
  const loaded = useLoaded(() => administration.getResult(destination, id), [destination, id, redriving.visit]);
  const last = useLast(loaded);
  const title = last ? RESULT_OUTCOMES[last.state] : 'Delivery';
  const above = [
    ['#/destinations', 'Destinations'],
    [`#/destinations/${encodeURIComponent(destination)}`, destination],
  ] as const;
  return (
    <RedrivePage above={above} here="Delivery" title={title} isDead={last?.state === 'dead'} redriving={redriving}>
      <Show loaded={loaded}>
        {(delivery) => (
          <>
            {delivery.failure && <Reason failure={delivery.failure} isDead={delivery.state === 'dead'} />}
            {delivery.state === 'dead' && (
              <p class="quiet">
                To send it again means to send the translations as they are now, with the mapping as it is now.
              </p>
            )}
            <ResultFacts delivery={delivery} />
            {delivery.state === 'dead' && <DeadLetter />}
            <h2>Last request</h2>
            {delivery.lastRequest ? <LastRequest request={delivery.lastRequest} /> : <p>No request was sent.</p>}
          </>
        )}
      </Show>
    </RedrivePage>
  );
}

function ResultFacts({ delivery }: { readonly delivery: ResultReport }) {
  const { id, state, type, projectId, languageCode, attempts, end } = delivery;
  const { recordedAtUtc, nextAttemptAtUtc, endedAtUtc } = delivery;
  const projectName = useProjectNames([projectId]);
  return (
    <Facts
      of={[
        ['State', <State of={state} />],
        ['Result', end === undefined ? undefined : wordsFor(ENDS, end)],
        ['Event', wordsFor(EVENTS, type)],
        [
          'Project',
          <a href={`#/projects/${projectId}`}>
            <bdi>{projectName(projectId) ?? `Project ${projectId}`}</bdi>
          </a>,
        ],
        ['Language', languageCode === undefined ? undefined : <LanguageName code={languageCode} />],
        ['Recorded', <When at={recordedAtUtc} />],
        ['Attempts', attempts],
        ['Next attempt', whenGiven(nextAttemptAtUtc)],
        ['Ended', whenGiven(endedAtUtc)],
        ['Id', <span class="id">{id}</span>],
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
      {isDead && Object.hasOwn(NEXT_COMMANDS, reason) && (
        <ForOperators>
          <p>
            <code>{NEXT_COMMANDS[reason]}</code>
          </p>
        </ForOperators>
      )}
    </Notice>
  );
}

/** The last request and its answer. Nobody keeps their content. */
function LastRequest({ request }: { readonly request: LastRequestReport }) {
  const { method, bytes, headers, status, answerBytes, atUtc } = request;
  return (
    <>
      <Facts
        of={[
          ['Request', `${request.request} of ${request.requests}, ${method}`],
          ['Sent', <When at={atUtc} />],
          ['Size', `${count(bytes)} bytes`],
          ['Answer', status === undefined ? 'None' : `Status ${status}`],
          ['Size of the answer', answerBytes === undefined ? undefined : `${count(answerBytes)} bytes`],
        ]}
      />
      <ForOperators>
        <Facts of={[['Headers', headers.join(', ')]]} />
      </ForOperators>
    </>
  );
}
