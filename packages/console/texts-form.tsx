import { useState } from 'preact/hooks';
import type { TextsProjectOptions } from '../files/texts-project.ts';
import { Field } from './design/fields.tsx';
import { KnownLanguages, LanguageChooser } from './language-chooser.tsx';
import { useLoaded } from './load.ts';
import { Failure } from './page.tsx';
import { useClient } from './session.ts';
import { readableName } from './values.ts';

interface TextsFormProps {
  readonly fileName: string;
  readonly onSubmit: (options: TextsProjectOptions) => void;
  /** The user has changed a field since. */
  readonly onChange: () => void;
}

/** Asks what a file of texts does not say of its project: languages, deadline and names. */
export function TextsForm({ fileName, onSubmit, onChange }: TextsFormProps) {
  const client = useClient();
  const [targets, setTargets] = useState<readonly string[]>([]);
  const languages = useLoaded(() => client.listLanguages(), []);
  const known = languages.state === 'ready' ? languages.value : [];
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) onSubmit(optionsIn(new FormData(event.currentTarget), targets));
  };
  return (
    <form class="form" onSubmit={submit} onInput={onChange}>
      {languages.state === 'failed' && <Failure error={languages.error} />}
      <Field label="Name">
        {(input) => (
          <input {...input} name="name" defaultValue={readableName(fileName)} dir="auto" required autocomplete="off" />
        )}
      </Field>
      <LanguageChooser
        label="Target languages"
        hint="The languages into which the texts are translated. Choose none if the file names them."
        known={known}
        chosen={targets}
        onChange={(chosen) => {
          setTargets(chosen);
          onChange();
        }}
      />
      <Field label="Source language (optional if the file names it)">
        {(input) => (
          <select {...input} name="source">
            <option value="">The one that the file names</option>
            <KnownLanguages known={known} />
          </select>
        )}
      </Field>
      <Field label="Due on" hint="The project is due at the end of this day in UTC.">
        {(input) => <input {...input} name="due" type="date" required />}
      </Field>
      <Field label="Custom id (optional)" hint="What your own system calls the project.">
        {(input) => <input {...input} name="customId" dir="auto" autocomplete="off" spellcheck={false} />}
      </Field>
      <label class="check">
        <input name="automatic" type="checkbox" /> Translate automatically
      </label>
      <button type="submit">Check, and show the price</button>
    </form>
  );
}

function optionsIn(fields: FormData, targets: readonly string[]): TextsProjectOptions {
  const field = (name: string) => String(fields.get(name) ?? '').trim() || undefined;
  return {
    name: field('name'),
    customId: field('customId'),
    sourceLanguage: field('source'),
    targetLanguage: targets.length > 0 ? targets : undefined,
    due: field('due'),
    automatic: fields.has('automatic') || undefined,
  };
}
