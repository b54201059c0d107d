import { useCallback, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { NewProject, TargetLanguageRequest, TeamMemberRequest } from '../client/index.ts';
import { Dialog } from './design/dialog.tsx';
import { Choice, Field } from './design/fields.tsx';
import { peopleDraftOf, setPeopleDraft, useDrafts } from './drafts.ts';
import { LanguageName } from './languages.tsx';
import { useLoaded } from './load.ts';
import { Show } from './page.tsx';
import {
  type Change,
  changesOf,
  codeOf,
  type LanguagePeople,
  type PeopleChanges,
  ROLES,
  rolesOf,
  SERVICES,
  withChange,
  withPeople,
} from './people-changes.ts';
import { requestOf } from './project-request.ts';
import { useClient } from './session.ts';
import { PutConfirmation, type PutWords, usePut } from './update-page.tsx';
import { languageName } from './values.ts';

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

function TeamForm({ id, request, onUpdated }: TeamProps & { readonly request: NewProject }) {
  useDrafts();
  const draft = peopleDraftOf(id);
  const saved = request.targetLanguages;
  const [isPlanned, setPlanned] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setPlanned(true);
  };
  return (
    <>
      <form class="team" onSubmit={submit}>
        {withPeople(saved, draft).map((language, at) => (
          <LanguageTeam
            key={at}
            language={language}
            onChange={(change) => setPeopleDraft(id, withChange(peopleDraftOf(id), saved[at] ?? language, change))}
          />
        ))}
        {draft && (
          <div class="save-bar">
            <button type="button" onClick={() => setPeopleDraft(id, undefined)}>
              Discard my changes
            </button>
            <button type="submit" class="main">
              Save…
            </button>
          </div>
        )}
      </form>
      {draft && isPlanned && (
        <Dialog title="Save the people" onClose={() => setPlanned(false)}>
          <TeamPlan id={id} changes={draft} onUpdated={onUpdated} />
        </Dialog>
      )}
    </>
  );
}

interface PlanProps extends TeamProps {
  readonly changes: PeopleChanges;
}

const WORDS: PutWords = {
  equal: 'The project has these people already. There is nothing to save.',
  intro: 'Saving changes this:',
  button: 'Save the people',
  busy: 'Saving…',
};

/** Plans a put of the project as it is now, with other people. */
function TeamPlan({ id, changes, onUpdated }: PlanProps) {
  const client = useClient();
  const { outdated, plan, update } = usePut(id, () => {
    setPeopleDraft(id, undefined);
    onUpdated();
  });
  const read = useCallback(async () => {
    const now = requestOf(await client.getProject(id));
    const project = { ...now, targetLanguages: withPeople(now.targetLanguages, changes) };
    return { now, project, summary: await plan(project) };
  }, [id, changes, outdated]);
  const loaded = useLoaded(read, [read]);
  return (
    <Show loaded={loaded}>
      {({ now, project, summary }) => (
        <PutConfirmation words={WORDS} plan={summary} outdated={outdated} onConfirm={(shown) => update(project, shown)}>
          {now.targetLanguages.map((language, at) => (
            <LanguageChanges language={language} of={changesOf(language, project.targetLanguages[at] ?? language)} />
          ))}
        </PutConfirmation>
      )}
    </Show>
  );
}

interface ChangesProps {
  readonly language: TargetLanguageRequest;
  readonly of: readonly Change[];
}

/** What changes of one language. */
function LanguageChanges({ language, of }: ChangesProps) {
  if (of.length === 0) return null;
  return (
    <>
      <dt>{languageName(codeOf(language))}</dt>
      <dd>
        {of.map(([what, name, roles]) => (
          <div>
            {what}: <bdi>{name}</bdi>
            {roles !== undefined && ` (${roles})`}
          </div>
        ))}
      </dd>
    </>
  );
}

interface LanguageTeamProps {
  readonly language: TargetLanguageRequest;
  readonly onChange: (change: LanguagePeople) => void;
}

function LanguageTeam({ language, onChange }: LanguageTeamProps) {
  const heading = useId();
  const team = language.team ?? [];
  const [openMember, setOpenMember] = useState<number>();
  const setTeam = (next: readonly TeamMemberRequest[]) => onChange({ team: next });
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
        <LanguageName code={codeOf(language)} />
      </h2>
      <h3>How this language is done</h3>
      <div class="choices">
        {SERVICES.map(([name, label, hint]) => (
          <Choice
            key={name}
            label={label}
            hint={hint}
            checked={language[name] === true}
            onChange={({ currentTarget }) => onChange({ [name]: currentTarget.checked })}
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

/** Whether a person has everything that a request needs. */
function isComplete({ id, name, username }: TeamMemberRequest): boolean {
  return id >= 1 && name.trim() !== '' && username.trim() !== '';
}

/** Returns the lowest number that nobody in a team has. */
function freeId(team: readonly TeamMemberRequest[]): number {
  return Math.max(0, ...team.map(({ id }) => id)) + 1;
}

interface RowProps {
  readonly member: TeamMemberRequest;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function MemberRow({ member, onEdit, onRemove }: RowProps) {
  return (
    <div class="member">
      <span class="name">
        <bdi>{member.name}</bdi>
      </span>
      <span class="quiet">
        <bdi>{member.username}</bdi>
      </span>
      <span class="quiet">{rolesOf(member)}</span>
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
