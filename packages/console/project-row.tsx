import type { DocumentedTargetLanguage, ProjectHead } from '../client/index.ts';
import { Badge, Bar, type Tone } from './design/status.tsx';
import {
  AutomaticProblem,
  automaticField,
  hasFailed,
  isOverdue,
  LanguageChips,
  targetLanguagesOf,
} from './languages.tsx';
import { nameOf } from './names.ts';
import { counted } from './quote.tsx';
import { date, day, languageName, percent, text } from './values.ts';

/** A row of the list of projects: the name, the progress, the state and the deadline, each in its column. */
export function ProjectRow({ project }: { readonly project: ProjectHead }) {
  const languages = targetLanguagesOf(project);
  const waiting = languages.find((language) => typeof automaticField(language, 'problem') === 'string');
  const failed = languages.filter(hasFailed).length;
  const [state, tone] = stateOf(languages);
  return (
    <li class="project">
      <span>
        <a class="name" href={`#/projects/${project.id}`}>
          <bdi>{nameOf(project)}</bdi>
        </a>
        {project.customId !== null && project.customId !== undefined && (
          <small>
            <bdi>{project.customId}</bdi>
          </small>
        )}
        {failed > 0 && <Badge tone="fault">Automatic translation failed in {counted(failed, 'language')}</Badge>}
        {waiting && <AutomaticProblem language={waiting} />}
      </span>
      <Languages project={project} languages={languages} />
      <span>
        <Badge tone={tone}>{state}</Badge>
      </span>
      <span class="due" title={date(project['endDateUtc'])}>
        Due {day(project['endDateUtc'])} {isOverdue(project) && <Badge tone="warning">Overdue</Badge>}
      </span>
    </li>
  );
}

interface LanguagesProps {
  readonly project: ProjectHead;
  readonly languages: readonly DocumentedTargetLanguage[];
}

/** How much of a project is done. Its languages are shown when a reader asks for them. */
function Languages({ project, languages }: LanguagesProps) {
  const total = languages.reduce((sum, { progress }) => sum + (typeof progress === 'number' ? progress : 0), 0);
  const done = languages.filter(isDone).length;
  const mean = languages.length === 0 ? 0 : total / languages.length;
  const [only] = languages;
  if (only && languages.length === 1) {
    return (
      <Bar value={mean}>
        {percent(mean)} · {languageName(text(only.targetLanguageCode))}
      </Bar>
    );
  }
  return (
    <details>
      <summary>
        <Bar value={mean}>
          {percent(mean)} · {done} of {languages.length} languages done
        </Bar>
      </summary>
      <LanguageChips project={project} />
    </details>
  );
}

const isDone = ({ progress }: DocumentedTargetLanguage) => progress === 100;

/** Returns the state of a project in words: that of its languages, if all have the same. */
function stateOf(languages: readonly DocumentedTargetLanguage[]): readonly [state: string, tone: Tone] {
  if (languages.length > 0 && languages.every(isDone)) return ['Done', 'ok'];
  if (languages.every(({ state }) => state === 'InPreparation')) return ['In preparation', 'plain'];
  return ['In progress', 'info'];
}
