import { useState } from 'preact/hooks';
import {
  type Assignee,
  type DocumentedTargetLanguage,
  hasDocumentedTypes,
  type Project,
  type Progress as ProjectProgress,
  type WhatToDelete,
} from '../client/index.ts';
import { DeletePage } from './delete-page.tsx';
import { Download } from './download.tsx';
import { Assignees, LanguageWork } from './language-work.tsx';
import { AutomaticProblem, LanguageState, Progress, targetLanguagesOf } from './languages.tsx';
import { useLive } from './live.ts';
import { useLoaded } from './load.ts';
import { PageHead, Show } from './page.tsx';
import { Segments } from './segments.tsx';
import { useClient } from './session.ts';
import { TeamPage } from './team-page.tsx';
import { UpdatePage } from './update-page.tsx';
import { UploadTranslations } from './upload-translations.tsx';
import { date, languageName, text } from './values.ts';

/** One project: its fields, target languages, teams, tasks and segments. */
export function ProjectPage({ id }: { readonly id: number }) {
  const client = useClient();
  const [deleting, setDeleting] = useState<WhatToDelete>();
  const [changing, setChanging] = useState<'file' | 'people'>();
  const [updates, setUpdates] = useState(0);
  const loaded = useLoaded(async () => {
    const [project, progress] = await Promise.all([client.getProject(id), client.getProgress(id)]);
    return { project, progress };
  }, [id, updates]);
  const updated = () => {
    setChanging(undefined);
    setUpdates(updates + 1);
  };
  const cancel = () => setChanging(undefined);
  return (
    <Show loaded={loaded} title={`Project ${id}`}>
      {({ project, progress }) => {
        if (deleting)
          return (
            <DeletePage id={id} name={text(project['name'])} what={deleting} onCancel={() => setDeleting(undefined)} />
          );
        if (changing === 'file') return <UpdatePage id={id} onUpdated={updated} onCancel={cancel} />;
        if (changing === 'people') return <TeamPage id={id} onUpdated={updated} onCancel={cancel} />;
        return <Details id={id} project={project} first={progress} onChange={setChanging} onDelete={setDeleting} />;
      }}
    </Show>
  );
}

interface DetailsProps {
  readonly id: number;
  readonly project: Project;
  /** The progress when the page opened. */
  readonly first: ProjectProgress;
  /** Opens a form that changes the project. */
  readonly onChange: (what: 'file' | 'people') => void;
  readonly onDelete: (what: WhatToDelete) => void;
}

function Details({ id, project, first, onChange, onDelete }: DetailsProps) {
  const client = useClient();
  const progress = useLive(first, { look: () => client.getProgress(id), isUnfinished, longestMs: LONGEST_PAUSE_MS });
  const [writes, setWrites] = useState(0);
  const { languages, tasks } = progress;
  return (
    <>
      <PageHead title={`Project ${id}`} heading={text(project['name'])}>
        <button type="button" onClick={() => onChange('file')}>
          Update from a file…
        </button>
        <button type="button" onClick={() => onChange('people')}>
          Change the people…
        </button>
      </PageHead>
      <Facts project={project} />
      <ProgressAnnouncement total={progress.total} />
      <h2>Target languages</h2>
      <ul class="cards" aria-label="Target languages">
        {targetLanguagesOf(project).map((language, index) => (
          <Language
            key={index}
            projectId={id}
            language={language}
            assignees={progress.assignees ?? []}
            now={languages?.find(({ languageId }) => languageId === language.targetLanguageId)?.progress}
          />
        ))}
      </ul>
      {tasks && tasks.length > 0 && <h2>Tasks</h2>}
      <ul class="cards" aria-label="Tasks">
        {tasks?.map(({ taskId, total }) => (
          <li key={taskId} class="split">
            <bdi class="name">{taskId ?? 'Segments without a task'}</bdi>
            <span class="toolbar">
              <Progress value={total} />
              {typeof taskId === 'string' && (
                <button type="button" class="subtle" onClick={() => onDelete({ taskId })}>
                  Delete this task…
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p>
        <button type="button" class="subtle" onClick={() => onDelete('project')}>
          Delete the project…
        </button>
      </p>
      <details>
        <summary>Download or upload translations</summary>
        <Download id={id} project={project} />
        <UploadTranslations id={id} project={project} onWritten={() => setWrites(writes + 1)} />
      </details>
      <Segments id={id} project={project} version={`${isUnfinished(progress)} ${writes}`} />
    </>
  );
}

/** The longest pause between two looks at the progress: at most 240 requests an hour. */
const LONGEST_PAUSE_MS = 15_000;

/** Whether a service counts progress, and has not counted everything yet. */
function isUnfinished({ total }: ProjectProgress): boolean {
  return typeof total === 'number' && total < 100;
}

/** Tells a screen reader of the progress, at each tenth. */
function ProgressAnnouncement({ total }: { readonly total: unknown }) {
  if (typeof total !== 'number') return null;
  return (
    <p role="status" class="hidden">
      {total >= 100 ? 'Everything is done.' : `At least ${Math.floor(total / 10) * 10} % is done.`}
    </p>
  );
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
      <dd>{languageName(text(project['sourceLanguageCode']))}</dd>
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

interface LanguageProps {
  readonly projectId: number;
  readonly language: DocumentedTargetLanguage;
  readonly assignees: readonly Assignee[];
  /** The progress since the project was loaded, if the service shows it. */
  readonly now: unknown;
}

function Language({ projectId, language: read, assignees, now }: LanguageProps) {
  const [changed, setChanged] = useState<Pick<DocumentedTargetLanguage, 'state' | 'automaticTranslation'>>();
  const language = { ...read, ...changed };
  const { targetLanguageCode, state, progress, team } = language;
  return (
    <li>
      <span class="split">
        <span>
          <span class="name">{languageName(text(targetLanguageCode))}</span>{' '}
          <span class="quiet">{text(targetLanguageCode)}</span>
        </span>
        <span class="toolbar">
          <Progress value={now ?? progress} />
          <LanguageState state={state} progress={now ?? progress} />
        </span>
      </span>
      {(now ?? progress) !== 100 && <AutomaticProblem language={language} />}
      {team?.map((member, index) => {
        const roles = ROLES.flatMap(([field, role]) => (member[field] ? [role] : []));
        return (
          <span key={index} class="quiet">
            <bdi>{text(member.name)}</bdi>: {roles.join(', ') || 'no role'}
          </span>
        );
      })}
      <Assignees language={language} assignees={assignees} />
      <LanguageWork projectId={projectId} language={language} onChanged={setChanged} />
    </li>
  );
}
