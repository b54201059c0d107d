import { useCallback, useRef, useState } from 'preact/hooks';
import { keyOfFile } from '../../lib/contract/file-key.ts';
import type { NewProject, ValidProject } from '../client/index.ts';
import type { TextsProjectOptions } from '../files/texts-project.ts';
import { Checked, FileField, type FileKind } from './chosen-file.tsx';
import { Failure, Heading } from './page.tsx';
import { type CheckedFile, type ChosenFile, checkFile } from './project-file.ts';
import { AutomaticQuote, counted } from './quote.tsx';
import { useClient } from './session.ts';
import { checkTexts, loadFormats } from './texts-file.ts';
import { TextsForm } from './texts-form.tsx';

/** Creates a project from a file: it checks the file, shows each fault at its place, and creates the project once. */
export function CreatePage() {
  return (
    <>
      <Heading title="Create a project" />
      <p>
        Choose a file with texts to translate, or with the JSON of a project. Nothing is created before you confirm. The
        project starts now, if the file does not say another time.
      </p>
      <FileField>
        {(file, kind) => (kind === 'project' ? <OfProject file={file} /> : <OfTexts file={file} format={kind} />)}
      </FileField>
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

/** Asks what else a project of texts needs, and then checks it. */
function OfTexts({ file, format }: FileProps & { readonly format: Exclude<FileKind, 'project'> }) {
  const client = useClient();
  const [options, setOptions] = useState<TextsProjectOptions>();
  const check = useCallback(async () => {
    const { fieldsFrom, projectWithTexts } = await loadFormats();
    const { sourceLanguage: sourceLanguageCode, targetLanguage: targetLanguageCodes } = options ?? {};
    return checkTexts(
      file,
      { format, sourceLanguageCode, targetLanguageCodes },
      (source) => projectWithTexts(source, file.name, fieldsFrom(options ?? {}), options ?? {}),
      (project) => client.validateProject(project),
    );
  }, [file, format, options]);
  return (
    <>
      <TextsForm fileName={file.name} onSubmit={setOptions} onChange={() => setOptions(undefined)} />
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

/** Creates a valid project. The same file creates once, here and with `segue projects create`. */
function Confirmation({ project, summary }: ConfirmationProps) {
  const client = useClient();
  const { automaticTranslation } = summary.quote;
  const [isBusy, setBusy] = useState(false);
  const isSending = useRef(false);
  const [error, setError] = useState<unknown>();
  const create = async () => {
    if (isSending.current) return;
    isSending.current = true;
    setBusy(true);
    setError(undefined);
    try {
      const { id } = await client.createProject(project, { idempotencyKey: await keyOfFile(project) });
      location.hash = `#/projects/${id}`;
    } catch (failure) {
      setError(failure);
      setBusy(false);
      isSending.current = false;
    }
  };
  return (
    <>
      <p role="status">The project is valid: {sizeOf(summary)}.</p>
      {automaticTranslation && <AutomaticQuote {...automaticTranslation} />}
      {error !== undefined && <Failure error={error} />}
      <button type="button" class="main" disabled={isBusy} aria-busy={isBusy} onClick={create}>
        {isBusy ? 'Creating…' : 'Create the project'}
      </button>
      <p class="quiet">If you create the same file again, you get the same project, and no second one.</p>
    </>
  );
}

function sizeOf({ segments, targetLanguages, quote }: ValidProject): string {
  const { words, characters, repeats } = quote;
  const size = [counted(segments, 'segment'), counted(words, 'word'), counted(characters, 'character')];
  if (repeats > 0) size.push(counted(repeats, 'repeated segment'));
  return [...size, counted(targetLanguages, 'language')].join(', ');
}
