/** An e-mail of plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * Sends an e-mail. Returns `rejected` if the server does not accept the e-mail or its receiver, so that another attempt
 * is useless.
 * @throws if the server does not answer, or may accept the e-mail later. Its message is never logged: it may have the address
 */
export type SendMail = (mail: Mail) => Promise<'sent' | 'rejected'>;
