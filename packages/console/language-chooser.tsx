import type { Language } from '../client/index.ts';
import { Field } from './design/fields.tsx';

interface LanguageChooserProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly fault: string | undefined;
  /** The languages that a user can choose. */
  readonly known: readonly Language[];
  /** The codes of the chosen languages. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A field for several languages. Each chosen one has a button that removes it. */
export function LanguageChooser({ name, label, hint, fault, known, chosen, onChange }: LanguageChooserProps) {
  const names = new Map(known.map(({ langCode, descriptiveName }) => [langCode, descriptiveName]));
  return (
    <div class="chooser">
      <Field label={label} hint={hint} fault={fault}>
        {(input) => (
          <select
            {...input}
            name={name}
            value=""
            onChange={({ currentTarget }) => {
              if (currentTarget.value !== '') onChange([...chosen, currentTarget.value]);
              currentTarget.value = '';
            }}
          >
            <option value="">{chosen.length === 0 ? 'Choose a language' : 'Add another language'}</option>
            <KnownLanguages known={known.filter(({ langCode }) => !chosen.includes(langCode))} />
          </select>
        )}
      </Field>
      {chosen.length > 0 && (
        <ul class="tags" aria-label={`Chosen: ${label}`}>
          {chosen.map((code) => {
            const language = names.get(code) ?? code;
            return (
              <li key={code}>
                <span>{language}</span> <span class="quiet id">{code}</span>
                <button
                  type="button"
                  class="subtle"
                  aria-label={`Remove ${language}`}
                  onClick={() => onChange(chosen.filter((other) => other !== code))}
                >
                  ×
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

/** The options of a field for a language, by name. */
export function KnownLanguages({ known }: { readonly known: readonly Language[] }) {
  return (
    <>
      {known
        .toSorted((one, other) => one.descriptiveName.localeCompare(other.descriptiveName))
        .map(({ langCode, descriptiveName }) => (
          <option key={langCode} value={langCode}>
            {descriptiveName} ({langCode})
          </option>
        ))}
    </>
  );
}
