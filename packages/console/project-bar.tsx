import { useLayoutEffect } from 'preact/hooks';
import { fragmentOf, type Query } from './address.ts';
import { Badge } from './design/status.tsx';
import { peopleDraftOf, useDrafts } from './drafts.ts';
import { Heading } from './page.tsx';

/** The views of a project, with their names, and how the title of the page begins there for screen readers. */
const VIEWS = {
  overview: ['Overview', ''],
  texts: ['Texts', 'Texts of '],
  files: ['Files', 'Files of '],
  people: ['People', 'People of '],
} as const;
export type View = keyof typeof VIEWS;
const NAMES: readonly View[] = ['overview', 'texts', 'files', 'people'];

/** Returns the view in the address of a project. What only the texts have opens the texts. */
export function viewIn({ view, language, search, status, segment }: Query): View {
  const isOfTexts = [language, search, status, segment].some((value) => value !== undefined);
  return NAMES.find((name) => name === view) ?? (isOfTexts ? 'texts' : 'overview');
}

/** Returns the address of a view of a project. */
export function viewAddress(id: number, view: View, query: Query = {}): string {
  return fragmentOf(`#/projects/${id}`, { view: view === 'overview' ? undefined : view, ...query });
}

interface BarProps {
  readonly id: number;
  readonly name: string;
  readonly view: View;
  /** The language that needs the most work; `undefined` without a target language. */
  readonly language: string | undefined;
}

/** The name of a project, its views, and the way to its translations. It stays in sight. */
export function ProjectBar({ id, name, view, language }: BarProps) {
  const [, beginning] = VIEWS[view];
  useDrafts();
  // A view begins at its top.
  useLayoutEffect(() => scrollTo(0, 0), [view]);
  return (
    <div class="project-bar">
      <Heading title={beginning ? `${beginning}project ${id}` : `Project ${id}`}>
        {beginning && <span class="hidden">{beginning}</span>}
        <bdi class="cut">{name}</bdi>
      </Heading>
      <nav aria-label="Project">
        {NAMES.map((each) => (
          <a key={each} href={viewAddress(id, each)} aria-current={each === view ? 'page' : undefined}>
            {VIEWS[each][0]}
            {each === 'people' && peopleDraftOf(id) && <Badge tone="warning">Not saved</Badge>}
          </a>
        ))}
      </nav>
      {view !== 'texts' && (
        <a class="button main" href={viewAddress(id, 'texts', { language })}>
          Translate
        </a>
      )}
    </div>
  );
}
