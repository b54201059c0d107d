import { useState } from 'preact/hooks';
import {
  type Assignee,
  type DocumentedTargetLanguage,
  hasDocumentedTypes,
  type Project,
  type Progress as ProjectProgress,
  type WhatToDelete,
} from '../client/index.ts';
import { Badge } from './design/status.tsx';
import { Assignees, LanguageWork, taskAddress } from './language-work.tsx';
import {
  AutomaticProblem,
  isOverdue,
  LanguageName,
  LanguageState,
  leastFinishedFirst,
  Progress,
  targetLanguagesOf,
} from './languages.tsx';
import { rolesOf } from './people-changes.ts';
import { viewAddress } from './project-bar.tsx';
import { counted } from './quote.tsx';
import { TO_DO } from './segment-filter.ts';
import { date, languageLabel, percent, text } from './values.ts';

interface OverviewProps {
  readonly id: number;
  readonly project: Project;
  readonly progress: ProjectProgress;
  /** Opens the form that updates the project from a file. */
  readonly onUpdate: () => void;
  readonly onDelete: (what: WhatToDelete) => void;
}

/** What is going on in a project: its progress, its languages and tasks, and its fields. */
export function Overview({ id, project, progress, onUpdate, onDelete }: OverviewProps) {
  const { languages } = progress;
  const tasks = progress.tasks ?? [];
  return (
    <>
      <Summary project={project} total={progress.total} />
      <div class="toolbar">
        <a class="button" href={viewAddress(id, 'files')}>
          Download
        </a>
        <a class="button" href={viewAddress(id, 'files', { part: 'upload' })}>
          Upload
        </a>
        <button type="button" onClick={onUpdate}>
          Update from a file…
        </button>
      </div>
      <h2>Target languages</h2>
      <ul class="cards columns" aria-label="Target languages">
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
      {tasks.length > 0 && <h2>Tasks</h2>}
      <ul class="cards columns" aria-label="Tasks">
        {tasks.map(({ taskId, total, targetLanguages }) => (
          <li key={taskId}>
            <a
              class="name"
              href={taskAddress(id, {
                taskId,
                languageCode: leastFinishedFirst(targetLanguages ?? [])[0]?.languageCode,
                status: total === 100 ? undefined : TO_DO,
              })}
            >
              <bdi>{taskId ?? 'Segments without a task'}</bdi>
            </a>
            <span class="progress">
              <Progress value={total} />
            </span>
          </li>
        ))}
      </ul>
      <h2>About the project</h2>
      <Facts project={project} />
      <p>
        To change these,{' '}
        <button type="button" class="link" onClick={onUpdate}>
          update from a file
        </button>
        .
      </p>
      <Deletion
        tasks={tasks.flatMap(({ taskId }) => (typeof taskId === 'string' ? [taskId] : []))}
        onDelete={onDelete}
      />
    </>
  );
}

/** The state of the project in one line. */
function Summary({ project, total }: { readonly project: Project; readonly total: unknown }) {
  const segments = hasDocumentedTypes(project) ? project.segments : undefined;
  return (
    <>
      <p class="summary">
        {total !== undefined && <Progress value={total} word="done" />}
        {segments && <bdi>{counted(segments.length, 'segment')}</bdi>}
        <span>
          Due {date(project['endDateUtc'])} {isOverdue(project) && <Badge tone="warning">Overdue</Badge>}
        </span>
      </p>
      <ProgressAnnouncement total={total} />
    </>
  );
}

/** Tells a screen reader of the progress, at each tenth. */
function ProgressAnnouncement({ total }: { readonly total: unknown }) {
  if (typeof total !== 'number') return null;
  return (
    <p role="status" class="hidden">
      {total >= 100 ? 'Everything is done.' : `At least ${percent(Math.floor(total / 10) * 10)} is done.`}
    </p>
  );
}

function Facts({ project }: { readonly project: Project }) {
  return (
    <dl class="facts">
      <dt>Name</dt>
      <dd>{text(project['name'])}</dd>
      <dt>Custom id</dt>
      <dd>{text(project.customId)}</dd>
      <dt>Deadline</dt>
      <dd>{date(project['endDateUtc'])}</dd>
      <dt>Created</dt>
      <dd>{date(project['creationDateUtc'])}</dd>
      <dt>Source language</dt>
      <dd>{languageLabel(text(project['sourceLanguageCode']))}</dd>
      <dt>Description</dt>
      <dd>{text(project['description'])}</dd>
      {!hasDocumentedTypes(project) && <dd>The service sends fields of other types than documented.</dd>}
    </dl>
  );
}

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
  const { targetLanguageCode: code, state, team } = language;
  const progress = now ?? language.progress;
  return (
    <li>
      <a href={viewAddress(projectId, 'texts', { language: code ?? undefined })}>
        <LanguageName code={text(code)} />
      </a>
      <span class="progress">
        <Progress value={progress} />
      </span>
      <span class="state">
        <LanguageState state={state} progress={progress} />
      </span>
      {progress !== 100 && (
        <>
          <LanguageWork projectId={projectId} language={language} onChanged={setChanged} />
          <span class="more">
            <AutomaticProblem language={language} />
          </span>
        </>
      )}
      {team && team.length > 0 && (
        <ul class="chips more" aria-label={`People of ${languageLabel(text(code))}`}>
          {team.map((member, index) => (
            <li key={index} class="quiet">
              <bdi>{text(member.name)}</bdi>: {rolesOf(member).toLowerCase()}
            </li>
          ))}
        </ul>
      )}
      <Assignees projectId={projectId} language={language} assignees={assignees} />
    </li>
  );
}

interface DeletionProps {
  readonly tasks: readonly string[];
  readonly onDelete: (what: WhatToDelete) => void;
}

/** The ways to delete the project, or a part of it. Each shows first what it would remove. */
function Deletion({ tasks, onDelete }: DeletionProps) {
  const [chosen, setChosen] = useState(tasks[0]);
  const taskId = tasks.find((task) => task === chosen) ?? tasks[0];
  return (
    <section class="panel deletion" aria-labelledby="deletion">
      <h2 id="deletion">Delete</h2>
      <p class="quiet">A deletion cannot be undone. You see what it removes before you confirm it.</p>
      {taskId !== undefined && (
        <div class="toolbar">
          <label>
            Task
            <select value={taskId} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
              {tasks.map((task) => (
                <option key={task} value={task}>
                  {task}
                </option>
              ))}
            </select>
          </label>
          <button type="button" class="danger" onClick={() => onDelete({ taskId })}>
            Delete this task…
          </button>
        </div>
      )}
      <button type="button" class="danger" onClick={() => onDelete('project')}>
        Delete the project…
      </button>
    </section>
  );
}
