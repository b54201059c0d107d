import { useState } from 'preact/hooks';
import {
  type DocumentedTargetLanguage,
  hasDocumentedTypes,
  type Project,
  type WhatToDelete,
} from '../lib/client/index.ts';
import { DeletePage } from './delete-page.tsx';
import { Progress, targetLanguagesOf } from './languages.tsx';
import { useLoaded } from './load.ts';
import { Heading, Show } from './page.tsx';
import { Segments } from './segments.tsx';
import { useClient } from './session.ts';
import { date, text } from './values.ts';

/** One project: its fields, target languages, teams, tasks and segments. */
export function ProjectPage({ id }: { readonly id: number }) {
  const client = useClient();
  const [deleting, setDeleting] = useState<WhatToDelete>();
  const loaded = useLoaded(async () => {
    const [project, progress] = await Promise.all([client.getProject(id), client.getProgress(id)]);
    return { project, tasks: progress.tasks ?? [] };
  }, [id]);
  return (
    <Show loaded={loaded}>
      {({ project, tasks }) =>
        deleting ? (
          <DeletePage id={id} what={deleting} onCancel={() => setDeleting(undefined)} />
        ) : (
          <>
            <Heading title={`Project ${id}`}>{text(project['name'])}</Heading>
            <Facts project={project} />
            <button type="button" class="danger" onClick={() => setDeleting('project')}>
              Delete the project…
            </button>
            <h2>Target languages</h2>
            <ul class="cards" aria-label="Target languages">
              {targetLanguagesOf(project).map((language, index) => (
                <Language key={index} language={language} />
              ))}
            </ul>
            <h2>Tasks</h2>
            <ul class="cards" aria-label="Tasks">
              {tasks.map(({ taskId, total }) => (
                <li key={taskId}>
                  <span class="name">{taskId ?? 'Segments without a task'}</span>
                  <span>
                    <Progress value={total} />
                  </span>
                  {typeof taskId === 'string' && (
                    <button type="button" onClick={() => setDeleting({ taskId })}>
                      Delete this task…
                    </button>
                  )}
                </li>
              ))}
            </ul>
            <Segments id={id} project={project} />
          </>
        )
      }
    </Show>
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

function Language({ language }: { readonly language: DocumentedTargetLanguage }) {
  const { targetLanguageCode, state, progress, team } = language;
  return (
    <li>
      <span class="name">{text(targetLanguageCode)}</span>
      <span>
        <Progress value={progress} /> <span class="quiet">{text(state)}</span>
      </span>
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
