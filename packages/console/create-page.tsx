import { useCallback, useRef, useState } from 'preact/hooks';
import { keyOfFile } from '../../lib/contract/file-key.ts';
import { type NewProject, SegueError, type ValidProject } from '../client/index.ts';
import type { TextsProjectOptions } from '../files/texts-project.ts';
import { Checked, FileField, type FileKind } from './chosen-file.tsx';
import { Facts, When } from './facts.tsx';
import { dividedFaults, type FieldFaults, missingIn } from './field-faults.ts';
import { LanguageName } from './languages.tsx';
import { Failure, Heading, Trail } from './page.tsx';
import { type CheckedFile, type ChosenFile, checkFile } from './project-file.ts';
import { counted, quotedText } from './quote.tsx';
import { saveFile } from './save-file.ts';
import { useClient } from './session.ts';
import { checkTexts, FORMAT_NAMES, loadFormats } from './texts-file.ts';
import { TextsForm } from './texts-form.tsx';

/** Creates a project from a file: it checks the file, shows each fault at its place, and creates the project once. */
export function CreatePage() {
  return (
    <div class="narrow">
      <Trail above={[['#/projects', 'Projects']]} here="Create" />
      <Heading title="Create a project" />
      <FileField intro={<Intro />} help={<WhichFiles />}>
        {(file, kind) => (kind === 'project' ? <OfProject file={file} /> : <OfTexts file={file} format={kind} />)}
      </FileField>
    </div>
  );
}

function Intro() {
  return (
    <p>
      Choose a file with the texts to translate. Segue checks it, and shows what the project would be. Nothing is
      created before you confirm.
    </p>
  );
}

const FORMATS = Object.values(FORMAT_NAMES);

/** A file to try. */
const EXAMPLE = {
  name: 'gift-cards.json',
  content: `${JSON.stringify({ title: 'Gift cards', text: 'Give a present that always fits.' }, undefined, 2)}\n`,
};

function WhichFiles() {
  return (
    <>
      <h2>Which files fit</h2>
      <ul class="formats">
        <li>Files of translators: {FORMATS.slice(0, 4).join(', ')}</li>
        <li>Texts of apps and websites: {FORMATS.slice(4).join(', ')}</li>
        <li>The JSON of a whole project, with its languages and its deadline</li>
      </ul>
      <p>
        <button type="button" onClick={() => saveFile(EXAMPLE.name, EXAMPLE.content)}>
          Download a small example
        </button>
      </p>
    </>
  );
}

interface FileProps {
  readonly file: ChosenFile;
}

function OfProject({ file }: FileProps) {
  const client = useClient();
  const check = useCallback(() => checkFile(file, (project) => client.validateProject(project)), [file]);
  return <Validated file={file} check={check} />;
}

/** Asks what else a project of texts needs, and then checks it. A fault of an answer appears at its field. */
function OfTexts({ file, format }: FileProps & { readonly format: Exclude<FileKind, 'project'> }) {
  const client = useClient();
  const [options, setOptions] = useState<TextsProjectOptions>();
  const [faults, setFaults] = useState<FieldFaults>({});
  const form = useRef<HTMLFormElement>(null);
  const latest = useRef(options);
  latest.current = options;
  /** Shows the faults of the fields, and moves the focus to the first one. */
  const report = (found: FieldFaults) => {
    setFaults(found);
    const [first = ''] = Object.keys(found);
    form.current?.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
  };
  const check = useCallback(async () => {
    const { fieldsFrom, projectWithTexts } = await loadFormats();
    const { sourceLanguage: sourceLanguageCode, targetLanguage: targetLanguageCodes } = options ?? {};
    const checked = await checkTexts(
      file,
      { format, sourceLanguageCode, targetLanguageCodes },
      (source) => projectWithTexts(source, file.name, fieldsFrom(options ?? {}), options ?? {}),
      (project) => client.validateProject(project),
    );
    if (checked.isValid) return checked;
    const { ofFields, ofFile } = dividedFaults(checked.faults);
    // The user may have changed an answer meanwhile.
    if (latest.current === options) report(ofFields);
    return { ...checked, faults: ofFile };
  }, [file, format, options]);
  return (
    <>
      <TextsForm
        fileName={file.name}
        format={format}
        faults={faults}
        formRef={form}
        onSubmit={(given) => {
          const missing = missingIn(given, format);
          report(missing);
          setOptions(Object.keys(missing).length > 0 ? undefined : given);
        }}
        onChange={(field) => {
          setOptions(undefined);
          setFaults(({ [field]: _, ...others }) => others);
        }}
      />
      {options && <Validated file={file} check={check} />}
    </>
  );
}

