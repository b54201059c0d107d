import type { ResultFailureReport, ResultReport } from '../client/administration.ts';
import { fragmentOf } from './address.ts';
import { Notice } from './design/status.tsx';
import { bytesGiven, Facts, ForOperators, When, whenGiven } from './facts.tsx';
import { LanguageName } from './languages.tsx';
import { useProjectNames } from './names.ts';
import { PageHead, Show, Trail } from './page.tsx';
import { DeadLetter, endOf, State, useRedrive } from './redrive.tsx';
import { useAdministration } from './session.ts';
import { knownIn } from './values.ts';
import { deliveredOf, ENDS, EVENTS, NEXT_STEPS, reasonOf, wordsFor } from './words.ts';

/** One delivery to a destination, and how to send it again. */
export function ResultPage({ destination, id }: { readonly destination: string; readonly id: string }) {
  const administration = useAdministration();
  const {
    loaded,
    delivery: last,
    buttons,
    notice,
  } = useRedrive({
    read: () => administration.getResult(destination, id),
    send: () => administration.redriveResult(destination, id),
    action: 'Send again',
    nothing: 'Nothing was sent: the delivery no longer counts as failed.',
  });
  const { projectId = 0, languageCode } = last ?? {};
  const project = useProjectNames(last ? [projectId] : [])(projectId) ?? `Project ${projectId}`;
  const page = `#/destinations/${destination}`;
  const above = [
    ['#/destinations', 'Destinations'],
    [page, destination],
  ] as const;
  return (
    <>
      <Trail above={above} here="Delivery" />
      <PageHead title={last ? deliveredOf(project, languageCode) : 'Delivery'}>
        {languageCode && (
          <a class="button" href={fragmentOf(`${page}/test`, { project: String(projectId), language: languageCode })}>
            Test
          </a>
        )}
        {buttons}
      </PageHead>
      {notice}
      <Show loaded={loaded}>
        {(delivery) => (
          <>
            {delivery.failure && <Reason failure={delivery.failure} isDead={delivery.state === 'dead'} />}
            <ResultFacts delivery={delivery} project={project} />
            <TechnicalDetails delivery={delivery} />
          </>
        )}
      </Show>
    </>
  );
}

function ResultFacts({ delivery, project }: { readonly delivery: ResultReport; readonly project: string }) {
  const { state, projectId, languageCode, attempts, end, recordedAtUtc, nextAttemptAtUtc, endedAtUtc } = delivery;
  return (
    <Facts
      of={[
        ['State', <State of={state} />],
        ['Result', end && wordsFor(ENDS, end)],
        [
          'Project',
          <a href={`#/projects/${projectId}`}>
            <bdi>{project}</bdi>
          </a>,
        ],
        ['Language', languageCode && <LanguageName code={languageCode} />],
        ['Event', <When at={recordedAtUtc} />],
        ['Attempts', attempts > 1 ? attempts : undefined],
        ['Next attempt', whenGiven(nextAttemptAtUtc)],
        ['Ended', endOf(recordedAtUtc, endedAtUtc)],
      ]}
    />
  );
}

/** Why the last attempt failed, and what to do. */
function Reason({ failure, isDead }: { readonly failure: ResultFailureReport; readonly isDead: boolean }) {
  const { reason, detail } = failure;
  return (
    <Notice kind={isDead ? 'fault' : 'warning'} title={reasonOf(failure)}>
      {detail !== undefined && <p>{detail}</p>}
      <p>{isDead ? knownIn(NEXT_STEPS, reason) : 'Segue tries again.'}</p>
      {isDead && (
        <p>
          <strong>Send again</strong> sends the translations and the mapping as they are now.
        </p>
      )}
    </Notice>
  );
}

/** What the operator needs: the event, the last request and its answer. Nobody keeps their content. */
function TechnicalDetails({
  delivery: { destination, id, state, type, lastRequest },
}: {
  readonly delivery: ResultReport;
}) {
  return (
    <ForOperators title="Technical details">
      <Facts
        of={[
          ['Id', <span class="id">{id}</span>],
          ['Kind of event', wordsFor(EVENTS, type)],
          ...(lastRequest
            ? ([
                ['Last request', `${lastRequest.request} of ${lastRequest.requests}, ${lastRequest.method}`],
                ['Sent', <When at={lastRequest.atUtc} />],
                ['Size', bytesGiven(lastRequest.bytes)],
                ['Headers', lastRequest.headers.join(', ')],
                ['Answer', lastRequest.status === undefined ? 'None' : `Status ${lastRequest.status}`],
                ['Size of the answer', bytesGiven(lastRequest.answerBytes)],
              ] as const)
            : ([['Last request', 'None']] as const)),
        ]}
      />
      {state === 'dead' && <DeadLetter change={`segue destination change ${destination}`} />}
    </ForOperators>
  );
}
