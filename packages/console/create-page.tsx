import { useCallback, useState } from 'preact/hooks';
import { keyOfFile } from '../../lib/contract/file-key.ts';
import type { ValidProject } from '../client/index.ts';
import { Checked, FileField } from './chosen-file.tsx';
import { Failure, Heading } from './page.tsx';
import { type CheckedFile, type ChosenFile, checkFile } from './project-file.ts';
import { useClient } from './session.ts';
import { count } from './values.ts';

/** Creates a project from a file: it checks the file, shows each fault at its place, and creates the project once. */
export function CreatePage() {
  return (
    <>
      <Heading title="Create a project" />
      <p>
        Choose a file with the JSON of the project. Nothing is created before you confirm. Without{' '}
        <code>startDateUtc</code>, the project starts now.
      </p>
      <FileField>{(file) => <Validated file={file} />}</FileField>
    </>
  );
}

function Validated({ file }: { readonly file: ChosenFile }) {
  const client = useClient();
  const check = useCallback(() => checkFile(file, (project) => client.validateProject(project)), [file]);
  return (
    <Checked file={file} check={check} done="created">
      {(checked) => <Confirmation {...checked} />}
    </Checked>
  );
}

/** Creates a valid project. The same file creates once, here and with `segue projects create`. */
function Confirmation({ project, summary }: Extract<CheckedFile<ValidProject>, { isValid: true }>) {
  const client = useClient();
  const { automaticTranslation } = summary.quote;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const create = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { id } = await client.createProject(project, { idempotencyKey: await keyOfFile(project) });
      location.hash = `#/projects/${id}`;
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <>
      <p role="status">The project is valid: {sizeOf(summary)}.</p>
      {automaticTranslation && <AutomaticTranslation {...automaticTranslation} />}
      {error !== undefined && <Failure error={error} />}
      <button type="button" class="main" disabled={isBusy} onClick={create}>
        {isBusy ? 'Creating…' : 'Create the project'}
      </button>
      <p class="quiet">If you create the same file again, you get the same project, and no second one.</p>
    </>
  );
}

const counted = (value: number, one: string) => `${count(value)} ${one}${value === 1 ? '' : 's'}`;

function sizeOf({ segments, targetLanguages, quote }: ValidProject): string {
  const { words, characters, repeats } = quote;
  const size = [counted(segments, 'segment'), counted(words, 'word'), counted(characters, 'character')];
  if (repeats > 0) size.push(counted(repeats, 'repeated segment'));
  return [...size, counted(targetLanguages, 'language')].join(', ');
}

/** Shows what the engine is going to translate, and the price. */
function AutomaticTranslation({ characters, cost }: NonNullable<ValidProject['quote']['automaticTranslation']>) {
  const price = cost ? `, ${cost.amount.toLocaleString('en', { maximumFractionDigits: 6 })} ${cost.currency}` : '';
  return (
    <p>
      Automatic translation: {counted(characters, 'character')}
      {price}.
    </p>
  );
}
