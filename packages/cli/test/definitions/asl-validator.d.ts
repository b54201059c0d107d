declare module 'asl-validator' {
  /** Checks a definition in the Amazon States Language. */
  export default function validate(definition: object): {
    readonly isValid: boolean;
    readonly errors: readonly unknown[];
  };
}
