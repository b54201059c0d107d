import { useLayoutEffect } from 'preact/hooks';
import type { Project } from '../client/index.ts';
import { useQuery } from './address.ts';
import { Download, FillIn } from './download.tsx';
import { UploadTranslations } from './upload-translations.tsx';

interface FilesProps {
  readonly id: number;
  readonly project: Project;
  /** Opens the form that updates the project from a file. */
  readonly onUpdate: () => void;
}

/** The files that go out of a project and come back. A part of the view can be in the address. */
export function FilesView({ id, project, onUpdate }: FilesProps) {
  const { part = '' } = useQuery();
  useLayoutEffect(() => {
    if (part === 'upload') document.getElementById(part)?.scrollIntoView();
  }, [part]);
  return (
    <div class="panels">
      <Download id={id} project={project} />
      <UploadTranslations id={id} project={project} />
      <FillIn id={id} project={project} />
      <section class="panel" aria-labelledby="update">
        <h2 id="update">Update from a file</h2>
        <p>A new version of the texts replaces those of the project. Texts that stay equal keep their translations.</p>
        <button type="button" onClick={onUpdate}>
          Update from a file…
        </button>
      </section>
    </div>
  );
}
