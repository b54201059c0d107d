import { type ComponentChildren, createContext } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SourceFormat } from '../files/source-file.ts';
import { Field } from './design/fields.tsx';
import { FileDrop } from './design/file-drop.tsx';
import { Notice } from './design/status.tsx';
import { ForOperators } from './facts.tsx';
import { FaultPlaces } from './fault-list.tsx';
import { adviceIn, faultInWords } from './fault-words.ts';
import { useLoaded } from './load.ts';
import { Failure, Show } from './page.tsx';
import { type CheckedFile, type ChosenFile, contentOf, type PlacedFault, readFile } from './project-file.ts';
import { FORMAT_NAMES, loadFormats } from './texts-file.ts';

/** What a file has: the JSON of a project, or texts in a format. */
export type FileKind = 'project' | SourceFormat;

/** Reads the chosen file again, as it is now. Without a field for a file, there is nothing to read again. */
const ReadAgain = createContext<(() => void) | undefined>(undefined);

interface FileFieldProps {
  /** What stands above the field until a file is chosen. */
  readonly intro?: ComponentChildren;
  /** What helps a user to choose a file, instead of which texts may also be pasted. Nothing: only files are possible. */
  readonly help?: ComponentChildren;
  readonly children: (file: ChosenFile, kind: FileKind) => ComponentChildren;
}

/** A field in which a user chooses a file, and what is shown of the chosen file. */
export function FileField({ intro, help, children }: FileFieldProps) {
  const [source, setSource] = useState<File>();
  const [file, setFile] = useState<ChosenFile>();
  // A file that is chosen again is another one.
  const [turn, setTurn] = useState(0);
  const [error, setError] = useState<unknown>();
  const choose = async (chosen: File) => {
    setFile(undefined);
    setTurn((last) => last + 1);
    setError(undefined);
    setSource(chosen);
    await readFile(chosen).then(setFile, setError);
  };
  return (
    <ReadAgain.Provider value={source && (() => choose(source))}>
      {!file && intro}
      <FileDrop
        label="Project file, or file with texts"
        hint="Or drop it here."
        accept=""
        chosen={file?.name}
        onFile={choose}
      />
      {help !== undefined && !file && (
        <>
          <Paste onFile={choose} />
          {help}
        </>
      )}
      {error !== undefined && <Failure error={error} />}
      {file && (
        <Formatted key={turn} file={file}>
          {children}
        </Formatted>
      )}
    </ReadAgain.Provider>
  );
}

/** A field for texts that are in no file. */
function Paste({ onFile }: { readonly onFile: (file: File) => void }) {
  const [pasted, setPasted] = useState('');
  return (
    <details>
      <summary>Or paste the texts</summary>
      <div class="form">
        <Field label="Content of a file">
          {(input) => (
            <textarea
              {...input}
              dir="auto"
              rows={6}
              spellcheck={false}
              value={pasted}
              onInput={({ currentTarget }) => setPasted(currentTarget.value)}
            />
          )}
        </Field>
        <button type="button" disabled={pasted.trim() === ''} onClick={() => onFile(fileOf(pasted))}>
          Use these texts
        </button>
      </div>
    </details>
  );
}

/** Returns a file with a text. Its name says that it is JSON, if it looks so. */
function fileOf(text: string): File {
  return new File([text], text.trimStart().startsWith('{') ? 'pasted.json' : 'pasted');
}

/** Asks what the file has, if its name and its content do not say. */
function Formatted({ file, children }: FileFieldProps & { readonly file: ChosenFile }) {
  const loaded = useLoaded(() => guessKind(file), [file]);
  return (
    <section aria-label={file.name}>
      <Show loaded={loaded}>{(guess) => <KindField guess={guess}>{(kind) => children(file, kind)}</KindField>}</Show>
    </section>
  );
}

/** Returns what a file most likely has. @returns `undefined` if nothing says so */
async function guessKind(file: ChosenFile): Promise<FileKind | undefined> {
  const isNamedJson = /\.json$/i.test(file.name);
  if (isNamedJson && contentOf(file) !== 'texts') return 'project';
  const { formatOf } = await loadFormats();
  const format = formatOf(file.name);
  return format ?? (file.text.trimStart().startsWith('{') ? 'project' : undefined);
}

interface KindFieldProps {
  readonly guess: FileKind | undefined;
  readonly children: (kind: FileKind) => ComponentChildren;
}

function KindField({ guess, children }: KindFieldProps) {
  const [kind, setKind] = useState(guess);
  const names = Object.entries({ project: 'JSON of a project', ...FORMAT_NAMES });
  return (
    <>
      <label class="form">
        Format
        <select onChange={({ currentTarget: { value } }) => setKind(isKind(value) ? value : undefined)}>
          {guess === undefined && <option value="">Choose the format</option>}
          {names.map(([name, shown]) => (
            <option key={name} value={name} selected={name === guess}>
              {shown}
            </option>
          ))}
        </select>
      </label>
      {kind && <div key={kind}>{children(kind)}</div>}
    </>
  );
}

