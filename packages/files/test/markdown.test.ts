import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { mappingEngine, shown, translate } from '../../../test/lib/hosted/translation/world.ts';
import { fill, textsIn } from './source-files.ts';

const contentsOf = async (page: string) => (await textsIn('markdown', page)).map(({ content }) => content);
const lines = (...all: string[]) => all.join('\n');

/** What is no prose in a content: tags, code, expressions, character references, escapes and addresses. */
const NO_PROSE = /(<(?:code|var)>.*?<\/(?:code|var)>|<[%?].*?[%?]>|<[^>]*>|&#?\w+;|\\.|https?:\S+|[\w.+-]+@[\w.-]+)/;

/** Changes each word of a content, and nothing else. */
function changed(content: string): string {
  return content
    .split(NO_PROSE)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/\p{L}+/gu, (word) => `${word}ä`)))
    .join('');
}

const MARKDOWN = `---
title: Shop
---

# Hello *you* #

First line
second line  \nhard break, \`code\`
and [a link][1].

Title
=====

> * quoted
>   text
> 1. [x](y)

- [ ] to do

| A | B |
|---|--:|
| one \\| two | 2 |

<div align="center">Some <b>HTML</b></div>

\`\`\`sh
npm ci
\`\`\`

    indented code

[1]: https://example.com "Title"
`;

describe('texts in Markdown', () => {
  it('are paragraphs, headings and cells, without the marks of their blocks', async () => {
    expect(await contentsOf(MARKDOWN)).toEqual([
      'Hello *you*',
      'First line second line<br>hard break, <code>code</code> and <a href="https://example.com">a link</a>.',
      'Title',
      'quoted text',
      '<a href="y">x</a>',
      'to do',
      'A',
      'B',
      'one \\| two',
      'Some <b>HTML</b>',
    ]);
  });

  it('are the titles of containers, and rules are no front matter', async () => {
    const page = ['A', '---', 'B', '', '---', '::: tip Hint', 'C', ':::', '> [!NOTE]', '> D', '> ---', ''].join('\n');
    expect(await contentsOf(page)).toEqual(['A', 'B', 'Hint', 'C', 'D']);
    expect((await fill('markdown', page, (content) => content.toLowerCase())).text).toBe(
      page.replace(/^(> )?[ABCD]$|Hint/gm, (line) => line.toLowerCase()),
    );
  });

  it('are written into the same blocks, and start no others', async () => {
    const written = [
      'Hallo\n*du*',
      'Eins\nzwei  \n<a href="https://example.com">drei</a> mit `code`.',
      '|',
      'zitiert\nhier  \nund da',
      '2024. <a href="y">Jahr</a>',
      '# tun',
      'a | b',
    ];
    const { text, skipped } = await fill('markdown', MARKDOWN, (content, index) => written[index] ?? content);
    expect(skipped).toEqual([]);
    expect(text).toBe(
      MARKDOWN.replace('Hello *you*', 'Hallo *du*')
        .replace(/First.*\[1\]\./s, 'Eins zwei  \n[drei][1] mit `code`.')
        .replace('Title\n=', '|\n=')
        .replace('quoted\n>   text', 'zitiert hier  \n>   und da')
        .replace('[x](y)', '2024\\. [Jahr](y)')
        .replace('to do', '\\# tun')
        .replace('| A |', '| a \\| b |'),
    );
    const indented = await fill('markdown', 'Text\n', () => '[a]: b');
    expect(indented).toMatchObject({ skipped: [], text: '\\[a]: b\n' });
  });
});

