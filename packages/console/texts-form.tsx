import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import type { SourceFormat } from '../files/source-file.ts';
import type { TextsProjectOptions } from '../files/texts-project.ts';
import { Choice, Field } from './design/fields.tsx';
import { type FieldFaults, firstDay, NAMED_IN } from './field-faults.ts';
import { KnownLanguages, LanguageChooser } from './language-chooser.tsx';
import { useLoaded } from './load.ts';
import { Failure } from './page.tsx';
import { useClient } from './session.ts';
import { readableName } from './values.ts';

interface TextsFormProps {
  readonly fileName: string;
  readonly format: SourceFormat;
  readonly faults: FieldFaults;
  /** The form, to move the focus to its fields. */
  readonly formRef: RefObject<HTMLFormElement | null>;
  readonly onSubmit: (options: TextsProjectOptions) => void;
  /** The user has changed a field since. */
  readonly onChange: (field: string) => void;
}

/** Asks what a file of texts does not say of its project: languages, deadline and names. */
export function TextsForm({ fileName, format, faults, formRef, onSubmit, onChange }: TextsFormProps) {
  const client = useClient();
  const [targets, setTargets] = useState<readonly string[]>([]);
  const languages = useLoaded(() => client.listLanguages(), []);
  const known = languages.state === 'ready' ? languages.value : [];
  const namesSource = NAMED_IN.source.includes(format);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) onSubmit(optionsIn(new FormData(event.currentTarget), targets));
  };
  const changed = ({ target }: Event) => {
    if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) onChange(target.name);
  };
  return (
    <form class="form" ref={formRef} noValidate onSubmit={submit} onInput={changed}>
      {languages.state === 'failed' && <Failure error={languages.error} />}
      <Field label="Name" fault={faults['name']}>
        {(input) => (
          <input {...input} name="name" defaultValue={readableName(fileName)} dir="auto" required autocomplete="off" />
        )}
      </Field>
      <Field
        label={namesSource ? 'Source language (optional if the file names it)' : 'Source language'}
        fault={faults['source']}
      >
        {(input) => (
          <select {...input} name="source" required={!namesSource}>
            <option value="">{namesSource ? 'The one that the file names' : 'Choose a language'}</option>
            <KnownLanguages known={known} />
          </select>
        )}
      </Field>
      <LanguageChooser
        name="targets"
        label="Target languages"
        hint={`The languages into which the texts are translated.${
          NAMED_IN.targets.includes(format) ? ' Choose none if the file names one.' : ''
        }`}
        fault={faults['targets']}
        known={known}
        chosen={targets}
        onChange={(chosen) => {
          setTargets(chosen);
          onChange('targets');
        }}
      />
      <Field label="Due on" hint="The project is due at the end of this day in UTC." fault={faults['due']}>
        {(input) => <input {...input} name="due" type="date" min={firstDay()} required />}
      </Field>
      <Field label="Custom id (optional)" hint="What your own system calls the project." fault={faults['customId']}>
        {(input) => <input {...input} name="customId" dir="auto" autocomplete="off" spellcheck={false} />}
      </Field>
      <Choice
        name="automatic"
        label="Translate automatically"
        hint="A machine translates each text. The check says what that costs."
      />
      <button type="submit">Check the project</button>
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
