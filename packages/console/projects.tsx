import { useState } from 'preact/hooks';
import type { ListOptions, ProjectHead } from '../client/index.ts';
import { LanguageChips } from './languages.tsx';
import { useLoaded } from './load.ts';
import { Heading, Show } from './page.tsx';
import { useClient } from './session.ts';
import { date, text } from './values.ts';

const ON_A_PAGE = 50;

/** The company's projects, newest first, with filters. */
export function ProjectsPage() {
  const client = useClient();
  const [filter, setFilter] = useState<ListOptions>({});
  const loaded = useLoaded(() => client.listProjects({ ...filter, limit: ON_A_PAGE }), [filter]);
  return (
    <>
      <Heading title="Projects" />
      <Filters onChange={setFilter} />
      <Show loaded={loaded}>
        {({ projects, cursor }) => (
          <>
            {projects.length === 0 ? <p>No projects.</p> : <ProjectTable projects={projects} />}
            <p class="pager">
              {filter.cursor !== undefined && (
                <button type="button" onClick={() => setFilter({ ...filter, cursor: undefined })}>
                  Newest projects
                </button>
              )}
              {cursor !== undefined && (
                <button type="button" onClick={() => setFilter({ ...filter, cursor })}>
                  Older projects
                </button>
              )}
            </p>
          </>
        )}
      </Show>
    </>
  );
}

function Filters({ onChange }: { readonly onChange: (filter: ListOptions) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) onChange(filterIn(new FormData(event.currentTarget)));
  };
  return (
    <form class="filters" aria-label="Filters" onSubmit={submit}>
      <label>
        Custom id begins with
        <input name="prefix" autocomplete="off" />
      </label>
      <label>
        State
        <select name="state">
          <option value="">Any</option>
          <option value="InProgress">In progress</option>
          <option value="InPreparation">In preparation</option>
        </select>
      </label>
      <label>
        Done
        <select name="done">
          <option value="">Any</option>
          <option value="true">Done</option>
          <option value="false">Not done</option>
        </select>
      </label>
      <label>
        Due before
        <input name="due" type="date" />
      </label>
      <button type="submit">Filter</button>
    </form>
  );
}

function filterIn(fields: FormData): ListOptions {
  const field = (name: string) => String(fields.get(name) ?? '');
  const state = field('state');
  const due = field('due');
  return {
    customIdPrefix: field('prefix') || undefined,
    state: state === 'InProgress' || state === 'InPreparation' ? state : undefined,
    done: field('done') === '' ? undefined : field('done') === 'true',
    dueBefore: due === '' ? undefined : `${due}T00:00:00Z`,
  };
}

function ProjectTable({ projects }: { readonly projects: readonly ProjectHead[] }) {
  return (
    <ul class="cards" aria-label="Projects">
      {projects.map((project) => (
        <li key={project.id}>
          <a class="name" href={`#/projects/${project.id}`}>
            {text(project['name'])}
          </a>
          <span class="quiet">
            {project.customId ?? `No custom id`} · Project {project.id} · Due {date(project['endDateUtc'])}
          </span>
          <LanguageChips project={project} />
        </li>
      ))}
    </ul>
  );
}
