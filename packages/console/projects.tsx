import type { ListOptions, ProjectHead, ProjectPage } from '../client/index.ts';
import { pushQuery, type Query, useQuery } from './address.ts';
import { Badge, Empty } from './design/status.tsx';
import { isInWork, LanguageChips, targetLanguagesOf } from './languages.tsx';
import { useLive } from './live.ts';
import { useLoaded } from './load.ts';
import { PageHead, Show } from './page.tsx';
import { useClient } from './session.ts';
import { date, text } from './values.ts';

const ON_A_PAGE = 50;
/** The longest pause between two looks at the progress of the listed projects: at most 120 requests an hour. */
const LONGEST_PAUSE_MS = 30_000;

/** The company's projects, newest first, with filters, which are in the address of the page. */
export function ProjectsPage() {
  const client = useClient();
  const query = useQuery();
  const list = () => client.listProjects({ ...filterIn(query), limit: ON_A_PAGE });
  const loaded = useLoaded(list, [JSON.stringify(query)]);
  return (
    <>
      <PageHead title="Projects">
        <a class="button main" href="#/create">
          Create a project
        </a>
      </PageHead>
      <Filters key={JSON.stringify(query)} query={query} />
      <Show loaded={loaded}>{(first) => <List first={first} list={list} query={query} />}</Show>
    </>
  );
}

interface ListProps {
  readonly first: ProjectPage;
  readonly list: () => Promise<ProjectPage>;
  readonly query: Query;
}

/** A page of the list, whose progress moves by itself. */
function List({ first, list, query }: ListProps) {
  const { projects, cursor } = useLive(first, {
    look: list,
    isUnfinished: (page) => page.projects.some(isInWork),
    longestMs: LONGEST_PAUSE_MS,
  });
  return (
    <>
      {projects.length === 0 ? (
        <NoProjects isFiltered={Object.values(query).some(Boolean)} />
      ) : (
        <ProjectList projects={projects} />
      )}
      <p class="pager">
        {query['cursor'] !== undefined && (
          <button type="button" onClick={() => pushQuery({ ...query, cursor: undefined })}>
            Newest projects
          </button>
        )}
        {cursor !== undefined && (
          <button type="button" onClick={() => pushQuery({ ...query, cursor })}>
            Older projects
          </button>
        )}
      </p>
    </>
  );
}

/** The filters. Their names are those in the address. */
function Filters({ query }: { readonly query: Query }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const fields = [...new FormData(event.currentTarget)];
    pushQuery(Object.fromEntries(fields.map(([name, value]) => [name, String(value)])));
  };
  return (
    <form class="filters" aria-label="Filters" onSubmit={submit}>
      <label>
        Custom id begins with
        <input name="prefix" type="search" defaultValue={query['prefix'] ?? ''} autocomplete="off" />
      </label>
      <label>
        State
        <select name="state">
          <option value="">Any</option>
          <option value="InProgress" selected={query['state'] === 'InProgress'}>
            In progress
          </option>
          <option value="InPreparation" selected={query['state'] === 'InPreparation'}>
            In preparation
          </option>
        </select>
      </label>
      <label>
        Done
        <select name="done">
          <option value="">Any</option>
          <option value="true" selected={query['done'] === 'true'}>
            Done
          </option>
          <option value="false" selected={query['done'] === 'false'}>
            Not done
          </option>
        </select>
      </label>
      <label>
        Due before
        <input name="due" type="date" defaultValue={query['due'] ?? ''} />
      </label>
      <button type="submit">Filter</button>
      {Object.values(query).some(Boolean) && (
        <button type="button" onClick={() => pushQuery({})}>
          All projects
        </button>
      )}
    </form>
  );
}

/** Returns the filter of an address, which anybody may have written. What it cannot mean does not count. */
function filterIn({ prefix, state, done, due = '', cursor }: Query): ListOptions {
  return {
    customIdPrefix: prefix || undefined,
    state: state === 'InProgress' || state === 'InPreparation' ? state : undefined,
    done: done === 'true' || done === 'false' ? done === 'true' : undefined,
    dueBefore: /^\d{4}-\d\d-\d\d$/.test(due) ? `${due}T00:00:00Z` : undefined,
    cursor: cursor || undefined,
  };
}

function NoProjects({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No projects.">
        <p>No project fits all filters. Empty one of the fields, and filter again.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No projects.">
      <p>A project has texts in one language, and the languages into which they are translated.</p>
      <a href="#/create">Create a project from a file</a>
    </Empty>
  );
}

/** Whether a project has passed its deadline, and is not done. The clock of the browser decides. */
function isOverdue(project: ProjectHead): boolean {
  const due = project['endDateUtc'];
  const isDone = targetLanguagesOf(project).every(({ progress }) => progress === 100);
  return !isDone && typeof due === 'string' && Date.parse(due) < Date.now();
}

function ProjectList({ projects }: { readonly projects: readonly ProjectHead[] }) {
  return (
    <ul class="cards" aria-label="Projects">
      {projects.map((project) => (
        <li key={project.id}>
          <span class="split">
            <a class="name" href={`#/projects/${project.id}`} dir="auto">
              {text(project['name'])}
            </a>
            <span class="quiet">
              {isOverdue(project) && <Badge tone="warning">Overdue</Badge>} Due {date(project['endDateUtc'])}
            </span>
          </span>
          <span class="quiet">
            Project {project.id} · <bdi>{project.customId ?? 'No custom id'}</bdi>
          </span>
          <LanguageChips project={project} />
        </li>
      ))}
    </ul>
  );
}
