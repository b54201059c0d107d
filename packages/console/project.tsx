import { useState } from 'preact/hooks';
import type { Project, Progress as ProjectProgress, WhatToDelete } from '../client/index.ts';
import { useQuery } from './address.ts';
import { DeletePage } from './delete-page.tsx';
import { FilesView } from './files-view.tsx';
import { leastFinishedFirst, targetLanguagesOf } from './languages.tsx';
import { useLive } from './live.ts';
import { useLoaded } from './load.ts';
import { nameOf } from './names.ts';
import { Overview } from './overview.tsx';
import { Show } from './page.tsx';
import { ProjectBar, viewAddress, viewIn } from './project-bar.tsx';
import { Segments } from './segments.tsx';
import { useClient } from './session.ts';
import { TeamView } from './team-view.tsx';
import { UpdatePage } from './update-page.tsx';
import { text } from './values.ts';

/** One project: an overview, its texts, its files and its people. The address of the page says which of them. */
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
    setDeleting(undefined);
    setUpdates(updates + 1);
    location.hash = viewAddress(id, 'overview');
  };
  return (
    <Show loaded={loaded} title={`Project ${id}`}>
      {({ project, progress }) => {
        if (deleting)
          return (
            <DeletePage
              id={id}
              name={nameOf({ ...project, id })}
              what={deleting}
              onCancel={() => setDeleting(undefined)}
              onDeleted={updated}
            />
          );
        if (isUpdating) return <UpdatePage id={id} onUpdated={updated} onCancel={() => setUpdating(false)} />;
        return (
          <Views
            {...{ id, project, onUpdated: updated, onDelete: setDeleting }}
            first={progress}
            onUpdate={() => setUpdating(true)}
          />
        );
      }}
    </Show>
  );
}

interface ViewsProps {
  readonly id: number;
  readonly project: Project;
  /** The progress when the page opened. */
  readonly first: ProjectProgress;
  /** Opens the form that updates the project from a file. */
  readonly onUpdate: () => void;
  /** Called after the project was updated. */
  readonly onUpdated: () => void;
  readonly onDelete: (what: WhatToDelete) => void;
}

function Views({ id, project, first, onUpdate, onUpdated, onDelete }: ViewsProps) {
  const client = useClient();
  const view = viewIn(useQuery());
  const progress = useLive(first, { look: () => client.getProgress(id), isUnfinished, longestMs: LONGEST_PAUSE_MS });
  const views = {
    overview: () => <Overview {...{ id, project, progress, onUpdate, onDelete }} />,
    texts: () => <Segments id={id} project={project} version={isUnfinished(progress)} />,
    files: () => <FilesView {...{ id, project, onUpdate }} />,
    people: () => <TeamView id={id} onUpdated={onUpdated} />,
  };
  const [least] = leastFinishedFirst(targetLanguagesOf(project));
  return (
    <>
      <ProjectBar id={id} name={text(project['name'])} view={view} language={least?.targetLanguageCode ?? undefined} />
      {views[view]()}
    </>
  );
}

/** The longest pause between two looks at the progress: at most 240 requests an hour. */
const LONGEST_PAUSE_MS = 15_000;

/** Whether a service counts progress, and has not counted everything yet. */
function isUnfinished({ total }: ProjectProgress): boolean {
  return typeof total === 'number' && total < 100;
}