/** What is no text, with the prose around it as a translator sees it. */
const INLINE: readonly (readonly [markdown: string, content: string])[] = [
  ['Use `npm ci` now.', 'Use <code>npm ci</code> now.'],
  [
    'Use ``a ` b``, `` ` `` and `<b> & c`.',
    'Use <code>a ` b</code>, <code>`</code> and <code>&lt;b&gt; &amp; c</code>.',
  ],
  ['See [the docs](https://a.b/c_(d) "On it").', 'See <a href="https://a.b/c_(d)" title="On it">the docs</a>.'],
  ["See [the docs]({{ '/a' | url }}#b).", `See <a href="{{ &#39;/a&#39; | url }}#b">the docs</a>.`],
  ['See [the docs](<a b>).', 'See <a href="a b">the docs</a>.'],
  ['See [the *big* `code`](/a).', 'See <a href="/a">the *big* <code>code</code></a>.'],
  ['![Our logo](a.png "Logo") here', '<picture src="a.png" title="Logo">Our logo</picture> here'],
  ['[![Build](b.svg)](/ci) state', '<a href="/ci"><picture src="b.svg">Build</picture></a> state'],
  ['Visit <https://example.com/a> or <me@example.com>.', 'Visit <https://example.com/a> or <me@example.com>.'],
  ['Press <kbd class="x">Ctrl</kbd><!-- a > b --> now', 'Press <kbd class="x">Ctrl</kbd><!-- a &gt; b --> now'],
  ['a < b <c d \\<i> \\& &copy; AT&T', 'a < b &lt;c d &lt;i> &amp; &copy; AT&T'],
  [
    'Hi {user.name + "!"}, #{b} {{ c }} {d, e}',
    'Hi <var>{user.name + "!"}</var>, <var>#{b}</var> <var>{{ c }}</var> <var>{d, e}</var>',
  ],
  [
    `A {"}"} b {\`}$` + `{"}"}\`} c {/* } */} d {f('}', /}/)} e`,
    `A <var>{"}"}</var> b <var>{\`}$` + `{"}"}\`}</var> c <var>{/* } */}</var> d <var>{f('}', /}/)}</var> e`,
  ],
  [
    "It's {'{'} or {\"a\\\"}\"}, {don't}, {see https://a.b/c} `{` and {d",
    "It's <var>{'{'}</var> or <var>{\"a\\\"}\"}</var>, <var>{don't}</var>, <var>{see https://a.b/c}</var> <code>{</code> and {d",
  ],
  ['See <Tab a={"}>"} b={c /* } */}>d</Tab> now', 'See <Tab a={"}&gt;"} b={c /* } */}>d</Tab> now'],
  ['Go <Tab a={b > <i/>} c="d">here</Tab> now', 'Go <Tab a={b &gt; &lt;i/&gt;} c="d">here</Tab> now'],
  ['By <%= a > "b" %> and <?php c("d") > e ?> f', 'By <%= a > "b" %> and <?php c("d") > e ?> f'],
  ['By {# a > "b" #} and `{#c}`', 'By <var>{# a &gt; "b" #}</var> and <code>{#c}</code>'],
  ['Put it in `{#` and `#}`', 'Put it in <code>&#123;#</code> and <code>#}</code>'],
  ['Put it in `{{` and `}}`', 'Put it in <code>&#123;{</code> and <code>}}</code>'],
  ['Go :smile: at 10:30:00, [a](b){ .c }', 'Go <var>:smile:</var> at 10:30:00, <a href="b">a</a>'],
  ['The *text*{: .x} and [a](b){:target="_blank"} end', 'The *text*<var>{: .x}</var> and <a href="b">a</a> end'],
  ['A note[^1] and \\[no\\](link), \\`no code`', 'A note<var>[^1]</var> and \\[no\\](link), \\`no code`'],
  ['A break\\\nof lines', 'A break<br>of lines'],
];

