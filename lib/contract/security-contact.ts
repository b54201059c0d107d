/** Matches a contact for security reports: an https URL, or an e-mail address as a mailto URL. */
export const SECURITY_CONTACT = /^(?:https:\/\/[\w.-]+(?:[/:?#][\x21-\x7e]*)?|mailto:[\w.+-]+@[\w-]+(?:\.[\w-]+)+)$/;
export const SECURITY_CONTACT_RULE =
  'an https or mailto URL, such as https://example.com/security or mailto:security@example.com';

/** Matches the URL of a policy for security reports. */
export const SECURITY_POLICY = /^https:\/\/[\w.-]+(?:[/:?#][\x21-\x7e]*)?$/;
export const SECURITY_POLICY_RULE = 'an https URL, such as https://example.com/security-policy';

/** To whom security reports go. */
export interface SecurityContact {
  /** An https or mailto URL. */
  readonly contact: string;
  /** The URL of the policy for reports. */
  readonly policy?: string | undefined;
}
