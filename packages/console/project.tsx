import { useEffect, useRef, useState } from 'preact/hooks';
import {
  type DocumentedTargetLanguage,
  hasDocumentedTypes,
  type Project,
  type Progress as ProjectProgress,
  type WhatToDelete,
} from '../client/index.ts';
import { DeletePage } from './delete-page.tsx';
import { AutomaticProblem, Progress, targetLanguagesOf } from './languages.tsx';
import { useLoaded } from './load.ts';
import { Heading, Show } from './page.tsx';
import { Segments } from './segments.tsx';
import { useClient } from './session.ts';
import { UpdatePage } from './update-page.tsx';
import { date, text } from './values.ts';

/** One project: its fields, target languages, teams, tasks and segments. */
export function ProjectPage({ id }: { readonly id: number }) {
  const client = useClient();
  const [deleting, setDeleting] = useState<WhatToDelete>();
  const [isUpdating, setUpdating] = useState(false);
  const [updates, setUpdates] = useState(0);
  const loaded = useLoaded(async () => {
    const [project, progress] = await Promise.all([client.getProject(id), client.getProgress(id)]);
    return { project, progress };
  }, [id, updates]);
  const updated = () => {
    setUpdating(false);
    setUpdates(updates + 1);
  };
  return (
    <Show loaded={loaded}>
      {({ project, progress }) => {
        if (deleting) return <DeletePage id={id} what={deleting} onCancel={() => setDeleting(undefined)} />;
        if (isUpdating) return <UpdatePage id={id} onUpdated={updated} onCancel={() => setUpdating(false)} />;
        return (
          <Details
            id={id}
            project={project}
            first={progress}
            onUpdate={() => setUpdating(true)}
            onDelete={setDeleting}
          />
        );
      }}
    </Show>
  );
}

interface DetailsProps {
  readonly id: number;
  readonly project: Project;
  /** The progress when the page opened. */
  readonly first: ProjectProgress;
  readonly onUpdate: () => void;
  readonly onDelete: (what: WhatToDelete) => void;
}

function Details({ id, project, first, onUpdate, onDelete }: DetailsProps) {
  const progress = useProgress(id, first);
  const { languages, tasks } = progress;
  return (
    <>
      <Heading title={`Project ${id}`}>{text(project['name'])}</Heading>
      <Facts project={project} />
      <p class="pager">
        <button type="button" onClick={onUpdate}>
          Update from a file…
        </button>
        <button type="button" class="danger" onClick={() => onDelete('project')}>
          Delete the project…
        </button>
      </p>
      <h2>Target languages</h2>
      <ul class="cards" aria-label="Target languages">
        {targetLanguagesOf(project).map((language, index) => (
          <Language
            key={index}
            language={language}
            now={languages?.find(({ languageId }) => languageId === language.targetLanguageId)?.progress}
          />
        ))}
      </ul>
      <h2>Tasks</h2>
      <ul class="cards" aria-label="Tasks">
        {tasks?.map(({ taskId, total }) => (
          <li key={taskId}>
            <span class="name">{taskId ?? 'Segments without a task'}</span>
            <span>
              <Progress value={total} />
            </span>
            {typeof taskId === 'string' && (
              <button type="button" onClick={() => onDelete({ taskId })}>
                Delete this task…
              </button>
            )}
          </li>
        ))}
      </ul>
      <Segments key={isUnfinished(progress) ? 'unfinished' : 'finished'} id={id} project={project} />
    </>
  );
}

/** The first pause between two looks at the progress, the longest one, and how much each is longer than the last. */
const PAUSES = { firstMs: 1_000, longestMs: 15_000, factor: 1.5 };

/** Looks at the progress of a project, with growing pauses, until it is finished. A failure ends this. */
function useProgress(id: number, first: ProjectProgress): ProjectProgress {
  const client = useClient();
  const [progress, setProgress] = useState(first);
  const pauseMs = useRef(PAUSES.firstMs);
  useEffect(() => {
    if (!isUnfinished(progress)) return undefined;
    const look = () => client.getProgress(id).then(setProgress, () => {});
    const timer = setTimeout(look, pauseMs.current);
    pauseMs.current = Math.min(pauseMs.current * PAUSES.factor, PAUSES.longestMs);
    return () => clearTimeout(timer);
  }, [id, progress]);
  return progress;
}

/** Whether a service counts progress, and has not counted everything yet. */
function isUnfinished({ total }: ProjectProgress): boolean {
  return typeof total === 'number' && total < 100;
}

function Facts({ project }: { readonly project: Project }) {
  return (
    <dl class="facts">
      <dt>Custom id</dt>
      <dd>{text(project.customId)}</dd>
      <dt>Deadline</dt>
      <dd>{date(project['endDateUtc'])}</dd>
      <dt>Created</dt>
      <dd>{date(project['creationDateUtc'])}</dd>
      <dt>Source language</dt>
      <dd>{text(project['sourceLanguageCode'])}</dd>
      <dt>Description</dt>
      <dd>{text(project['description'])}</dd>
      {!hasDocumentedTypes(project) && <dd>The service sends fields of other types than documented.</dd>}
    </dl>
  );
}

const ROLES = [
  ['isProjectManager', 'project manager'],
  ['isTranslator', 'translator'],
  ['isProofreader', 'proofreader'],
  ['isInCountryReviewer', 'in-country reviewer'],
] as const;

/** @param now the progress since the project was loaded, if the service shows it */
function Language({ language, now }: { readonly language: DocumentedTargetLanguage; readonly now: unknown }) {
  const { targetLanguageCode, state, progress, team } = language;
  return (
    <li>
      <span class="name">{text(targetLanguageCode)}</span>
      <span>
        <Progress value={now ?? progress} /> <span class="quiet">{text(state)}</span>
      </span>
      {(now ?? progress) !== 100 && <AutomaticProblem language={language} />}
      {team?.map((member, index) => {
        const roles = ROLES.flatMap(([field, role]) => (member[field] ? [role] : []));
        return (
          <span key={index} class="quiet">
            {text(member.name)}: {roles.join(', ') || 'no role'}
          </span>
        );
      })}
    </li>
  );
}