describe('what is no text in Markdown', () => {
  it.each(INLINE)('is markup of the segment: %s', async (markdown, content) => {
    expect(await contentsOf(markdown)).toEqual([content]);
    const { text, skipped } = await fill('markdown', markdown, changed);
    expect(skipped).toEqual([]);
    expect(await contentsOf(text)).toEqual([changed(content)]);
    const [words, written] = [markdown, text].map((all) => all.replaceAll('ä', '').replaceAll('&lt;', '\\<'));
    expect(written).toBe(words?.replaceAll('&lt;', '\\<').replace('<c d', '\\<c d').replace('\\&', '&amp;'));
  });

  it('keeps the target of a reference whose text changes', async () => {
    const page = 'See [the docs][a], [a][] and [A].\n\n[a]: https://example.com/a "Title"\n';
    expect(await contentsOf(page)).toEqual([
      'See <a href="https://example.com/a">the docs</a>, <a href="https://example.com/a">a</a> and <a href="https://example.com/a">A</a>.',
    ]);
    expect((await fill('markdown', page, changed)).text).toBe(
      page.replace('See [the docs][a], [a][] and [A]', 'Seeä [theä docsä][a], [aä][a] andä [Aä][A]'),
    );
  });

  it.each([
    ['changed code', 'Use <code>npm install</code> <a href="/a">here</a>'],
    ['lost code', 'Use <a href="/a">here</a>'],
    ['a changed target', 'Use <code>npm ci</code> <a href="/b">here</a>'],
    ['a lost target', 'Use <code>npm ci</code> here'],
    ['a link without an end', 'Use <code>npm ci</code> <a href="/a">here'],
    ['the text of a link', 'Use <code>npm ci</code> here <a href="/a"></a>'],
    ['the text of a link that is written as Markdown', 'Use `npm ci` here [ ](/a)'],
  ])('cannot be lost: %s', async (_, translation) => {
    const page = 'Use `npm ci` [here](/a)\n';
    expect(await fill('markdown', page, () => translation)).toMatchObject({
      text: page,
      filled: 0,
      skipped: [
        {
          place: { line: 1, column: 1 },
          reason: 'markup-lost',
          detail: expect.stringMatching(/segment 1\b/),
        },
      ],
    });
  });

  it.each([
    ['Nutze `npm ci` [hier](/a)', 'Nutze `npm ci` [hier](/a)'],
    ['<a href="/a">Hier</a> <code>npm ci</code> <code>npm ci</code>', '[Hier](/a) `npm ci` `npm ci`'],
    ['<a href="/a">[Hier](/b)</a> ein ` vor <code>npm ci</code>', '[\\[Hier\\](/b)](/a) ein \\` vor `npm ci`'],
  ])('may be written as Markdown, moved and repeated: %s', async (translation, written) => {
    const { text, skipped } = await fill('markdown', 'Use `npm ci` [here](/a)\n', () => translation);
    expect([text, skipped]).toEqual([`${written}\n`, []]);
  });

  it('is not sent to an engine, and survives next to a language without spaces', async () => {
    const page = 'Use `npm ci` now, or [ask us](https://example.com/a) about {name} at <https://example.com/b>.\n';
    const engine = mappingEngine(
      (text) =>
        text
          .split(/(<[^>]*>)/)
          .map((part, index) => (index % 2 === 1 ? part : part.replace(/\s+/g, '').replace(/[a-z]+/gi, '文')))
          .join(''),
      { placeholderElement: 'code' },
    );
    const { results } = await translate(engine, await contentsOf(page));
    expect(engine.received.flatMap(({ texts }) => texts)).toEqual([
      'Use <code id="1"></code> now, or <a id="3">ask us</a> about <code id="7"></code> at <code id="9"></code>.',
    ]);
    const { text } = await fill('markdown', page, (_, index) => shown(results[index]));
    expect(text).toBe('文`npm ci`文,文[文](https://example.com/a)文{name}文<https://example.com/b>.\n');
  });
});

