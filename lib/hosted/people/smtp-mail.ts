import { createTransport } from 'nodemailer';
import type { SendMail } from '../../service/mail.ts';

/** How long each step of a connection may take, in milliseconds. */
const STEP_MS = 10_000;

/**
 * Makes the function that sends e-mails over SMTP.
 * @param url the server: `smtp://host:port`, which uses TLS if the server offers it, or `smtps://host:port`, which
 *   requires it; with the user name and the password if the server asks for them
 * @param from the address of the sender
 */
export function smtpMail(url: string, from: string): SendMail {
  const transport = createTransport({
    url,
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    // The text comes from Segue alone. It must never name a file or a URL to attach.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ to, subject, text }) => {
    try {
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, headers: AUTOMATIC });
      return 'sent';
    } catch (error) {
      if (isRejection(error)) return 'rejected';
      throw error;
    }
  };
}

/** The header that keeps vacation messages away (RFC 3834). */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated' };

/** Whether an error is a final refusal of the receiver or of the message. Refused credentials are the operator's fault. */
function isRejection(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && 'responseCode' in error)) return false;
  const { code, responseCode } = error;
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 500;
}
