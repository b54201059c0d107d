import { useEffect, useState } from 'preact/hooks';

/*
 * The address of a page is in the fragment of the URL, which the browser sends to nobody: a path such as `#/projects/5`,
 * and behind a question mark what the page shows of it, such as its filters.
 */

/** The names and values behind the path. A value that is empty or absent is left out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** Returns the path of the page, such as `#/projects`, which is also that of an empty fragment. */
export function pathIn(fragment: string): string {
  return fragment.split('?', 1)[0] || '#/projects';
}

/** Returns what the page shows, by name. Of equal names, the first counts. */
export function queryIn(fragment: string): Query {
  const [, text = ''] = /\?(.*)$/s.exec(fragment) ?? [];
  return Object.fromEntries([...new URLSearchParams(text)].reverse());
}

/** Returns a fragment. */
export function fragmentOf(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** The event after a change of the address that makes no entry in the history of the tab. */
const REPLACED = 'segue-replaced';

/** Changes what the page shows, without a new entry in the history, so that Back leaves the page. */
export function replaceQuery(changes: Query): void {
  const fragment = fragmentOf(pathIn(location.hash), { ...queryIn(location.hash), ...changes });
  history.replaceState(null, '', fragment);
  dispatchEvent(new Event(REPLACED));
}

/** Shows another part of the page. Back returns to this one. */
export function pushQuery(query: Query): void {
  location.hash = fragmentOf(pathIn(location.hash), query);
}

/** Returns the fragment of the URL, and follows it. */
export function useFragment(): string {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    const update = () => setFragment(location.hash);
    addEventListener('hashchange', update);
    addEventListener(REPLACED, update);
    return () => {
      removeEventListener('hashchange', update);
      removeEventListener(REPLACED, update);
    };
  }, []);
  return fragment;
}

/** Returns what the page shows, and follows it. */
export function useQuery(): Query {
  return queryIn(useFragment());
}
