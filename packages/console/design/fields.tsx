import type { ComponentChildren, TargetedEvent } from 'preact';
import { useId } from 'preact/hooks';

/** What a field passes to its input. */
interface InputProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

interface FieldProps {
  readonly label: string;
  /** What to enter. */
  readonly hint?: string;
  /** Why the value is refused, and what would be right. */
  readonly fault?: string | undefined;
  readonly children: (input: InputProps) => ComponentChildren;
}

/** A field with its label, its hint and its fault. */
export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  const ids = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': ids.join(' ') || undefined, 'aria-invalid': fault !== undefined })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly hint: string;
  readonly name?: string;
  readonly checked?: boolean;
  readonly onChange?: (event: TargetedEvent<HTMLInputElement>) => void;
}

/** A check box, and what it means. */
export function Choice({ label, hint, ...input }: ChoiceProps) {
  const id = useId();
  return (
    <div>
      <label class="check">
        <input {...input} type="checkbox" aria-describedby={id} />
        {label}
      </label>
      <p class="hint" id={id}>
        {hint}
      </p>
    </div>
  );
}

interface TabsProps<T extends string> {
  readonly label: string;
  readonly options: readonly (readonly [value: T, name: string])[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** One of few values, which filters a list. The arrow keys change it. */
export function Tabs<T extends string>({ label, options, value, onChange }: TabsProps<T>) {
  const group = useId();
  return (
    <fieldset class="tabs">
      <legend class="hidden">{label}</legend>
      {options.map(([option, name]) => (
        <label key={option}>
          <input type="radio" name={group} checked={option === value} onChange={() => onChange(option)} />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
