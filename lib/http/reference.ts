import * as z from 'zod/mini';

/** As much of a JSON Schema as the page tells. */
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
export type Schema = z.infer<typeof Schema>;

const Content = z.record(
  z.string(),
  z.object({
    schema: Schema,
    example: z.optional(z.unknown()),
    examples: z.optional(z.record(z.string(), z.unknown())),
  }),
);
export type Content = z.infer<typeof Content>;

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
export type Operation = z.infer<typeof Operation>;

/** The description of the API, as far as the page tells it. */
export const Reference = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
});
export type Reference = z.infer<typeof Reference>;