/** Blocks of programs for documentation, with their texts. */
const BLOCKS: readonly (readonly [name: string, page: string, ...contents: string[]])[] = [
  [
    'front matter in TOML',
    lines('+++', 'title = "Opening hours"', '', '[a]', 'draft = false', '+++', '', 'Text.'),
    'Text.',
  ],
  ['front matter in JSON', lines('{', '  "title": "A",', '', '  "b": ["c"]', '}', '', 'Text.'), 'Text.'],
  ['an import', lines('import Tabs from "./tabs";', '', 'The text.'), 'The text.'],
  [
    'imports and exports',
    lines(
      'import {',
      '  A,',
      "} from 'a';",
      "import * as B from 'b'",
      '',
      'export const a = {',
      "  b: 'c',",
      '',
      '  d: [',
      '  ],',
      '};',
      '',
      'export default ({ children }) => <div>{children}</div>',
      '',
      'Text.',
    ),
    'Text.',
  ],
  [
    'prose with such words',
    lines('import the text as it is', '', 'export default values to a file'),
    'import the text as it is',
    'export default values to a file',
  ],
  [
    'components',
    lines(
      '<Tabs>',
      '  <Tab title="One" b={() => a > "c"}>',
      '    Text `a`',
      '    of it.',
      '  </Tab>',
      '  <Tab',
      '    value="x"',
      '  >',
      '',
      '  - item',
      '',
      '  </Tab>',
      '</Tabs>',
      '<Foo />',
      'After',
    ),
    'One',
    'Text <code>a</code> of it.',
    'item',
    'After',
  ],
  [
    'tags in a file with components',
    lines(
      '<Since v="1" />',
      '',
      '<p>',
      '**Type:** `string`',
      '<Since v="2" />',
      '</p>',
      '<summary>More</summary>',
      '',
      '<!-- a',
      '',
      'b -->',
      '',
      '<style>{`',
      '',
      'p {}',
      '`}</style>',
    ),
    '**Type:** <code>string</code>',
    '<summary>More</summary>',
  ],
  [
    'components that are indented',
    lines(
      '<Grid>',
      '    <Card',
      '    title="One"',
      '  />',
      '    <Card title="Two">',
      '    Text',
      '    ```js',
      'const a = b;',
      '',
      '    c();',
      '    ```',
      '    More',
      '    </Card>',
      '</Grid>',
    ),
    'One',
    'Two',
    'Text',
    'More',
  ],
  ['components in a line', '<Foo>Text</Foo>', '<Foo>Text</Foo>'],
  [
    'attributes of components in a line',
    lines(
      '<Card title="One" a={"}"}>Text `a`</Card>',
      '',
      '- <TabItem value="x" label=\'Two\'>More</TabItem>',
      '',
      '<Tabs><TabItem label="Three">Text</TabItem><TabItem label="Four"></TabItem> <Icon label="Five" /></Tabs>',
      '',
      '> <Card title="Six"',
      '>  b="c">',
      '> Text of it',
      '> </Card>',
      '',
      'See <Term title="None">here</Term>.',
    ),
    'One',
    'Text <code>a</code>',
    'Two',
    'More',
    'Three',
    'Text',
    'Four',
    'Five',
    'Six',
    'Text of it',
    'See <Term title="None">here</Term>.',
  ],
  [
    'attributes beside expressions',
    lines('<Card a={"}"} title="One {a}" b={{ c: `\n\n}` }} d={e} alt="Two">', '', 'Text', '', '</Card>'),
    'One {a}',
    'Two',
    'Text',
  ],
  [
    'attributes of elements without text',
    lines(
      '<a href="/"><img alt="One"></a>',
      '',
      '# <img alt="Two">',
      '',
      '| <img alt="Three \\| x"> | `a` <i aria-label="Four"></i> |',
      '|---|---|',
      '| <picture><source><img alt="Five"></picture> | <b>Cell</b> <img alt="Six"> |',
      '',
      '- [<img alt="Seven">](/a) 8',
      '',
      '<!-- a --> <img alt="Eight">',
    ),
    'One',
    'Two',
    'Three \\| x',
    'Four',
    'Five',
    '<b>Cell</b>',
    'Six',
    'Seven',
    'Eight',
  ],
  [
    'programs in lines',
    lines(
      '{x.map((a) => "}")}',
      '',
      '{',
      '  a // }',
      '}',
      '',
      'export const a = {',
      '  b: `',
      '',
      'c }',
      '`,',
      '};',
      '',
      'Text',
    ),
    'Text',
  ],
  [
    'expressions',
    lines(
      '{/* a comment',
      '',
      'in lines */}',
      '',
      '{props.children}',
      '',
      '{a.map((b) => (',
      '  <p>{b}</p>',
      '))}',
      '',
      '{name} is it',
    ),
    '<var>{name}</var> is it',
  ],
  [
    'attributes',
    lines(
      '# Title {#id .a}',
      '{: .b }',
      '',
      'Lead',
      '{: .lead }',
      '',
      '- item',
      '  {: .c }',
      '',
      '> Quote',
      '> {:.d}',
      '',
      'End { .e }',
    ),
    'Title',
    'Lead',
    'item',
    'Quote',
    'End',
  ],
  [
    'tags of templates',
    lines(
      '{% include a.html %}',
      '',
      'Text',
      '{{< note >}}',
      'Note {{< ref "a" >}}',
      '{{< /note >}}',
      '',
      '{{< img src="a b"',
      '  alt="c"',
      '>}}',
    ),
    'Text',
    'Note <var>{{&lt; ref "a" &gt;}}</var>',
  ],
  [
    'an admonition',
    lines('!!! note "Careful"', '    Never unplug it.', '', '    Second `a`.', '', '        code', '', 'After'),
    'Careful',
    'Never unplug it.',
    'Second <code>a</code>.',
    'After',
  ],
  [
    'nested and folded admonitions',
    lines(
      '??? tip',
      '',
      '    Text.',
      '',
      '    !!! warning inline end "Inner *title*"',
      '        Body.',
      '',
      '=== "Tab"',
      '    Of tab.',
    ),
    'Text.',
    'Inner *title*',
    'Body.',
    'Tab',
    'Of tab.',
  ],
  [
    'an admonition in a list and in a quote',
    lines('- a', '', '    !!! note "B"', '        C.', '', '> !!! note "D"', '>     E.'),
    'a',
    'B',
    'C.',
    'D',
    'E.',
  ],
  ['a line that is no admonition', '!!! Look "here" please', '!!! Look "here" please'],
  [
    'containers',
    lines(
      ':::note[Title `a`]{.b}',
      'Body.',
      ':::',
      '',
      '::: warning My title',
      'Text',
      '::: {.box}',
      '',
      '::::tip',
      'More',
      '::::',
      '::video[Label]{#c}',
    ),
    'Title <code>a</code>',
    'Body.',
    'My title',
    'Text',
    'More',
    'Label',
  ],
  ['alerts', lines('> [!NOTE]', '> Text', '', '> [!tip]- Title', '> Body'), 'Text', 'Title', 'Body'],
  [
    'definitions',
    lines(
      'Term',
      ': Definition here',
      '',
      'Other',
      ':   Some `a`',
      '    goes on',
      '',
      '    second',
      ': third',
      '',
      'At 10:30 :smile:',
    ),
    'Term',
    'Definition here',
    'Other',
    'Some <code>a</code> goes on',
    'second',
    'third',
    'At 10:30 <var>:smile:</var>',
  ],
  [
    'footnotes and abbreviations',
    lines(
      'Text[^1].',
      '',
      '[^1]: Word',
      '[^note]: Two words',
      '    go on.',
      '',
      '    More.',
      '',
      '*[HTML]: Hyper Text',
      '*[W3C]: World Wide',
    ),
    'Text<var>[^1]</var>.',
    'Word',
    'Two words go on.',
    'More.',
    'Hyper Text',
    'World Wide',
  ],
];

