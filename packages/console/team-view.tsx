import { useCallback, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { NewProject, PutPreview, TargetLanguageRequest, TeamMemberRequest } from '../client/index.ts';
import { Dialog } from './design/dialog.tsx';
import { Field } from './design/fields.tsx';
import { LanguageName } from './languages.tsx';
import { useLoaded } from './load.ts';
import { Failure, Show } from './page.tsx';
import { viewAddress } from './project-bar.tsx';
import { requestOf } from './project-request.ts';
import { useClient } from './session.ts';
import { PutConfirmation, usePut } from './update-page.tsx';
import { text } from './values.ts';

interface TeamProps {
  readonly id: number;
  readonly onUpdated: () => void;
}

/** Who works on each language of a project. Changes are made by a put whose plan is shown first. */
export function TeamView(props: TeamProps) {
  const client = useClient();
  const loaded = useLoaded(async () => requestOf(await client.getProject(props.id)), [props.id]);
  return (
    <>
      <p>
        People belong to a target language. If Segue assigns the tasks of a language, each task goes to the member of
        its team who has the fewest open segments.
      </p>
      <Show loaded={loaded}>{(request) => <TeamForm request={request} {...props} />}</Show>
    </>
  );
}

type Languages = NewProject['targetLanguages'];

function TeamForm({ id, request, onUpdated }: TeamProps & { readonly request: NewProject }) {
  const [languages, setLanguages] = useState<Languages>(request.targetLanguages);
  const [isPlanned, setPlanned] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setPlanned(true);
  };
  return (
    <>
      <form class="team" onSubmit={submit}>
        {languages.map((language, at) => (
          <LanguageTeam key={at} language={language} onChange={(next) => setLanguages(languages.with(at, next))} />
        ))}
        {languages !== request.targetLanguages && (
          <div class="save-bar">
            <a class="button" href={viewAddress(id, 'overview')}>
              Cancel
            </a>
            <button type="submit" class="main">
              Save…
            </button>
          </div>
        )}
      </form>
      {isPlanned && (
        <Dialog title="Save the people" onClose={() => setPlanned(false)}>
          <TeamPlan id={id} languages={languages} onUpdated={onUpdated} />
        </Dialog>
      )}
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
  [
    'managedProject',
    'Segue assigns the tasks',
    'Each task goes to a person of this language. Otherwise, the tasks are assigned outside of Segue.',
  ],
  ['serviceTranslation', 'People translate', 'A person with the role of a translator writes the translations.'],
  ['serviceProofreading', 'People proofread', 'A second person, a proofreader, checks each translation.'],
  [
    'serviceAutomaticTranslation',
    'Machine translation first',
    'A machine fills in what nobody has translated yet. This counts towards the daily limit, and may be charged.',
  ],
] as const;

interface LanguageTeamProps {
  readonly language: TargetLanguageRequest;
  readonly onChange: (language: TargetLanguageRequest) => void;
}

function LanguageTeam({ language, onChange }: LanguageTeamProps) {
  const heading = useId();
  const team = language.team ?? [];
  const [openMember, setOpenMember] = useState<number>();
  const setTeam = (next: readonly TeamMemberRequest[]) => onChange({ ...language, team: next });
  const addButton = useRef<HTMLButtonElement>(null);
  // The button that closed the fields of a person goes with them.
  const close = () => {
    setOpenMember(undefined);
    addButton.current?.focus();
  };
  const add = () => {
    setTeam([...team, { id: freeId(team), name: '', username: '' }]);
    setOpenMember(team.length);
  };
  const remove = (at: number) => {
    setTeam(team.toSpliced(at, 1));
    close();
  };
  return (
    <section class="panel" aria-labelledby={heading}>
      <h2 id={heading}>
        <LanguageName code={text(language.targetLanguageCode ?? language.targetLanguageId)} />
      </h2>
      <h3>How this language is done</h3>
      <div class="choices">
        {SERVICES.map(([name, label, hint]) => (
          <Choice
            key={name}
            label={label}
            hint={hint}
            isChosen={language[name] === true}
            onChange={(isChosen) => onChange({ ...language, [name]: isChosen })}
          />
        ))}
      </div>
      {SERVICES.every(([name]) => language[name] !== true) && (
        <p class="quiet">Nothing is chosen: the service that does the work decides.</p>
      )}
      <h3>People</h3>
      {team.length === 0 && <p class="quiet">Nobody works on this language yet.</p>}
      <ul class="members">
        {team.map((member, at) => (
          <li key={at}>
            {at === openMember || !isComplete(member) ? (
              <MemberFields
                member={member}
                onChange={(next) => setTeam(team.with(at, next))}
                isChosen={at === openMember}
                onDone={close}
                onRemove={() => remove(at)}
              />
            ) : (
              <MemberRow member={member} onEdit={() => setOpenMember(at)} onRemove={() => remove(at)} />
            )}
          </li>
        ))}
      </ul>
      <button ref={addButton} type="button" onClick={add}>
        Add a person
      </button>
    </section>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly hint: string;
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
}

/** A check box, and what it means. */
function Choice({ label, hint, isChosen, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div>
      <label class="check">
        <input
          type="checkbox"
          checked={isChosen}
          aria-describedby={id}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        {label}
      </label>
      <p class="hint" id={id}>
        {hint}
      </p>
    </div>
  );
}

/** Whether a person has everything that a request needs. */
function isComplete({ id, name, username }: TeamMemberRequest): boolean {
  return id >= 1 && name.trim() !== '' && username.trim() !== '';
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

interface RowProps {
  readonly member: TeamMemberRequest;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function MemberRow({ member, onEdit, onRemove }: RowProps) {
  const roles = ROLES.flatMap(([field, role]) => (member[field] === true ? [role] : []));
  return (
    <div class="member">
      <span class="name">
        <bdi>{member.name}</bdi>
      </span>
      <span class="quiet">
        <bdi>{member.username}</bdi>
      </span>
      <span class="quiet">{roles.join(', ') || 'No role'}</span>
      <span class="toolbar">
        <button type="button" class="subtle" aria-label={`Edit ${member.name}`} onClick={onEdit}>
          Edit
        </button>
        <button type="button" class="subtle danger" aria-label={`Remove ${member.name}`} onClick={onRemove}>
          Remove
        </button>
      </span>
    </div>
  );
}

interface FieldsProps {
  readonly member: TeamMemberRequest;
  /** Whether the user has opened the fields, so that they take the focus. */
  readonly isChosen: boolean;
  readonly onChange: (member: TeamMemberRequest) => void;
  readonly onDone: () => void;
  readonly onRemove: () => void;
}

function MemberFields({ member, isChosen, onChange, onDone, onRemove }: FieldsProps) {
  const name = useRef<HTMLInputElement>(null);
  // At once, so that no key is lost.
  useLayoutEffect(() => {
    if (isChosen) name.current?.focus();
  }, []);
  return (
    <fieldset>
      <legend>{member.name.trim() ? <bdi>{member.name}</bdi> : 'New person'}</legend>
      <label>
        Name
        <input
          ref={name}
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
      <div class="toolbar">
        {ROLES.map(([field, label]) => (
          <label key={field} class="check">
            <input
              type="checkbox"
              checked={member[field] === true}
              onChange={({ currentTarget }) => onChange({ ...member, [field]: currentTarget.checked })}
            />
            {label}
          </label>
        ))}
      </div>
      <details open={member.id < 1}>
        <summary>Advanced</summary>
        <Field
          label="User id"
          hint="The number of the person in the service that does the work. The first free one is filled in."
        >
          {(input) => (
            <input
              {...input}
              type="number"
              min={1}
              value={member.id}
              required
              onInput={({ currentTarget }) => onChange({ ...member, id: currentTarget.valueAsNumber || 0 })}
            />
          )}
        </Field>
      </details>
      <div class="toolbar">
        <button type="button" disabled={!isComplete(member)} onClick={onDone}>
          Done
        </button>
        <button type="button" class="subtle danger" onClick={onRemove}>
          Remove
        </button>
      </div>
    </fieldset>
  );
}
