import { escaped, htmlPage, inline } from './html.ts';
import type { Content, Operation, Reference, Schema } from './reference.ts';

/** The description of the API as a page for people. `baseUrl` is where the API and its pages of problems are. */
export function referenceHtml({ info, paths, components }: Reference, baseUrl: string): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, operation })),
  );
  return htmlPage(
    `${info.title} ${info.version}`,
    [
      `<p>${inline(info.description)}</p>`,
      `<p>Base URL: <code>${escaped(baseUrl)}</code>. The same for programs, in OpenAPI 3.1: ${link(`${baseUrl}/openapi.json`, 'openapi.json')}.</p>`,
      '<h2>Operations</h2>',
      list(operations.map(({ title, operation: { operationId } }) => link(`#${operationId}`, title))),
      ...operations.map(({ title, operation }) => operationHtml(title, operation, baseUrl)),
      '<h2>Bodies</h2>',
      ...Object.entries(components.schemas).map(([name, schema]) => schemaHtml(name, schema)),
    ].join('\n'),
  );
}

function operationHtml(title: string, operation: Operation, baseUrl: string): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const terms = [
    ...parameters.map((parameter) => [
      `<code>${escaped(parameter.name)}</code>, ${escaped(parameter.in)}${parameter.required ? '' : ', optional'}`,
      inline(parameter.description),
    ]),
    ...(requestBody ? [['Body', contentHtml(requestBody.content, baseUrl)]] : []),
    ...Object.entries(responses).map(([status, response]) => [
      escaped(status),
      [inline(response.description), contentHtml(response.content ?? {}, baseUrl)].join('\n'),
    ]),
  ];
  return `<h2 id="${escaped(operationId)}">${escaped(title)}</h2>
<p>${inline(`${summary}.`)}${description === undefined ? '' : ` ${inline(description)}`}</p>
${definitions(terms)}`;
}

/** What a body is: of a problem its types, of any other its schema and an example. */
function contentHtml(content: Content, baseUrl: string): string {
  return Object.entries(content)
    .map(([type, { schema, example, examples }]) =>
      examples
        ? list(Object.keys(examples).map((name) => link(`${baseUrl}/problems/${name}`, name)))
        : `<p><code>${escaped(type)}</code>: ${typeOf(schema)}</p>${example === undefined ? '' : exampleHtml(example)}`,
    )
    .join('\n');
}

function exampleHtml(example: unknown): string {
  return `\n<pre><code>${escaped(JSON.stringify(example, null, 2))}</code></pre>`;
}

function schemaHtml(name: string, { properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([field, schema]) => [
    `<code>${escaped(field)}</code>, ${typeOf(schema)}${required.includes(field) ? '' : ', optional'}`,
    inline(schema.description ?? ''),
  ]);
  return `<h3 id="${escaped(name)}">${escaped(name)}</h3>\n${definitions(fields)}`;
}

/** The type of a value, with a link to where it is told. */
function typeOf({ $ref, type, enum: values, items, anyOf }: Schema): string {
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return link(`#${name}`, name);
  }
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (values) return values.map((value) => `<code>${escaped(String(value))}</code>`).join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  return escaped([type ?? 'any value'].flat().join(' or '));
}

function definitions(terms: readonly (readonly string[])[]): string {
  return `<dl>\n${terms.map(([term, told]) => `<dt>${term}</dt>\n<dd>${told}</dd>`).join('\n')}\n</dl>`;
}

function list(entries: readonly string[]): string {
  return `<ul>\n${entries.map((entry) => `<li>${entry}</li>`).join('\n')}\n</ul>`;
}

function link(href: string, text: string): string {
  return `<a href="${escaped(href)}">${escaped(text)}</a>`;
}