describe('extensions of Markdown', () => {
  it.each(BLOCKS)('%s', async (_, page, ...expected) => {
    expect(await contentsOf(page)).toEqual(expected);
    expect(await fill('markdown', page, (content) => content)).toMatchObject({ text: page, skipped: [] });
    const { text, skipped } = await fill('markdown', page, changed);
    expect(skipped).toEqual([]);
    expect(await contentsOf(text)).toEqual(expected.map(changed));
    // Nothing but words and the breaks of lines in a paragraph changes.
    expect(text.replaceAll('ä', '').replace(/\s+/g, ' ')).toBe(page.replace(/\s+/g, ' '));
  });

  it('an attribute stays in its line and in its cell', async () => {
    const page = '| A |\n|---|\n| <img alt="B" title=C> |\n\n<Card title=\'D\'>E</Card>\n';
    const { text } = await fill('markdown', page, (content) => `${content}|"\n\n'<`);
    expect(text).toBe(
      '| A\\|" \'< |\n|---|\n| <img alt="B\\|&quot; \'&lt;" title="C\\|&quot; \'&lt;"> |\n\n<Card title=\'D|" &#39;&lt;\'>E|" \'<</Card>\n',
    );
  });

  it('a translation beside a tag does not reach out of it', async () => {
    const page = '<Card title="A">B</Card> <Card title="C">D</Card>\n';
    const { text, skipped } = await fill('markdown', page, (content) => `${content} [\``);
    expect(text).toBe('<Card title="A [`">B \\[\\`</Card> <Card title="C [`">D \\[\\`</Card>\n');
    expect(skipped).toEqual([]);
    const escaped = await fill('markdown', page, (content) => `${content}\\`);
    expect(escaped.skipped.map(({ reason }) => reason)).toEqual(['markup-lost', 'markup-lost']);
  });

  it('a block of HTML in a quote has no marks of quotes, and stays one block', async () => {
    const page = '> <div title="a\n> b">c <b>d</b>\n> e</div>\n>\n> <Card\n>   title="f">\n> </Card>\n';
    expect(await contentsOf(page)).toEqual(['a\n  b', 'c <b>d</b> e', 'f']);
    const { text } = await fill('markdown', page, (content) => content.replace(/\s+/g, '\n\n'));
    expect(text).toBe(page.replace('\n> b', ' b').replace('d</b>\n> e', 'd</b> e'));
  });

  it('a translation does not become one of them', async () => {
    for (const translation of [': a', '!!! a', ':::a', '{a}', '{: .a}', '[^1]: a', '*[a]: b', '<A>', '=== "a"']) {
      const { text, skipped } = await fill('markdown', 'Text\n', () => `${translation}`);
      if (skipped.length > 0) expect(text).toBe('Text\n');
      else expect(text).toBe(`\\${translation}\n`);
    }
    const titled = await fill('markdown', '!!! note "Title"\n', () => 'Ein "Titel"');
    expect(titled.text).toBe('!!! note "Ein &quot;Titel&quot;"\n');
  });
});

