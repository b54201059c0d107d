import { useCallback, useState } from 'preact/hooks';
import type { NewProject, PutPreview, TargetLanguageRequest, TeamMemberRequest } from '../client/index.ts';
import { useLoaded } from './load.ts';
import { Failure, Heading, Show } from './page.tsx';
import { requestOf } from './project-request.ts';
import { useClient } from './session.ts';
import { PutConfirmation, usePut } from './update-page.tsx';
import { text } from './values.ts';

interface TeamProps {
  readonly id: number;
  readonly onUpdated: () => void;
  readonly onCancel: () => void;
}

/** Changes who works on each language of a project, by a put whose plan is shown first. */
export function TeamPage(props: TeamProps) {
  const client = useClient();
  const loaded = useLoaded(async () => requestOf(await client.getProject(props.id)), [props.id]);
  return (
    <>
      <Heading title={`People of project ${props.id}`} />
      <p>
        People belong to a target language. If Segue assigns the tasks of a language, each task goes to the member of
        its team who has the fewest open segments.
      </p>
      <Show loaded={loaded}>{(request) => <TeamForm request={request} {...props} />}</Show>
      <p class="pager">
        <button type="button" onClick={props.onCancel}>
          Cancel
        </button>
      </p>
    </>
  );
}

type Languages = NewProject['targetLanguages'];

function TeamForm({ id, request, onUpdated }: TeamProps & { readonly request: NewProject }) {
  const [languages, setLanguages] = useState<Languages>(request.targetLanguages);
  const [planned, setPlanned] = useState<Languages>();
  const set = (at: number, language: TargetLanguageRequest) => {
    setPlanned(undefined);
    setLanguages(languages.with(at, language));
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setPlanned(languages);
  };
  return (
    <>
      <form class="form" onSubmit={submit}>
        {languages.map((language, at) => (
          <LanguageTeam key={at} language={language} onChange={(next) => set(at, next)} />
        ))}
        <button type="submit">Show the plan</button>
      </form>
      {planned && <TeamPlan id={id} languages={planned} onUpdated={onUpdated} />}
    </>
  );
}

interface PlanProps {
  readonly id: number;
  readonly languages: Languages;
  readonly onUpdated: () => void;
}

/** Plans a put of the project as it is now, with other people. */
function TeamPlan({ id, languages, onUpdated }: PlanProps) {
  const client = useClient();
  const { outdated, plan, update } = usePut(id, onUpdated);
  const read = useCallback(async (): Promise<{ project: NewProject; summary: PutPreview }> => {
    const project = { ...requestOf(await client.getProject(id)), targetLanguages: languages };
    return { project, summary: await plan(project) };
  }, [id, languages, outdated]);
  const loaded = useLoaded(read, [read]);
  if (loaded.state === 'failed') return <Failure error={loaded.error} />;
  return (
    <Show loaded={loaded}>
      {({ project, summary }) => (
        <PutConfirmation of="form" plan={summary} outdated={outdated} onConfirm={(shown) => update(project, shown)} />
      )}
    </Show>
  );
}

const SERVICES = [
  ['managedProject', 'Segue assigns the tasks'],
  ['serviceTranslation', 'People translate'],
  ['serviceProofreading', 'People proofread'],
  ['serviceAutomaticTranslation', 'An engine translates first'],
] as const;

interface LanguageTeamProps {
  readonly language: TargetLanguageRequest;
  readonly onChange: (language: TargetLanguageRequest) => void;
}

function LanguageTeam({ language, onChange }: LanguageTeamProps) {
  const team = language.team ?? [];
  const setTeam = (next: readonly TeamMemberRequest[]) => onChange({ ...language, team: next });
  const add = () => setTeam([...team, { id: freeId(team), name: '', username: '' }]);
  return (
    <fieldset>
      <legend>{text(language.targetLanguageCode ?? language.targetLanguageId)}</legend>
      {SERVICES.map(([name, label]) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={language[name] === true}
            onChange={({ currentTarget }) => onChange({ ...language, [name]: currentTarget.checked })}
          />
          {label}
        </label>
      ))}
      {team.map((member, at) => (
        <Member
          key={at}
          number={at + 1}
          member={member}
          onChange={(next) => setTeam(team.with(at, next))}
          onRemove={() => setTeam(team.toSpliced(at, 1))}
        />
      ))}
      <button type="button" onClick={add}>
        Add a person
      </button>
    </fieldset>
  );
}

/** Returns the lowest number that nobody in a team has. */
function freeId(team: readonly TeamMemberRequest[]): number {
  return Math.max(0, ...team.map(({ id }) => id)) + 1;
}

const ROLES = [
  ['isProjectManager', 'Project manager'],
  ['isTranslator', 'Translator'],
  ['isProofreader', 'Proofreader'],
  ['isInCountryReviewer', 'In-country reviewer'],
] as const;

interface MemberProps {
  readonly number: number;
  readonly member: TeamMemberRequest;
  readonly onChange: (member: TeamMemberRequest) => void;
  readonly onRemove: () => void;
}

function Member({ number, member, onChange, onRemove }: MemberProps) {
  return (
    <fieldset>
      <legend>Person {number}</legend>
      <label>
        Name
        <input
          value={member.name}
          dir="auto"
          required
          autocomplete="off"
          onInput={({ currentTarget }) => onChange({ ...member, name: currentTarget.value })}
        />
      </label>
      <label>
        E-mail
        <input
          value={member.username}
          required
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onChange({ ...member, username: currentTarget.value })}
        />
      </label>
      <label>
        User id
        <input
          type="number"
          min={1}
          value={member.id}
          required
          onInput={({ currentTarget }) => onChange({ ...member, id: currentTarget.valueAsNumber || 0 })}
        />
      </label>
      {ROLES.map(([name, label]) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={member[name] === true}
            onChange={({ currentTarget }) => onChange({ ...member, [name]: currentTarget.checked })}
          />
          {label}
        </label>
      ))}
      <button type="button" onClick={onRemove}>
        Remove person {number}
      </button>
    </fieldset>
  );
}
