import { useEffect, useState } from 'preact/hooks';
import type { ProjectHead, SegueClient } from '../client/index.ts';
import { useClient } from './session.ts';

/** What the console knows of a project whose id it shows. */
interface KnownProject {
  /** The name; the custom id or the id if the name is no text. */
  readonly name: string;
}

/** The projects that a session has seen. `undefined`: it could not be read, and is not asked for again. */
interface Seen {
  readonly projects: Map<number, KnownProject | undefined>;
  hasListed: boolean;
}

const SEEN = new WeakMap<SegueClient, Seen>();
/** How many projects the first request lists, and how many the console reads one by one for a page. */
const LISTED = 100;
const MAX_READS = 10;

/** Remembers the names of projects for the session. */
export function rememberNames(client: SegueClient, projects: readonly ProjectHead[]): void {
  const seen = seenBy(client);
  for (const project of projects) seen.projects.set(project.id, { name: nameOf(project) });
}

/** Returns the name of a project, or the custom id or the id if it has none. */
export function nameOf({ id, customId, name }: ProjectHead): string {
  return typeof name === 'string' && name.trim() !== '' ? name : (customId ?? `Project ${id}`);
}

/**
 * Returns a function that returns the name of a project, or `undefined` as long as it is not known. What the session has
 * not seen is read: the newest projects with one request, and then at most ten others one after the other.
 * @param ids the projects in view, without deleted ones
 */
export function useProjectNames(ids: readonly number[]): (id: number) => string | undefined {
  const client = useClient();
  const [, setReads] = useState(0);
  const seen = seenBy(client);
  useEffect(() => {
    let isCurrent = true;
    const load = async () => {
      for await (const _ of readUnseen(client, seen, new Set(ids))) {
        if (!isCurrent) return;
        setReads((reads) => reads + 1);
      }
    };
    void load();
    return () => {
      isCurrent = false;
    };
  }, [client, ids.join()]);
  return (id) => seen.projects.get(id)?.name;
}

/** Reads the projects that the session has not seen. It yields after each request. */
async function* readUnseen(client: SegueClient, seen: Seen, ids: ReadonlySet<number>): AsyncGenerator<void> {
  const unseen = () => [...ids].filter((id) => !seen.projects.has(id));
  if (unseen().length > 1 && !seen.hasListed) {
    seen.hasListed = true;
    const page = await client.listProjects({ limit: LISTED }).catch(() => undefined);
    if (page) rememberNames(client, page.projects);
    yield;
  }
  for (const id of unseen().slice(0, MAX_READS)) {
    // A project that cannot be read keeps its number, and the page works without its name.
    const project = await client.getProject(id).catch(() => undefined);
    if (project) rememberNames(client, [project]);
    else seen.projects.set(id, undefined);
    yield;
  }
}

function seenBy(client: SegueClient): Seen {
  const seen = SEEN.get(client) ?? { projects: new Map(), hasListed: false };
  SEEN.set(client, seen);
  return seen;
}
