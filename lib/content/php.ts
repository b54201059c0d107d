const MARK = /\\["'`\\]|["'`\n]|\?>|\/\*|\*\/|\/\/|#(?!\[)|<<<[ \t]*(["']?)([A-Za-z_]\w*)\1(?=\r?\n)/g;
/** What ends a comment. A string ends at the quote with which it begins. */
const COMMENT_ENDS: Readonly<Record<string, string>> = { '/*': '*/', '//': '\n' };

/**
 * Returns where PHP ends: after the first `?>` that is not in a string or in a comment of several lines. A comment of one
 * line ends there too.
 * @param start where the code begins, after `<?php`
 * @returns infinity if the code has no end; `undefined` if it is no PHP, because a string or comment does not end
 */
export function endOfPhp(text: string, start: number): number | undefined {
  let within = '';
  MARK.lastIndex = start;
  for (let found = MARK.exec(text); found; found = MARK.exec(text)) {
    const [mark, , label] = found;
    if (mark === '?>' && (within === '' || within === '//')) return MARK.lastIndex;
    if (within !== '') {
      if (mark === (COMMENT_ENDS[within] ?? within)) within = '';
    } else if (label !== undefined) {
      const end = new RegExp(`\\n[ \\t]*${label}\\b`, 'g');
      end.lastIndex = MARK.lastIndex;
      if (!end.test(text)) return undefined;
      MARK.lastIndex = end.lastIndex;
    } else if (mark === '#' || mark === '//') within = '//';
    else if (mark === '/*' || /^["'`]/.test(mark)) within = mark;
  }
  return within === '' || within === '//' ? Number.POSITIVE_INFINITY : undefined;
}
