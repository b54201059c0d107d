import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRetext from 'remark-retext';
import retextEnglish from 'retext-english';
import retextReadability from 'retext-readability';
import { unified } from 'unified';
import { VFile } from 'vfile';

/** Checks that a reader of 16 understands each sentence at first reading, except those in readability-exceptions.json. */

const ROOT = join(import.meta.dirname, '../..');
const exceptions = JSON.parse(readFileSync(join(import.meta.dirname, 'readability-exceptions.json'), 'utf8'));

const pages = [
  ...['README.md', 'CONTRIBUTING.md', '.github/SECURITY.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
// A sentence of fewer words is hard only because of technical terms, such as "webhook" or "operation".
const MIN_WORDS = 10;
const checker = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRetext, unified().use(retextEnglish).use(retextReadability, { age: 16, minWords: MIN_WORDS }));

/** Returns the hard sentences of a page, each on one line. */
async function findHard(page) {
  const file = new VFile({ path: page, value: readFileSync(join(ROOT, page)) });
  await checker.run(checker.parse(file), file);
  return file.messages.map(({ line, actual }) => ({ page, line, sentence: actual.replace(/\s+/g, ' ').trim() }));
}

const hard = (await Promise.all(pages.map(findHard))).flat();
const accepted = new Set(exceptions.map(({ page, sentence }) => `${page}: ${sentence}`));
const unexpected = hard.filter(({ page, sentence }) => !accepted.delete(`${page}: ${sentence}`));
for (const { page, line, sentence } of unexpected) console.error(`${page}:${line} is hard to read: ${sentence}`);
for (const entry of accepted) console.error(`No longer hard, so remove this exception: ${entry}`);
process.exitCode = unexpected.length + accepted.size > 0 ? 1 : 0;