interface ValidatedProps extends FileProps {
  readonly check: () => Promise<CheckedFile<ValidProject>>;
}

function Validated({ file, check }: ValidatedProps) {
  return (
    <Checked file={file} check={check} done="created">
      {(checked) => <Confirmation {...checked} />}
    </Checked>
  );
}

interface ConfirmationProps {
  readonly project: NewProject;
  readonly summary: ValidProject;
}

/**
 * Creates a valid project. The same file creates once, here and with `segue projects create`. If that project was deleted,
 * a reader who asks again gets another one.
 */
function Confirmation({ project, summary }: ConfirmationProps) {
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const isSending = useRef(false);
  const key = useRef<string>(undefined);
  const [error, setError] = useState<unknown>();
  const wasDeleted = error instanceof SegueError && error.type === 'project-deleted';
  const create = async () => {
    if (isSending.current) return;
    isSending.current = true;
    setBusy(true);
    setError(undefined);
    try {
      key.current = wasDeleted ? crypto.randomUUID() : (key.current ?? (await keyOfFile(project)));
      const { id } = await client.createProject(project, { idempotencyKey: key.current });
      location.hash = `#/projects/${id}`;
    } catch (failure) {
      setError(failure);
      setBusy(false);
      isSending.current = false;
    }
  };
  return (
    <>
      <h2>What it becomes</h2>
      <p role="status">The project is valid.</p>
      <Summary project={project} summary={summary} />
      {wasDeleted ? (
        <p role="alert">The project that this file made was deleted. Do you want another one?</p>
      ) : (
        error !== undefined && <Failure error={error} />
      )}
      <button type="button" class="main" disabled={isBusy} aria-busy={isBusy} onClick={create}>
        {isBusy ? 'Creating…' : wasDeleted ? 'Create it again' : 'Create the project'}
      </button>
      <p class="quiet">The same file makes only one project.</p>
    </>
  );
}

/** What a valid project is: its languages, its deadline, its size and its price. */
function Summary({ project, summary }: ConfirmationProps) {
  const { sourceLanguageCode: from, targetLanguages } = project;
  const isAsked = targetLanguages.some(({ serviceAutomaticTranslation }) => serviceAutomaticTranslation === true);
  return (
    <Facts
      of={[
        ['Name', project.name],
        ['From', typeof from === 'string' ? <LanguageName code={from} /> : undefined],
        [
          'Into',
          <ul class="chips">
            {targetLanguages.map(({ targetLanguageCode: code, targetLanguageId: id }, index) => (
              <li key={index}>{typeof code === 'string' ? <LanguageName code={code} /> : `Language ${id}`}</li>
            ))}
          </ul>,
        ],
        ['Due', <When at={project.endDateUtc} />],
        ['Size', sizeOf(summary)],
        ['Automatic translation', quotedText(summary.quote.automaticTranslation, isAsked)],
      ]}
    />
  );
}

function sizeOf({ segments, quote }: ValidProject): string {
  const { words, characters, repeats } = quote;
  const size = [counted(segments, 'segment'), counted(words, 'word'), counted(characters, 'character')];
  if (repeats > 0) size.push(counted(repeats, 'repeated segment'));
  return size.join(', ');
}
