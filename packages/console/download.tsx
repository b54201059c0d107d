import { useRef, useState } from 'preact/hooks';
import { type Project, SegueError } from '../client/index.ts';
import type { SourceFormat } from '../files/source-file.ts';
import { FileDrop } from './design/file-drop.tsx';
import { LanguageOptions, targetCodesOf } from './languages.tsx';
import { Failure } from './page.tsx';
import { readFile } from './project-file.ts';
import { saveFile } from './save-file.ts';
import { useClient } from './session.ts';
import { FORMAT_NAMES, loadFormats } from './texts-file.ts';
import { count } from './values.ts';

/** The extensions of the files for translators' tools. */
const EXTENSIONS = { xliff: 'xlf', xliff2: 'xlf', gettext: 'po', csv: 'csv', json: 'json' } as const;
type DownloadFormat = keyof typeof EXTENSIONS;

/** What a download made. */
interface Downloaded {
  readonly name: string;
  /** What the file lacks. */
  readonly notes: readonly string[];
}

interface DownloadProps {
  readonly id: number;
  readonly project: Project;
}

/** Downloads the translations into a language as a new file for the tool of a translator. */
export function Download({ id, project }: DownloadProps) {
  const client = useClient();
  const codes = targetCodesOf(project);
  const language = useRef<HTMLSelectElement>(null);
  const format = useRef<HTMLSelectElement>(null);
  const { run, isBusy, result } = useDownload();
  const exportNew = async (): Promise<Downloaded> => {
    const languageCode = language.current?.value ?? '';
    const chosen = format.current?.value ?? '';
    const as = isDownloadFormat(chosen) ? chosen : 'xliff';
    const { exportFile } = await loadFormats();
    const notes: string[] = [];
    const onWarning = ({ detail }: { readonly detail: string }) => notes.push(detail);
    const text = await exportFile(client, id, { languageCode, format: as, onWarning });
    const name = `project-${id}.${languageCode}.${EXTENSIONS[as]}`;
    saveFile(name, text);
    return { name, notes };
  };
  return (
    <section class="panel" aria-labelledby="download">
      <h2 id="download">Download translations</h2>
      <p>A new file for a translator, with the texts of the project and their translations.</p>
      <div class="filters">
        <label class="of-language">
          Language
          <select ref={language}>
            <LanguageOptions codes={codes} />
          </select>
        </label>
        <label>
          Format
          <select ref={format}>
            {Object.keys(EXTENSIONS)
              .filter(isDownloadFormat)
              .map((name) => (
                <option key={name} value={name}>
                  {FORMAT_NAMES[name]}
                </option>
              ))}
          </select>
        </label>
        <button type="button" disabled={codes.length === 0} aria-busy={isBusy} onClick={() => run(exportNew)}>
          {isBusy ? 'Reading the translations…' : 'Download'}
        </button>
      </div>
      {result}
    </section>
  );
}

/** Downloads the file from which the project was made, with the translations in the place of its texts. */
export function FillIn({ id, project }: DownloadProps) {
  const client = useClient();
  const [languageCode = '', setLanguageCode] = useState(targetCodesOf(project)[0]);
  const { run, isBusy, result } = useDownload();
  const fill = async (chosen: File): Promise<Downloaded> => {
    const [{ bytes, name }, { fillFile, formatOf, SKIP_REASONS }] = await Promise.all([
      readFile(chosen),
      loadFormats(),
    ]);
    const from = formatOf(name);
    if (!from) throw new TypeError(`The name of the file does not tell its format. Use one of ${NAMES}.`);
    const { file, filled, untranslated, skipped, warnings } = await fillFile(client, id, bytes, {
      languageCode,
      format: from,
    });
    const filledName = name.replace(/(?=\.\w+$)/, `.${languageCode}`);
    saveFile(filledName, file);
    const counts = `${count(filled)} filled in, ${count(skipped.length)} left out, ${count(untranslated)} untranslated`;
    const reasons = new Set(skipped.map(({ reason }) => SKIP_REASONS[reason]));
    return { name: filledName, notes: [counts, ...reasons, ...warnings.map(({ detail }) => detail)] };
  };
  return (
    <section class="panel" aria-labelledby="fill-in">
      <h2 id="fill-in">Translate your own file</h2>
      <p>
        Choose the file from which the project was made. You get a copy of it in another language: each text is replaced
        by its translation, and nothing else changes.
      </p>
      <div class="filters">
        <label>
          Language of the copy
          <select value={languageCode} onChange={({ currentTarget }) => setLanguageCode(currentTarget.value)}>
            <LanguageOptions codes={targetCodesOf(project)} />
          </select>
        </label>
      </div>
      <FileDrop
        label="File from which the project was made"
        hint={isBusy ? 'Reading the translations…' : 'Or drop it here. It is not sent anywhere.'}
        accept=""
        chosen={undefined}
        onFile={(file) => run(() => fill(file))}
      />
      {result}
    </section>
  );
}

/** Runs downloads one at a time, and shows what became of the last one. */
function useDownload() {
  const [isBusy, setBusy] = useState(false);
  const [done, setDone] = useState<Downloaded>();
  const [error, setError] = useState<unknown>();
  const run = async (make: () => Promise<Downloaded>) => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    setDone(undefined);
    await make().then(setDone, (failure) => setError(readable(failure)));
    setBusy(false);
  };
  const result = (
    <>
      {error !== undefined && <Failure error={error} />}
      {done && <Result {...done} />}
    </>
  );
  return { run, isBusy, result };
}

const MAX_NOTES = 20;

function Result({ name, notes }: Downloaded) {
  return (
    <div role="status">
      <p>
        Your browser saves <bdi>{name}</bdi>.
      </p>
      {notes.length > 0 && (
        <ul>
          {notes.slice(0, MAX_NOTES).map((note, index) => (
            <li key={index}>{note}</li>
          ))}
          {notes.length > MAX_NOTES && <li>{count(notes.length - MAX_NOTES)} more</li>}
        </ul>
      )}
    </div>
  );
}

const FORMATS: Readonly<Record<SourceFormat, string>> = FORMAT_NAMES;
const NAMES = Object.values(FORMATS).join(', ');

function isDownloadFormat(name: string): name is DownloadFormat {
  return Object.hasOwn(EXTENSIONS, name);
}

/** Makes the faults of a file an error that a page shows with its text. */
function readable(error: unknown): unknown {
  if (error instanceof SegueError || error instanceof TypeError || !(error instanceof Error)) return error;
  return 'faults' in error ? new TypeError(error.message) : error;
}