describe('a translation in MDX', () => {
  it.each([
    ['{a} und ${b', '\\{a} und $\\{b'],
    ['a<br>b', 'a<br />b'],
    ['1 < 2 <b>x</b>', '1 &lt; 2 &lt;b>x&lt;/b>'],
    ['\\{a} \\< `{b} <c>` {{ d }}', '\\{a} \\< `{b} <c>` \\{\\{ d }}'],
  ])('begins no expression or tag that its source lacks: %s', async (translation, written) => {
    const kept = '<i>{name}</i> `{x}` [y]({z})';
    const page = (text: string) => `import A from './a';\n\n${text} ${kept}\n\n<A />\n`;
    const [content = ''] = await contentsOf(page('Text'));
    const { text, skipped } = await fill('markdown', page('Text'), () => content.replace('Text', translation));
    expect([text, skipped]).toEqual([page(written), []]);
  });

  it('is not escaped in other Markdown', async () => {
    expect((await fill('markdown', 'Text\n', () => 'Von {a} < 2')).text).toBe('Von {a} < 2\n');
  });
});

/** The examples of the specification. */
const SPEC = readFileSync(createRequire(import.meta.url).resolve('commonmark-spec/spec.txt'), 'utf8');
const EXAMPLES = Array.from(SPEC.matchAll(/^`{32} example\n(.*?)^\.$/gms), ([, example = '']) =>
  example.replaceAll('→', '\t'),
);

/** The examples that cannot be read back after a change, with the reason. */
const NOT_READ_BACK: Readonly<Record<string, string>> = {
  '[a](<b)c\n[a](<b)c>\n[a](<b>c)\n':
    'The first line is no link because of its `<`, which is `&lt;` in a changed text.',
};

describe('the examples of CommonMark', () => {
  it('come back byte for byte with an unchanged translation', async () => {
    expect(EXAMPLES).toHaveLength(652);
    for (const page of EXAMPLES) {
      expect(await fill('markdown', page, (content) => content)).toMatchObject({ text: page, skipped: [] });
    }
  });

  it('come back with nothing but their words changed', async () => {
    const failed: string[] = [];
    for (const page of EXAMPLES) {
      const { text, skipped } = await fill('markdown', page, changed);
      const expected = (await contentsOf(page)).map(changed);
      if (skipped.length > 0 || JSON.stringify(await contentsOf(text)) !== JSON.stringify(expected)) failed.push(page);
    }
    expect(failed).toEqual(Object.keys(NOT_READ_BACK));
  });
});

describe.each([
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('Markdown whose lines end with %s', (_, lineEnd) => {
  const pages = [MARKDOWN, ...INLINE.map(([page]) => page), ...BLOCKS.map(([, page]) => page), ...EXAMPLES];
  const withEnds = (page: string) => page.replaceAll('\n', lineEnd);

  it('has the same texts, and keeps the ends of its lines', async () => {
    for (const page of pages) {
      expect(await textsIn('markdown', withEnds(page))).toEqual(await textsIn('markdown', page));
      const same = await fill('markdown', withEnds(page), (content) => content);
      expect(same).toMatchObject({ text: withEnds(page), skipped: [] });
      const { text, skipped } = await fill('markdown', page, changed);
      expect(await fill('markdown', withEnds(page), changed)).toMatchObject({ text: withEnds(text), skipped });
    }
  });

  it('gets the ends of its lines in a translation too', async () => {
    for (const page of ['> One  \n> two\n', '> One\n']) {
      const { text } = await fill('markdown', withEnds(page), () => `Eins  ${lineEnd}zwei${lineEnd}drei`);
      const mark = page.includes('two') ? '> ' : '';
      expect(text).toBe(withEnds(`> Eins  \n${mark}zwei drei\n`));
    }
  });
});

it('Markdown with several kinds of line ends keeps each of them', async () => {
  const page = '# A\n\nOne  \r\ntwo\r\n\r\n| B |\r|---|\r| C |\r\n\nD\\\rE\n';
  expect(await contentsOf(page)).toEqual(['A', 'One<br>two', 'B', 'C', 'D<br>E']);
  expect((await fill('markdown', page, changed)).text).toBe(page.replace(/\p{L}+/gu, '$&ä'));
});
