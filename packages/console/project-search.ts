import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListFilter, ProjectHead, SegueClient } from '../client/index.ts';

/** How many projects a request of a search reads, and how many requests a search makes at most. */
const ON_A_PAGE = 100;
const MAX_PAGES = 20;

/** Returns whether a project has a part of its name or custom id, in any case. */
export function projectMatcher(search: string): (project: ProjectHead) => boolean {
  const wanted = search.trim().toLocaleLowerCase();
  const has = (value: unknown) => typeof value === 'string' && value.toLocaleLowerCase().includes(wanted);
  return ({ customId, name }) => has(name) || has(customId);
}

/** What a search through the pages of the list has found so far. */
export interface Search {
  readonly found: readonly ProjectHead[];
  /** How many projects it has looked at. */
  readonly searched: number;
  readonly isRunning: boolean;
  /** Whether there are projects that it did not look at. */
  readonly isCut: boolean;
  readonly error?: unknown;
}

/** Searches the pages of a list, newest first. It stops when the user says so, or when the page closes. */
export function useSearch(client: SegueClient, filter: ListFilter, search: string) {
  const [state, setState] = useState<Search>();
  const turn = useRef(0);
  const stop = () => {
    turn.current += 1;
    setState((now) => now && { ...now, isRunning: false, isCut: true });
  };
  // Another search begins with the projects of the page.
  useEffect(() => {
    setState(undefined);
    return () => {
      turn.current += 1;
    };
  }, [client, JSON.stringify(filter), search]);
  const start = async () => {
    turn.current += 1;
    const mine = turn.current;
    setState({ found: [], searched: 0, isRunning: true, isCut: false });
    try {
      for await (const next of searchPages(client, filter, search)) {
        if (turn.current !== mine) return;
        setState(next);
      }
    } catch (error) {
      if (turn.current === mine)
        setState((now) => ({ found: [], searched: 0, ...now, isRunning: false, isCut: true, error }));
    }
  };
  return { state, start, stop };
}

async function* searchPages(client: SegueClient, filter: ListFilter, search: string): AsyncGenerator<Search> {
  const matches = projectMatcher(search);
  // Segue finds the beginning of a custom id by itself, however old the project is.
  const byId = await client.listProjects({ ...filter, customIdPrefix: search.trim(), limit: ON_A_PAGE });
  let found: readonly ProjectHead[] = byId.projects;
  const ids = new Set(found.map(({ id }) => id));
  let searched = 0;
  let cursor: string | undefined;
  yield { found, searched, isRunning: true, isCut: false };
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await client.listProjects({ ...filter, limit: ON_A_PAGE, cursor });
    found = [...found, ...page.projects.filter((project) => !ids.has(project.id) && matches(project))];
    searched += page.projects.length;
    cursor = page.cursor;
    const isRunning = cursor !== undefined && pages + 1 < MAX_PAGES;
    yield { found, searched, isRunning, isCut: !isRunning && cursor !== undefined };
    if (!isRunning) return;
  }
}
