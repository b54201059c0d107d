import type { SkippedUnit } from '../fill.ts';
import { categoriesOf, formNotes, inOrder, type PluralCategory, type PluralType } from '../plural-rules.ts';

/** A plural form of a text. */
export interface PluralForm {
  readonly category: PluralCategory;
  readonly type: PluralType;
  /** For the form `other`: how the other forms of its text are written. */
  readonly forms?: PluralForms | undefined;
}

/** The plural forms of a text. */
export interface PluralForms {
  readonly present: ReadonlySet<string>;
  /** The index of the file's text where more forms can stand. */
  readonly at: number;
  readonly idOf: (category: PluralCategory) => string;
  /** Writes a form, with what is around it. */
  readonly write: (category: PluralCategory, written: string) => string;
}

/** A text in a file that may be a plural form. */
export interface PluralSpan {
  readonly start: number;
  readonly end: number;
  readonly customId?: string | undefined;
  readonly notes?: string | undefined;
  /** Writes a translation as the format has it. @returns why not; `undefined` if its codes cannot stand there */
  readonly write: (translation: string) => string | Pick<SkippedUnit, 'reason'> | undefined;
  /** The plural form that the text is. */
  readonly form?: PluralForm | undefined;
  /** Whether the file lacks this plural form. Its content is that of the form `other`, and its range is empty. */
  readonly isAdded?: boolean | undefined;
}

/** Returns a form. Only the form `other` leads to those that the file lacks. */
export function formOf(category: PluralCategory, type: PluralType, forms: PluralForms): PluralForm {
  return { category, type, ...(category === 'other' && { forms }) };
}

/** The categories that some languages have. */
export type NeededForms = Readonly<Record<PluralType, readonly PluralCategory[]>>;

/** Returns the categories that languages have. */
export function formsOf(languageCodes: readonly string[]): NeededForms {
  const of = (type: PluralType) => inOrder(languageCodes.flatMap((code) => categoriesOf(code, type) ?? []));
  return { cardinal: of('cardinal'), ordinal: of('ordinal') };
}

/** Adds a text for each plural form that one of the languages has, and the file lacks. */
export function withForms<S extends PluralSpan>(spans: readonly S[], languageCodes: readonly string[]): S[] {
  const needed = formsOf(languageCodes);
  const noteOf = formNotes(languageCodes);
  return spans.flatMap((span) => {
    const { form } = span;
    if (!form?.forms) return [span];
    const { type, forms } = form;
    const missing = needed[type].filter((category) => !forms.present.has(category));
    const added = missing.map((category): S => {
      return {
        ...span,
        start: forms.at,
        end: forms.at,
        customId: forms.idOf(category),
        notes: [span.notes, noteOf(category, type)].filter(Boolean).join('\n'),
        form: { category, type },
        isAdded: true,
        write(translation: string) {
          const written = span.write(translation);
          return typeof written === 'string' ? forms.write(category, written) : written;
        },
      };
    });
    return [span, ...added];
  });
}

/** Whether languages do not use a form. Some programs use `zero` in every language. */
export function isUnused({ form }: PluralSpan, needed: NeededForms): boolean {
  if (!form || form.category === 'zero') return false;
  return needed[form.type].length > 0 && !needed[form.type].includes(form.category);
}
