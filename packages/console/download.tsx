import { useRef, useState } from 'preact/hooks';
import { type Project, SegueError } from '../client/index.ts';
import type { SourceFormat } from '../files/source-file.ts';
import { targetLanguagesOf } from './languages.tsx';
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

/** Downloads the translations into a language: as a new file, or in the file from which the project was made. */
export function Download({ id, project }: { readonly id: number; readonly project: Project }) {
  const client = useClient();
  const codes = targetLanguagesOf(project).flatMap(({ targetLanguageCode: code }) => (code ? [code] : []));
  const language = useRef<HTMLSelectElement>(null);
  const format = useRef<HTMLSelectElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [done, setDone] = useState<Downloaded>();
  const [error, setError] = useState<unknown>();
  const run = async (make: (languageCode: string) => Promise<Downloaded>) => {
    setBusy(true);
    setError(undefined);
    setDone(undefined);
    await make(language.current?.value ?? '').then(setDone, (failure) => setError(readable(failure)));
    setBusy(false);
  };
  const exportNew = async (languageCode: string): Promise<Downloaded> => {
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
  const fill = async (input: HTMLInputElement, languageCode: string): Promise<Downloaded> => {
    const [chosen] = input.files ?? [];
    input.value = '';
    if (!chosen) throw new TypeError('Choose the file from which the project was made.');
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
    <section aria-labelledby="download">
      <h3 id="download">Download translations</h3>
      <div class="filters">
        <label>
          Language of the file
          <select ref={language}>
            {codes.map((code) => (
              <option key={code}>{code}</option>
            ))}
          </select>
        </label>
        <label>
          Format of a new file
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
        <button type="button" disabled={isBusy || codes.length === 0} onClick={() => run(exportNew)}>
          {isBusy ? 'Reading the translations…' : 'Download a new file'}
        </button>
        <label>
          Or fill in the file of the project
          <input
            type="file"
            disabled={isBusy || codes.length === 0}
            onChange={({ currentTarget }) => run((code) => fill(currentTarget, code))}
          />
        </label>
      </div>
      {error !== undefined && <Failure error={error} />}
      {done && <Result {...done} />}
    </section>
  );
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
