import { useState } from 'preact/hooks';
import { keyOfFile } from '../../lib/contract/file-key.ts';
import type { ValidProject } from '../client/index.ts';
import { useLoaded } from './load.ts';
import { Failure, Heading, Show } from './page.tsx';
import { type CheckedFile, type ChosenFile, checkFile, type PlacedFault, readFile } from './project-file.ts';
import { useClient } from './session.ts';

/** Creates a project from a file: it checks the file, shows each fault at its place, and creates the project once. */
export function CreatePage() {
  const [file, setFile] = useState<ChosenFile>();
  const [error, setError] = useState<unknown>();
  const choose = async (input: HTMLInputElement) => {
    const [chosen] = input.files ?? [];
    setFile(undefined);
    setError(undefined);
    if (chosen) await readFile(chosen).then(setFile, setError);
    // Then the same file can be chosen again after a change.
    input.value = '';
  };
  return (
    <>
      <Heading title="Create a project" />
      <p>
        Choose a file with the JSON of the project. Nothing is created before you confirm. Without{' '}
        <code>startDateUtc</code>, the project starts now.
      </p>
      <label class="filters">
        Project file
        <input type="file" accept=".json,application/json" onChange={({ currentTarget }) => choose(currentTarget)} />
      </label>
      {error !== undefined && <Failure error={error} />}
      {file && <Checked file={file} />}
    </>
  );
}

function Checked({ file }: { readonly file: ChosenFile }) {
  const client = useClient();
  const loaded = useLoaded(() => checkFile(client, file), [file]);
  return (
    <section aria-labelledby="file">
      <h2 id="file">
        <bdi>{file.name}</bdi>
      </h2>
      <Show loaded={loaded}>
        {(checked) => (checked.isValid ? <Confirmation {...checked} /> : <Faults file={file} {...checked} />)}
      </Show>
    </section>
  );
}

/** Creates a valid project. The same file creates once, here and with `segue projects create`. */
function Confirmation({ project, summary }: Extract<CheckedFile, { isValid: true }>) {
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

const counted = (count: number, one: string) => `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;

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

interface FaultsProps {
  readonly file: ChosenFile;
  readonly faults: readonly PlacedFault[];
  readonly hint?: string | undefined;
}

function Faults({ file, faults, hint }: FaultsProps) {
  const lines = file.text.split(/\r\n?|\n/);
  return (
    <>
      <p role="alert">
        The file has {faults.length === 1 ? 'a fault' : `${faults.length} faults`}. Nothing was created. Correct it, and
        choose it again.
      </p>
      {hint !== undefined && <p class="quiet">{hint}</p>}
      <ol class="cards" aria-label="Faults">
        {faults.map(({ line, column, pointer, detail }, index) => (
          <li key={index}>
            <span class="name">
              Line {line}, column {column}
            </span>
            <span>
              {pointer && <code>{pointer}</code>} {detail}
            </span>
            <Excerpt line={lines[line - 1] ?? ''} column={column} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** The number of characters that are shown before and after a fault. */
const AROUND = 60;

/** A part of a line, in which the character at the fault is marked. */
function Excerpt({ line, column }: { readonly line: string; readonly column: number }) {
  const characters = [...line];
  const at = column - 1;
  const start = Math.max(0, at - AROUND);
  return (
    <pre class="excerpt">
      {start > 0 && '…'}
      <bdi>{characters.slice(start, at).join('')}</bdi>
      <mark>{characters[at] ?? ' '}</mark>
      <bdi>{characters.slice(at + 1, at + AROUND).join('')}</bdi>
      {at + AROUND < characters.length && '…'}
    </pre>
  );
}
