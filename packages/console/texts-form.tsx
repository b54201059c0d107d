import { useRef } from 'preact/hooks';
import type { TextsProjectOptions } from '../files/texts-project.ts';
import { useLoaded } from './load.ts';
import { useClient } from './session.ts';

interface TextsFormProps {
  readonly fileName: string;
  readonly onSubmit: (options: TextsProjectOptions) => void;
  /** The user has changed a field since. */
  readonly onChange: () => void;
}

/** Asks what a file of texts does not say of its project: languages, deadline and names. */
export function TextsForm({ fileName, onSubmit, onChange }: TextsFormProps) {
  const client = useClient();
  const targets = useRef<HTMLInputElement>(null);
  const languages = useLoaded(() => client.listLanguages(), []);
  const known = languages.state === 'ready' ? languages.value : [];
  const add = (code: string) => {
    const field = targets.current;
    if (!field || code === '') return;
    field.value = [...new Set([...field.value.split(/[\s,]+/).filter(Boolean), code])].join(' ');
    onChange();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) onSubmit(optionsIn(new FormData(event.currentTarget)));
  };
  return (
    <form class="form" onSubmit={submit} onInput={onChange}>
      <label>
        Name
        <input name="name" defaultValue={fileName} dir="auto" required autocomplete="off" />
      </label>
      <label>
        Custom id
        <input name="customId" dir="auto" autocomplete="off" spellcheck={false} />
      </label>
      <label>
        Source language, unless the file names it
        <input name="source" list="languages" autocomplete="off" spellcheck={false} placeholder="en" />
      </label>
      <datalist id="languages">
        {known.map(({ langCode, descriptiveName }) => (
          <option key={langCode} value={langCode}>
            {descriptiveName}
          </option>
        ))}
      </datalist>
      <label>
        Target languages, with spaces between
        <input ref={targets} name="targets" autocomplete="off" spellcheck={false} placeholder="de-DE fr-FR" />
      </label>
      <label>
        Add a target language
        <select
          value=""
          onChange={({ currentTarget }) => {
            add(currentTarget.value);
            currentTarget.value = '';
          }}
        >
          <option value="">Choose a language</option>
          {known.map(({ langCode, descriptiveName }) => (
            <option key={langCode} value={langCode}>
              {descriptiveName} ({langCode})
            </option>
          ))}
        </select>
      </label>
      <label>
        Due on, in UTC
        <input name="due" type="date" required />
      </label>
      <label class="check">
        <input name="automatic" type="checkbox" /> Translate automatically
      </label>
      <button type="submit">Check, and show the price</button>
    </form>
  );
}

function optionsIn(fields: FormData): TextsProjectOptions {
  const field = (name: string) => String(fields.get(name) ?? '').trim() || undefined;
  const targets = field('targets');
  return {
    name: field('name'),
    customId: field('customId'),
    sourceLanguage: field('source'),
    targetLanguage: targets?.split(/[\s,]+/),
    due: field('due'),
    automatic: fields.has('automatic') || undefined,
  };
}
