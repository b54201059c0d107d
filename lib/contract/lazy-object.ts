import * as z from 'zod/mini';

/*
 * Schemas of objects whose fields are made when the schema is first used. Each field takes some 10 µs of a cold start,
 * and the first request uses few of the schemas in a bundle.
 */

/** The same as `z.object`, with fields that are made at the first use. */
export function object<Shape extends z.core.$ZodShape>(shape: () => Shape): z.ZodMiniObject<Shape, z.core.$strip>;
// Tells esbuild to leave out of a bundle the schemas that it does not use. @__NO_SIDE_EFFECTS__
export function object(shape: () => z.core.$ZodShape) {
  return lazyObject(shape);
}

const NOTHING = /* @__PURE__ */ z.never();

/** The same as `z.strictObject`, with fields that are made at the first use. */
export function strictObject<Shape extends z.core.$ZodShape>(
  shape: () => Shape,
): z.ZodMiniObject<Shape, z.core.$strict>;
// Tells esbuild to leave out of a bundle the schemas that it does not use. @__NO_SIDE_EFFECTS__
export function strictObject(shape: () => z.core.$ZodShape) {
  return lazyObject(shape, NOTHING);
}

const ANYTHING = /* @__PURE__ */ z.unknown();

/** The same as `z.looseObject`, with fields that are made at the first use. */
export function looseObject<Shape extends z.core.$ZodShape>(shape: () => Shape): z.ZodMiniObject<Shape, z.core.$loose>;
// Tells esbuild to leave out of a bundle the schemas that it does not use. @__NO_SIDE_EFFECTS__
export function looseObject(shape: () => z.core.$ZodShape) {
  return lazyObject(shape, ANYTHING);
}

function lazyObject(makeShape: () => z.core.$ZodShape, catchall?: z.core.$ZodType) {
  return new z.ZodMiniObject({
    type: 'object',
    catchall,
    get shape() {
      const value = makeShape();
      Object.defineProperty(this, 'shape', { value, enumerable: true });
      return value;
    },
  });
}
