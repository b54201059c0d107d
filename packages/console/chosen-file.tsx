import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from './load.ts';
import { Failure, Show } from './page.tsx';
import { type CheckedFile, type ChosenFile, type PlacedFault, readFile } from './project-file.ts';

/** A field in which a user chooses the file of a project, and what is shown of the chosen file. */
export function FileField({ children }: { readonly children: (file: ChosenFile) => ComponentChildren }) {
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
      <label class="filters">
        Project file
        <input type="file" accept=".json,application/json" onChange={({ currentTarget }) => choose(currentTarget)} />
      </label>
      {error !== undefined && <Failure error={error} />}
      {file && children(file)}
    </>
  );
}

interface CheckedProps<T> {
  readonly file: ChosenFile;
  /** Checks the file. Another function checks it again. */
  readonly check: () => Promise<CheckedFile<T>>;
  /** What was not done to the project of a faulty file. */
  readonly done: 'created' | 'changed';
  readonly children: (checked: Extract<CheckedFile<T>, { isValid: true }>) => ComponentChildren;
}

/** Checks a file, and shows each of its faults, or what is shown of a valid one. */
export function Checked<T>({ file, check, done, children }: CheckedProps<T>) {
  const loaded = useLoaded(check, [file, check]);
  return (
    <section aria-labelledby="file">
      <h2 id="file">
        <bdi>{file.name}</bdi>
      </h2>
      <Show loaded={loaded}>
        {(checked) => (checked.isValid ? children(checked) : <Faults file={file} done={done} {...checked} />)}
      </Show>
    </section>
  );
}

interface FaultsProps {
  readonly file: ChosenFile;
  readonly done: 'created' | 'changed';
  readonly faults: readonly PlacedFault[];
  readonly hint?: string | undefined;
}

function Faults({ file, done, faults, hint }: FaultsProps) {
  const lines = file.text.split(/\r\n?|\n/);
  return (
    <>
      <p role="alert">
        The file has {faults.length === 1 ? 'a fault' : `${faults.length} faults`}. Nothing was {done}. Correct it, and
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
