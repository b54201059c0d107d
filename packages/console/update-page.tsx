import { useCallback, useState } from 'preact/hooks';
import { type NewProject, type PutPlan, type PutPreview, SegueError } from '../client/index.ts';
import { Checked, FileField } from './chosen-file.tsx';
import { Failure, Heading } from './page.tsx';
import { type ChosenFile, checkFile } from './project-file.ts';
import { useClient } from './session.ts';

interface UpdateProps {
  readonly id: number;
  readonly onUpdated: () => void;
  readonly onCancel: () => void;
}

/** Updates a project from a file: it shows what stays, changes, comes and goes, and then does exactly that. */
export function UpdatePage(props: UpdateProps) {
  return (
    <>
      <Heading title={`Update project ${props.id} from a file`} />
      <p>
        Choose a file with the JSON of the whole project, as it is to be. Nothing is changed before you confirm. Equal
        segments keep their translations.
      </p>
      <FileField>{(file) => <Planned file={file} {...props} />}</FileField>
      <p class="pager">
        <button type="button" onClick={props.onCancel}>
          Cancel
        </button>
      </p>
    </>
  );
}

/** The plan of a put with a file. If the project changes meanwhile, there is a new plan. */
function Planned({ file, id, onUpdated }: UpdateProps & { readonly file: ChosenFile }) {
  const client = useClient();
  const [outdated, setOutdated] = useState<PutPlan>();
  // An outdated plan makes a new function, so that the file is planned again.
  const check = useCallback(() => checkFile(file, (project) => client.planPut(id, project)), [file, outdated]);
  const update = async (project: NewProject, plan: PutPlan) => {
    try {
      await client.putProject(id, project, { plan: plan.plan });
      onUpdated();
    } catch (error) {
      if (!(error instanceof SegueError) || error.type !== 'plan-outdated') throw error;
      setOutdated(plan);
    }
  };
  return (
    <Checked file={file} check={check} done="changed">
      {({ project, summary }) => (
        <Confirmation plan={summary} outdated={outdated} onConfirm={(plan) => update(project, plan)} />
      )}
    </Checked>
  );
}

const PARTS = [
  ['segments', 'Segments', ['kept', 'changed', 'added', 'removed']],
  ['targetLanguages', 'Target languages', ['kept', 'added', 'removed']],
] as const;

interface ConfirmationProps {
  readonly plan: PutPreview;
  readonly outdated: PutPlan | undefined;
  readonly onConfirm: (plan: PutPlan) => Promise<void>;
}

function Confirmation({ plan, outdated, onConfirm }: ConfirmationProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  if (plan.outcome === 'outdated' || plan.outcome === 'unchanged')
    return <p role="status">The project is equal to the file. There is nothing to update.</p>;
  const removes = plan.segments.removed + plan.targetLanguages.removed > 0;
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    await onConfirm(plan).catch(setError);
    setBusy(false);
  };
  return (
    <>
      {outdated && (
        <p role="alert" class="failure">
          The project changed after you opened the plan. Nothing was changed by this update. Check the new plan.
        </p>
      )}
      <p role="status">The file is valid. The update does this:</p>
      <dl class="facts" aria-label="Plan">
        {PARTS.map(([part, label, names]) => (
          <>
            <dt>{label}</dt>
            <dd>
              {names.map((name, index) => (
                <>
                  {index > 0 && ', '}
                  <Count
                    name={name}
                    now={countOf(plan, part, name)}
                    before={outdated && countOf(outdated, part, name)}
                  />
                </>
              ))}
            </dd>
          </>
        ))}
      </dl>
      {removes && <p>What is removed loses its translations for ever.</p>}
      {error !== undefined && <Failure error={error} />}
      <button type="button" class={removes ? 'danger' : 'main'} disabled={isBusy} onClick={confirm}>
        {isBusy ? 'Updating…' : 'Update the project'}
      </button>
    </>
  );
}

/** Returns a count of a plan. Languages do not change: they stay, come or go. */
function countOf(plan: PutPlan, part: (typeof PARTS)[number][0], name: keyof PutPlan['segments']): number {
  const counts: Readonly<Partial<PutPlan['segments']>> = plan[part];
  return counts[name] ?? 0;
}

interface CountProps {
  readonly name: string;
  readonly now: number;
  /** The count in an outdated plan. */
  readonly before: number | undefined;
}

function Count({ name, now, before }: CountProps) {
  return (
    <span>
      {now.toLocaleString('en')} {name}
      {before !== undefined && before !== now && <strong> (was {before.toLocaleString('en')})</strong>}
    </span>
  );
}
