import type { ListOptions, ProjectHead, ProjectPage } from '../client/index.ts';
import { pushQuery, type Query, replaceQuery, useQuery } from './address.ts';
import { Empty } from './design/status.tsx';
import { isInWork } from './languages.tsx';
import { useLive } from './live.ts';
import { useLoaded } from './load.ts';
import { rememberNames } from './names.ts';
import { Failure, PageHead, Show } from './page.tsx';
import { ProjectRow } from './project-row.tsx';
import { projectMatcher, type Search, useSearch } from './project-search.ts';
import { counted } from './quote.tsx';
import { useClient } from './session.ts';

const ON_A_PAGE = 50;
/** The longest pause between two looks at the progress of the listed projects: at most 120 requests an hour. */
const LONGEST_PAUSE_MS = 30_000;

/** The company's projects, newest first, with filters, which are in the address of the page. */
export function ProjectsPage() {
  const client = useClient();
  const query = useQuery();
  const filter = filterIn(query);
  const list = async () => {
    const page = await client.listProjects({ ...filter, limit: ON_A_PAGE });
    rememberNames(client, page.projects);
    return page;
  };
  const loaded = useLoaded(list, [JSON.stringify(filter)]);
  return (
    <>
      <PageHead title="Projects">
        <a class="button main" href="#/create">
          Create a project
        </a>
      </PageHead>
      <Filters query={query} />
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
  const page = useLive(first, {
    look: list,
    isUnfinished: ({ projects }) => projects.some(isInWork),
    longestMs: LONGEST_PAUSE_MS,
  });
  const { projects, cursor } = page;
  if (query['search']) return <Found page={page} query={query} search={query['search']} />;
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

interface FoundProps {
  readonly page: ProjectPage;
  readonly query: Query;
  readonly search: string;
}

/** What a search finds: first among the projects of the page, and among all if the user wants that. */
function Found({ page, query, search }: FoundProps) {
  const client = useClient();
  const { cursor: _, ...filter } = filterIn(query);
  const { state, start, stop } = useSearch(client, filter, search);
  const found = state?.found ?? page.projects.filter(projectMatcher(search));
  const hasOthers = page.cursor !== undefined || query['cursor'] !== undefined;
  return (
    <>
      <p class="toolbar">
        <span role="status">{searchedIn(state, page, hasOthers)}</span>
        {hasOthers && !state && (
          <button type="button" onClick={start}>
            Search all projects
          </button>
        )}
        {state?.isRunning && (
          <button type="button" onClick={stop}>
            Stop
          </button>
        )}
      </p>
      {state?.error !== undefined && <Failure error={state.error} />}
      {found.length > 0 ? <ProjectList projects={found} /> : !state?.isRunning && <NoProjects isFiltered />}
    </>
  );
}

/** Says which projects a search has looked at. */
function searchedIn(state: Search | undefined, page: ProjectPage, hasOthers: boolean): string {
  if (!state) return hasOthers ? `Searched in the ${counted(page.projects.length, 'project')} of this page.` : '';
  const searched = counted(state.searched, 'project');
  if (state.isRunning) return `Searching… ${searched} so far.`;
  return state.isCut
    ? `Searched in the newest ${searched}. Older ones may fit too: set a filter as well.`
    : `Searched in all projects: ${searched}.`;
}

/** The filters, which work at once. Their names are those in the address. */
function Filters({ query }: { readonly query: Query }) {
  const set = (name: string, value: string) => pushQuery({ ...query, [name]: value, cursor: undefined });
  return (
    <search class="filters" aria-label="Filters">
      <label>
        Name or custom id
        <input
          type="search"
          value={query['search'] ?? ''}
          autocomplete="off"
          dir="auto"
          onInput={({ currentTarget }) => replaceQuery({ search: currentTarget.value })}
        />
      </label>
      {CHOICES.map(([name, label, choices]) => (
        <label key={name}>
          {label}
          <select value={query[name] ?? ''} onChange={({ currentTarget }) => set(name, currentTarget.value)}>
            {choices.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      ))}
      <label>
        Due before
        <input
          type="date"
          value={query['due'] ?? ''}
          onChange={({ currentTarget }) => set('due', currentTarget.value)}
        />
      </label>
      {Object.values(query).some(Boolean) && (
        <button type="button" onClick={() => pushQuery({})}>
          Show all projects
        </button>
      )}
    </search>
  );
}

/** The filters with few values, and what they mean. */
const CHOICES = [
  [
    'state',
    'Work',
    [
      ['', 'Any'],
      ['InProgress', 'A language is in work'],
      ['InPreparation', 'A language is in preparation'],
    ],
  ],
  [
    'done',
    'Progress',
    [
      ['', 'Any'],
      ['false', 'Not everything is done'],
      ['true', 'Everything is done'],
    ],
  ],
] as const;

/** Returns the filter of an address, which anybody may have written. What it cannot mean does not count. */
function filterIn({ state, done, due = '', cursor }: Query): ListOptions {
  return {
    state: state === 'InProgress' || state === 'InPreparation' ? state : undefined,
    done: done === 'true' || done === 'false' ? done === 'true' : undefined,
    dueBefore: startOf(due),
    cursor: cursor || undefined,
  };
}

/** Returns the beginning of a day in the zone of the reader. @returns `undefined` if the text is no day */
function startOf(text: string): string | undefined {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00`) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function NoProjects({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No project fits">
        <p>Empty the search or one of the filters.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No projects">
      <p>A project has texts in one language, and the languages into which they are translated.</p>
      <a href="#/create">Create a project from a file</a>
    </Empty>
  );
}

function ProjectList({ projects }: { readonly projects: readonly ProjectHead[] }) {
  return (
    <ul class="cards" aria-label="Projects">
      {projects.map((project) => (
        <ProjectRow key={project.id} project={project} />
      ))}
    </ul>
  );
}
