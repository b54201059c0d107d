/** Codes of Segue's catalogue, each with the code that an engine uses for it. Only codes that differ are listed. */
export type CodeAliases = Readonly<Record<string, string>>;

/**
 * Returns an engine's code for a language: the same code, or a shorter one that means the same script. So `de-AT` may be
 * translated as `de`, but `sr-Latn` never as `sr`, which is Cyrillic.
 * @param codes the codes that the engine knows, in any case
 * @returns `undefined` if the engine does not know the language
 */
export function engineCode(code: string, codes: Iterable<string>, aliases: CodeAliases = {}): string | undefined {
  const known = new Map(Array.from(codes, (own) => [own.toLowerCase(), own]));
  for (const form of formsOf(code)) {
    const found = known.get(form.toLowerCase()) ?? known.get(aliases[form]?.toLowerCase() ?? '');
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns a code and its shorter forms in the same script, the most exact first. */
function formsOf(code: string): string[] {
  const { script } = new Intl.Locale(code).maximize();
  const [language = '', ...rest] = code.split('-');
  const longer = rest.map((_, index) => [language, ...rest.slice(0, rest.length - index)].join('-'));
  const forms = [...longer, `${language}-${script}`, language];
  return forms.filter((form) => new Intl.Locale(form).maximize().script === script);
}
