/** Directives of Blade with an end, such as `@if` and `@endif`. */
const BLOCKS =
  'if|unless|isset|empty|for|foreach|forelse|while|switch|section|component|slot|push|prepend|can|cannot|canany|error|env|auth|guest|php|session|fragment|production|once|verbatim';
const OTHERS =
  'elseif|case|include(?:If|When|Unless|First)?|extends|yield|stack|each|hasSection|sectionMissing|inject|props|aware|json|js|class|style|checked|selected|disabled|readonly|required|lang|choice|method|use|vite|livewire|elsecan(?:not|any)?|break|continue';
const BARE =
  'else|csrf|default|break|continue|parent|show|stop|append|overwrite|empty|auth|guest|once|production|verbatim|php';

/** Matches a directive: its arguments begin after it, if it has some. An address such as `me@if.example` has none. */
export const DIRECTIVE = `(?<![\\w@./-])@(?:(?:end(?:${BLOCKS})|${BARE})(?![\\w=-]|\\.\\w|[ \\t]*\\()|(?:${BLOCKS}|${OTHERS})[ \\t]*\\()`;

const MARK = /\\.|["'()]/gs;

/**
 * Returns where the arguments of a directive end. Parentheses in strings do not count.
 * @param start where they begin, after the parenthesis
 * @param max how many characters they may have
 */
export function endOfArguments(text: string, start: number, max: number): number | undefined {
  let [depth, quote] = [1, ''];
  MARK.lastIndex = start;
  for (let found = MARK.exec(text); found && found.index - start < max; found = MARK.exec(text)) {
    const [mark] = found;
    if (quote !== '') quote = mark === quote ? '' : quote;
    else if (mark === '"' || mark === "'") quote = mark;
    else if (mark === '(') depth += 1;
    else if (mark === ')') depth -= 1;
    if (depth === 0) return MARK.lastIndex;
  }
  return undefined;
}
