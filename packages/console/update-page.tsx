import type { ComponentChildren } from 'preact';
import { useCallback, useRef, useState } from 'preact/hooks';
import { type NewProject, type PutPlan, type PutPreview, type SegueClient, SegueError } from '../client/index.ts';
import type { SourceFormat } from '../files/source-file.ts';
import { Checked, FileField, type FileKind } from './chosen-file.tsx';
import { Notice } from './design/status.tsx';
import { targetLanguagesOf } from './languages.tsx';
import { useProjectNames } from './names.ts';
import { Failure, Heading, Trail } from './page.tsx';
import { type CheckedFile, type ChosenFile, checkFile } from './project-file.ts';
import { requestOf } from './project-request.ts';
import { AutomaticQuote } from './quote.tsx';
import { useClient } from './session.ts';
import { checkTexts, loadFormats } from './texts-file.ts';

interface UpdateProps {
  readonly id: number;
  readonly onUpdated: () => void;
  readonly onCancel: () => void;
}

/** Updates a project from a file: it shows what stays, changes, comes and goes, and then does exactly that. */
export function UpdatePage(props: UpdateProps) {
  const { id } = props;
  const name = useProjectNames([id])(id) ?? `project ${id}`;
  return (
    <div class="narrow">
      <Trail
        above={[
          ['#/projects', 'Projects'],
          [`#/projects/${id}`, name, props.onCancel],
        ]}
        here="Update from a file"
      />
      <Heading title={`Update ${name} from a file`}>
        Update “<bdi>{name}</bdi>” from a file
      </Heading>
      <p>
        Choose a file with the texts of the project, or with the JSON of the whole project, as it is to be. Nothing is
        changed before you confirm. Equal segments keep their translations.
      </p>
      <FileField>{(file, kind) => <Planned key={kind} file={file} kind={kind} {...props} />}</FileField>
      <p class="pager">
        <button type="button" onClick={props.onCancel}>
          Cancel
        </button>
      </p>
    </div>
  );
}

interface PlannedProps extends UpdateProps {
  readonly file: ChosenFile;
  readonly kind: FileKind;
}

/** The plan of a put with a file. If the project changes meanwhile, there is a new plan. */
function Planned({ file, kind, id, onUpdated }: PlannedProps) {
  const client = useClient();
  const { outdated, plan, update } = usePut(id, onUpdated);
  // An outdated plan makes a new function, so that the file is planned again.
  const check = useCallback((): Promise<CheckedFile<PutPreview>> => {
    return kind === 'project' ? checkFile(file, plan) : planTexts(client, id, file, kind, plan);
  }, [file, kind, outdated]);
  return (
    <Checked file={file} check={check} done="changed">
      {({ project, summary }) => (
        <PutConfirmation plan={summary} outdated={outdated} onConfirm={(shown) => update(project, shown)} />
      )}
    </Checked>
  );
}

/** Plans a put that changes the texts of a project, and nothing else. */
async function planTexts(
  client: SegueClient,
  id: number,
  file: ChosenFile,
  format: SourceFormat,
  plan: (project: NewProject) => Promise<PutPreview>,
): Promise<CheckedFile<PutPreview>> {
  const [project, { segmentOf }] = await Promise.all([client.getProject(id), loadFormats()]);
  const request = requestOf(project);
  const sourceLanguageCode = request.sourceLanguageCode ?? undefined;
  const targetLanguageCodes = targetLanguagesOf(project).flatMap(({ targetLanguageCode: code }) => code ?? []);
  return checkTexts(
    file,
    { format, sourceLanguageCode, targetLanguageCodes },
    ({ texts }) => ({ ...request, segments: texts.map(segmentOf) }),
    plan,
  );
}

/**
 * Puts a project by a plan, once. If the plan is outdated, it is kept, so that the next plan can be compared with it.
 * @param onUpdated called after the put
 */
export function usePut(id: number, onUpdated: () => void) {
  const client = useClient();
  const [outdated, setOutdated] = useState<PutPlan>();
  const keys = useRef(new Map<string, string>());
  const update = async (project: NewProject, { plan, ...counts }: PutPlan) => {
    // A second attempt at the same plan has the same key, so that it does not count as a put of its own.
    const idempotencyKey = keys.current.get(plan) ?? crypto.randomUUID();
    keys.current.set(plan, idempotencyKey);
    try {
      await client.putProject(id, project, { plan, idempotencyKey });
      onUpdated();
    } catch (error) {
      if (!(error instanceof SegueError) || error.type !== 'plan-outdated') throw error;
      keys.current.delete(plan);
      setOutdated({ plan, ...counts });
    }
  };
  const plan = (project: NewProject) => client.planPut(id, project);
  return { outdated, plan, update };
}

const PARTS = [
  ['segments', 'Segments', ['kept', 'changed', 'added', 'removed']],
  ['targetLanguages', 'Target languages', ['kept', 'added', 'removed']],
] as const;

/** What is said of a put. */
export interface PutWords {
  /** That it changes nothing. */
  readonly equal: string;
  /** What stands before the changes. */
  readonly intro: string;
  readonly button: string;
  readonly busy: string;
}

const OF_FILE: PutWords = {
  equal: 'The project is equal to the file. There is nothing to update.',
  intro: 'The file is valid. The update does this:',
  button: 'Update the project',
  busy: 'Updating…',
};

interface ConfirmationProps {
  readonly words?: PutWords;
  readonly plan: PutPreview;
  readonly outdated: PutPlan | undefined;
  readonly onConfirm: (plan: PutPlan) => Promise<void>;
  /** The facts of what changes, in place of the numbers of a plan that removes nothing. */
  readonly children?: ComponentChildren;
}

/** Shows the plan of a put, and does it. */
export function PutConfirmation({ words = OF_FILE, plan, outdated, onConfirm, children }: ConfirmationProps) {
  const [isBusy, setBusy] = useState(false);
  const isSending = useRef(false);
  const [error, setError] = useState<unknown>();
  if (plan.outcome === 'outdated' || plan.outcome === 'unchanged') return <p role="status">{words.equal}</p>;
  const { automaticTranslation } = plan.quote;
  const removes = plan.segments.removed + plan.targetLanguages.removed > 0;
  const confirm = async () => {
    if (isSending.current) return;
    isSending.current = true;
    setBusy(true);
    setError(undefined);
    await onConfirm(plan).catch(setError);
    setBusy(false);
    isSending.current = false;
  };
  return (
    <>
      {outdated && (
        <Notice kind="warning" isLive>
          The project changed after you opened the plan. Nothing was changed by this update. Check the new plan.
        </Notice>
      )}
      <p role="status">{words.intro}</p>
      <dl class="facts" aria-label="Plan">
        {children}
        {(removes || !children) &&
          PARTS.map(([part, label, names]) => (
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
      {automaticTranslation && automaticTranslation.characters > 0 && <AutomaticQuote {...automaticTranslation} />}
      {error !== undefined && <Failure error={error} />}
      <button type="button" class={removes ? 'danger' : 'main'} disabled={isBusy} aria-busy={isBusy} onClick={confirm}>
        {isBusy ? words.busy : words.button}
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
