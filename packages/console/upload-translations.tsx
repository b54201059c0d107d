import { useCallback, useRef, useState } from 'preact/hooks';
import type { Project } from '../client/index.ts';
import type { HeldChange } from '../files/plan-import.ts';
import type { ImportResult } from '../files/transfer.ts';
import { Faults } from './chosen-file.tsx';
import { FileDrop } from './design/file-drop.tsx';
import { LanguageOptions, targetCodesOf } from './languages.tsx';
import { useLoaded } from './load.ts';
import { Failure, Show } from './page.tsx';
import { type ChosenFile, type PlacedFault, readFile } from './project-file.ts';
import { counted } from './quote.tsx';
import { useClient } from './session.ts';
import { FORMAT_NAMES, loadFormats, placer } from './texts-file.ts';

interface UploadProps {
  readonly id: number;
  readonly project: Project;
}

/** Writes the translations of a file that a translator sent back. It first shows what it would write. */
export function UploadTranslations({ id, project }: UploadProps) {
  const [file, setFile] = useState<ChosenFile>();
  // A file that is chosen again is another one.
  const [turn, setTurn] = useState(0);
  const [languageCode, setLanguageCode] = useState('');
  const [error, setError] = useState<unknown>();
  const choose = async (chosen: File) => {
    setFile(undefined);
    setTurn((last) => last + 1);
    setError(undefined);
    await readFile(chosen).then(setFile, setError);
  };
  return (
    <section class="panel" aria-labelledby="upload">
      <h2 id="upload">Upload translations</h2>
      <p>The file that a translator sent back. You see what it would write before anything is written.</p>
      <div class="filters">
        <label>
          Language
          <select value={languageCode} onChange={({ currentTarget }) => setLanguageCode(currentTarget.value)}>
            <option value="">The one that the file names</option>
            <LanguageOptions codes={targetCodesOf(project)} />
          </select>
        </label>
      </div>
      <FileDrop
        label="File with translations"
        hint="Or drop it here: XLIFF, gettext, CSV or JSON."
        accept=""
        chosen={file?.name}
        onFile={choose}
      />
      {error !== undefined && <Failure error={error} />}
      {file && <Planned key={`${turn} ${languageCode}`} id={id} file={file} languageCode={languageCode || undefined} />}
    </section>
  );
}

interface PlannedProps {
  readonly id: number;
  readonly file: ChosenFile;
  readonly languageCode: string | undefined;
}

type Checked = { readonly result: ImportResult } | { readonly faults: readonly PlacedFault[] };

function Planned({ id, file, languageCode }: PlannedProps) {
  const client = useClient();
  const [replaces, setReplaces] = useState(false);
  const [written, setWritten] = useState<ImportResult>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isSending = useRef(false);
  const run = useCallback(
    async (dryRun: boolean): Promise<Checked> => {
      const { formatOf, importFile, isFileFormat, TranslationFileError } = await loadFormats();
      const format = formatOf(file.name);
      if (!format || !isFileFormat(format)) throw new TypeError(`Choose a file in one of these formats: ${NAMES}.`);
      const options = { format, projectId: id, languageCode, dryRun, overwrite: replaces, reopen: replaces };
      try {
        return { result: await importFile(client, file.bytes, options) };
      } catch (failure) {
        if (failure instanceof TranslationFileError) return { faults: failure.faults.map(await placer(file)) };
        throw failure;
      }
    },
    [file, id, languageCode, replaces],
  );
  const loaded = useLoaded(() => run(true), [run]);
  const write = async () => {
    if (isSending.current) return;
    isSending.current = true;
    setBusy(true);
    setError(undefined);
    try {
      const done = await run(false);
      if ('result' in done) setWritten(done.result);
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
    isSending.current = false;
  };
  if (written) return <p role="status">{summaryOf(written, 'written')}.</p>;
  return (
    <Show loaded={loaded}>
      {(checked) =>
        'faults' in checked ? (
          <Faults file={file} done="written" faults={checked.faults} />
        ) : (
          <>
            <p role="status">{summaryOf(checked.result, 'to write')}.</p>
            <Held held={checked.result.held} onReplace={() => setReplaces(true)} />
            {error !== undefined && <Failure error={error} />}
            <button
              type="button"
              class="main"
              disabled={isBusy || checked.result.changes.length === 0}
              aria-busy={isBusy}
              onClick={write}
            >
              {isBusy ? 'Writing…' : `Write ${counted(checked.result.changes.length, 'translation')}`}
            </button>
          </>
        )
      }
    </Show>
  );
}

const NAMES = [FORMAT_NAMES.xliff, FORMAT_NAMES.xliff2, FORMAT_NAMES.gettext, FORMAT_NAMES.csv, FORMAT_NAMES.json].join(
  ', ',
);

/** Says how many translations are written, and why others are not. */
function summaryOf(
  { changes, held, unchanged, untranslated, warnings }: ImportResult,
  done: 'written' | 'to write',
): string {
  const counts = [
    `${counted(changes.length, 'translation')} ${done}`,
    `${unchanged} unchanged`,
    `${untranslated} without a translation`,
    `${held.length} held back`,
  ];
  if (warnings.length > 0) counts.push(counted(warnings.length, 'warning'));
  return counts.join(', ');
}

const REASONS: Readonly<Record<HeldChange['reason'], string>> = {
  changed: 'somebody has changed the translation since the download',
  'no-base': 'the file does not say from which version it was made',
  'lower-status': 'the status would be lower',
};

interface HeldProps {
  readonly held: readonly HeldChange[];
  readonly onReplace: () => void;
}

/** The translations that would undo the work of others. */
function Held({ held, onReplace }: HeldProps) {
  if (held.length === 0) return null;
  const reasons = new Set(held.map(({ reason }) => REASONS[reason]));
  return (
    <>
      <p>
        {counted(held.length, 'translation')} {held.length === 1 ? 'is' : 'are'} held back: {[...reasons].join('; ')}.
      </p>
      <p>
        <button type="button" onClick={onReplace}>
          Replace them, too
        </button>
      </p>
    </>
  );
}
