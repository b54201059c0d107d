import * as z from 'zod/mini';
import { escaped, htmlPage, inline } from './html.ts';

/** The parts of a JSON Schema that the page shows. */
const Schema = z.object({
  $ref: z.optional(z.string()),
  type: z.optional(z.union([z.string(), z.array(z.string())])),
  enum: z.optional(z.array(z.unknown())),
  description: z.optional(z.string()),
  get items() {
    return z.optional(Schema);
  },
  get anyOf() {
    return z.optional(z.array(Schema));
  },
  get properties() {
    return z.optional(z.record(z.string(), Schema));
  },
  required: z.optional(z.array(z.string())),
});
type Schema = z.infer<typeof Schema>;

const Content = z.record(
  z.string(),
  z.object({
    schema: Schema,
    example: z.optional(z.unknown()),
    examples: z.optional(z.record(z.string(), z.unknown())),
  }),
);
type Content = z.infer<typeof Content>;

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.optional(z.string()),
  parameters: z.optional(
    z.array(z.object({ name: z.string(), in: z.string(), required: z.optional(z.boolean()), description: z.string() })),
  ),
  requestBody: z.optional(z.object({ content: Content })),
  responses: z.record(z.string(), z.object({ description: z.string(), content: z.optional(Content) })),
});
type Operation = z.infer<typeof Operation>;

/** The parts of the OpenAPI description that the page shows. */
export const Reference = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({
    schemas: z.record(z.string(), Schema),
    securitySchemes: z.record(z.string(), z.object({ scheme: z.string(), description: z.string() })),
  }),
});
export type Reference = z.infer<typeof Reference>;

/** Returns the API reference as an HTML page. @param baseUrl the URL of the API and its problem pages */
export function referenceHtml({ info, paths, components }: Reference, baseUrl: string): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, operation })),
  );
  return htmlPage(
    `${info.title} ${info.version}`,
    [
      ...info.description.split('\n\n').map((paragraph) => `<p>${inline(paragraph)}</p>`),
      `<p>Base URL: <code>${escaped(baseUrl)}</code>. A description for programs, in OpenAPI 3.1: ${link(`${baseUrl}/openapi.json`, 'openapi.json')}.</p>`,
      '<h2 id="authentication">Authentication</h2>',
      definitions(
        Object.values(components.securitySchemes).map(({ scheme, description }) => [
          `<code>Authorization: ${escaped(scheme.replace(/^./, (letter) => letter.toUpperCase()))}</code>`,
          inline(description),
        ]),
      ),
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

/** Returns a body as HTML: for problems a list of the problem types, otherwise the schema and an example. */
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

/** Returns the type of a value as HTML. A named type links to its schema. */
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
  return `<dl>\n${terms.map(([term, text]) => `<dt>${term}</dt>\n<dd>${text}</dd>`).join('\n')}\n</dl>`;
}

function list(entries: readonly string[]): string {
  return `<ul>\n${entries.map((entry) => `<li>${entry}</li>`).join('\n')}\n</ul>`;
}

function link(href: string, text: string): string {
  return `<a href="${escaped(href)}">${escaped(text)}</a>`;
}