function isKind(value: string): value is FileKind {
  return value === 'project' || Object.hasOwn(FORMAT_NAMES, value);
}

interface CheckedProps<T> {
  readonly file: ChosenFile;
  /** Checks the file. Another function checks it again. */
  readonly check: () => Promise<CheckedFile<T>>;
  /** What was not done to the project of a faulty file. */
  readonly done: 'created' | 'changed';
  readonly children: (checked: Extract<CheckedFile<T>, { isValid: true }>) => ComponentChildren;
}

/** Checks a file, and shows each of its faults, or what is shown of a valid one. Of no faults, it shows nothing. */
export function Checked<T>({ file, check, done, children }: CheckedProps<T>) {
  const loaded = useLoaded(check, [file, check]);
  return (
    <Show loaded={loaded}>
      {(checked) => {
        if (checked.isValid) return <InView>{children(checked)}</InView>;
        return (
          checked.faults.length > 0 && (
            <InView>
              <Faults file={file} done={done} {...checked} />
            </InView>
          )
        );
      }}
    </Show>
  );
}

/** Brings what came of a check into view, unless a field has a fault. Then that field has the focus. */
function InView({ children }: { readonly children: ComponentChildren }) {
  const result = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!document.querySelector('[aria-invalid="true"]')) result.current?.scrollIntoView();
  }, []);
  return <div ref={result}>{children}</div>;
}

interface FaultsProps {
  readonly file: ChosenFile;
  readonly done: 'created' | 'changed' | 'written';
  readonly faults: readonly PlacedFault[];
}

/** How many faults are shown. */
const MAX_FAULTS = 100;
const COMMANDS = 'The file has several projects, or none. An operator can create several at once.';

/** Shows each fault of a file at its place. */
export function Faults({ file, done, faults }: FaultsProps) {
  const lines = file.text.split(/\r\n?|\n/);
  const lineOf = ({ line }: PlacedFault) => (line === undefined ? '' : (lines[line - 1] ?? ''));
  const shown = faults.slice(0, MAX_FAULTS);
  const isManifest = contentOf(file) === 'commands';
  // A manifest is no project, so its places as a project say nothing.
  const technical = isManifest ? [] : shown.filter((fault) => fault.pointer !== '' || adviceIn(fault) !== '');
  const readAgain = useContext(ReadAgain);
  return (
    <>
      <Notice
        kind="fault"
        title={`The file has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}. Nothing was ${done}.`}
        isLive
      >
        <p>{isManifest ? COMMANDS : 'Correct the file, and check it again.'}</p>
        {isManifest && (
          <ForOperators>
            <p>
              Write each project as <code>{'{ "create": … }'}</code> on a line of its own, and run{' '}
              <code>segue bulk &lt;file&gt;</code>.
            </p>
          </ForOperators>
        )}
        {readAgain && (
          <p>
            <button type="button" onClick={readAgain}>
              Check again
            </button>
          </p>
        )}
      </Notice>
      {faults.length > MAX_FAULTS && <p class="quiet">These are the first {MAX_FAULTS} faults.</p>}
      <ol class="cards" aria-label="Faults">
        {shown.map((fault, index) => (
          <li key={index}>
            <span class="name">{faultInWords(fault)}</span>
            <Place {...fault} />
            <Excerpt line={lineOf(fault)} column={fault.column} />
          </li>
        ))}
      </ol>
      {technical.length > 0 && (
        <ForOperators>
          <FaultPlaces faults={technical} />
        </ForOperators>
      )}
    </>
  );
}

/** Where a fault is in the file. */
function Place({ line, column }: PlacedFault) {
  if (line === undefined) return null;
  return (
    <span class="quiet">
      Line {line}
      {column !== undefined && `, column ${column}`}
    </span>
  );
}

/** A line that shows nothing of what is in the file: it is empty, or has only brackets. */
const BARE = /^[\s()[\]{},]*$/;

/** The number of characters that are shown before and after a fault. */
const AROUND = 60;

/**
 * A part of a line, in which the character at the fault is marked. Without a column, it is the beginning of the line.
 * Of a bare line, it is nothing.
 */
function Excerpt({ line, column }: { readonly line: string; readonly column: number | undefined }) {
  if (BARE.test(line)) return null;
  const characters = [...line];
  const at = (column ?? 1) - 1;
  const start = Math.max(0, at - AROUND);
  const rest = column === undefined ? at : at + 1;
  return (
    <pre class="excerpt">
      {start > 0 && '…'}
      <bdi>{characters.slice(start, at).join('')}</bdi>
      {column !== undefined && <mark>{characters[at] ?? ' '}</mark>}
      <bdi>{characters.slice(rest, at + AROUND).join('')}</bdi>
      {at + AROUND < characters.length && '…'}
    </pre>
  );
}
